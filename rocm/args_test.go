package rocm

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestArgsLayout(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	b := alloc(t, d, 64)
	type pair struct {
		A int8
		B float64
	}
	// The comments are what C's offsetof gives for a struct of these members.
	a := NewArgs().
		U32(1).                                                  // 0
		Buffer(b, 8).                                            // 8
		I32(-2).                                                 // 16
		F32(1.5).                                                // 20
		I32(3).                                                  // 24
		F64(2.5).                                                // 32
		Struct(&struct{ X, Y int16 }{4, -5}).                    // 40
		U32(6).                                                  // 44
		Struct(&struct{ C uint8 }{7}).                           // 48
		Struct(&struct{ P [2]pair }{[2]pair{{8, 9}, {10, 11}}}). // 56, 32 long
		I64(-12).                                                // 88
		U64(13)                                                  // 96
	want := make([]byte, 104)
	put := func(off int, v string) {
		var n int
		for i := 0; i < len(v); i += 2 {
			fmt.Sscanf(v[i:i+2], "%02x", &n)
			want[off+i/2] = byte(n)
		}
	}
	put(0, "01000000")
	p := uint64(b.Ptr()) + 8
	for i := range 8 {
		want[8+i] = byte(p >> (8 * i))
	}
	put(16, "feffffff")
	put(20, "0000c03f")
	put(24, "03000000")
	put(32, "0000000000000440")
	put(40, "0400fbff")
	put(44, "06000000")
	put(48, "07")
	put(56, "08")
	put(64, "0000000000002240")
	put(72, "0a")
	put(80, "0000000000002640")
	put(88, "f4ffffffffffffff")
	put(96, "0d00000000000000")
	if !bytes.Equal(a.Bytes(), want) {
		t.Errorf("packed\n% x, want\n% x", a.Bytes(), want)
	}
	if got := a.Reset().U32(9).Bytes(); !bytes.Equal(got, []byte{9, 0, 0, 0}) {
		t.Errorf("after Reset: % x", got)
	}
}

func TestArgsMistakes(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	m, err := d.load("m", []byte("image"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Function("k")
	if err != nil {
		t.Fatal(err)
	}
	gone := alloc(t, d, 8)
	gone.Free()
	other := f.device(t, 1)
	type bad struct {
		A uint32
		B struct{ C []int }
	}
	for _, c := range []struct {
		args *Args
		want string
	}{
		{NewArgs().Buffer(nil, 0), "buffer 0 is nil"},
		{NewArgs().U32(1).Buffer(gone, 0), "buffer 0 was freed"},
		{NewArgs().Buffer(alloc(t, d, 8), 9), "offset 9 is outside of buffer 0 of 8 bytes"},
		{NewArgs().Struct(bad{}), "Struct needs a pointer to a struct, not rocm.bad"},
		{NewArgs().Struct((*bad)(nil)), "Struct needs a pointer to a struct"},
		{NewArgs().Struct(&bad{}), "rocm.bad.B.C is of type []int, which has no fixed layout in C"},
		{NewArgs().Struct(&struct{ N int }{}), "is of type int"},
		{NewArgs().Buffer(alloc(t, other, 8), 0), "a buffer is on rocm:1, the kernel on rocm:0"},
	} {
		f.take()
		err := d.Launch(k, [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, c.args)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "rocm: launch k: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
		if calls := f.take(); calls != nil {
			t.Errorf("%s: the driver was called: %q", c.want, calls)
		}
	}
}
