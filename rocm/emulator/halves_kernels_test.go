package emulator

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestWideChecks runs the kernels of testdata/races.hip in waves of 64, of which a block of 64 work-items has one: its instructions are in order.
func TestWideChecks(t *testing.T) {
	d := newDevice(t, "races64", 2)
	d.SetChecks(CheckRaces)
	x, y := put(d, randomFloats(256)), put(d, make([]float32, 256))
	zeros := put(d, make([]int32, 256))
	for _, test := range []struct {
		kernel string
		blocks int
		args   []any
		want   string // part of the error; none is not an error
	}{
		{"missing_barrier", 1, []any{x, y}, ""},
		{"with_barrier", 2, []any{x, y}, ""},
		{"missing_second_barrier", 1, []any{x, y}, ""},
		{"bytes", 1, []any{x, y}, ""},
		{"same_value", 1, []any{y}, ""},
		{"different_values", 1, []any{y}, "race: work-item [1 0 0] stores shared memory at offset 0x0 that work-item [0 0 0] with the same instruction has stored"},
		{"histogram", 1, []any{zeros, y, int32(0)}, ""},
		{"scatter", 2, []any{zeros, y, int32(1)}, ""},
		{"scatter", 2, []any{zeros, y, int32(0)}, "that work-item [63 0 0] of block [0 0 0] has stored"},
		{"last_block", 3, []any{x, y, put(d, make([]uint32, 1)), put(d, make([]float32, 1))}, ""},
		{"branches", 1, []any{x, y}, "of the same wave, in another branch"},
	} {
		err := d.launch(test.kernel, test.blocks, 64, test.args...)
		if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.kernel, err, test.want)
		}
	}
	if err := d.launch("missing_barrier", 1, 40, x, y); err != nil { // half a wave is off
		t.Error(err)
	}
	d.SetChecks(CheckInit)
	err := d.launch("unwritten", 1, 64, y)
	if err == nil || !strings.Contains(err.Error(), "work-item [40 0 0] stores to global memory a value from shared memory near offset 0xa0 that nothing has written") {
		t.Errorf("error %v", err)
	}
	d.SetChecks(0)
	err = d.launch("beyond", 1, 64, put(d, make([]float32, 64)), put(d, make([]float32, 64)))
	var e *Error
	if !errors.As(err, &e) || e.Source != "races.hip:105" {
		t.Errorf("error %v", err)
	}
}

func TestWideProfile(t *testing.T) {
	d := newDevice(t, "races64", 2)
	x, y := put(d, make([]float32, 256)), put(d, make([]float32, 256))
	d.StartProfile()
	for range 3 {
		d.mustLaunch("with_barrier", 2, 64, x, y)
	}
	d.mustLaunch("with_barrier", 1, 16, x, y)
	p := d.StopProfile()[0]
	got := fmt.Sprint(p.Wave, p.Launches, p.Blocks, p.Waves, p.Barriers, p.Instructions[LDS], p.Instructions[VMEM], p.BytesWritten, p.LDSRead, p.LDSWritten)
	if want := fmt.Sprint(64, 4, 7, 7, 7, 14, 14, 6*256+64, 6*256+64, 6*256+64); got != want {
		t.Errorf("counted %s, want %s", got, want)
	}
	if u, want := p.Utilisation(), (6+0.25)/7; u < want-0.001 || u > want+0.001 {
		t.Errorf("utilisation %v, want %v", u, want)
	}
}

// TestWavesOfBothSizes loads kernels for waves of 32 and of 64 on one GPU, and runs them in turns.
func TestWavesOfBothSizes(t *testing.T) {
	narrow := newDevice(t, "races", 2)
	m, err := narrow.Load(readObjectFile(t, "races64"))
	if err != nil {
		t.Fatal(err)
	}
	wide := &device{narrow.GPU, t, m}
	in := randomFloats(64)
	for range 3 {
		for _, d := range []*device{narrow, wide} {
			y := put(d, make([]float32, 64))
			d.mustLaunch("with_barrier", 1, 64, put(d, in), y)
			for i, got := range get[float32](d, y, 64) {
				if got != in[63-i] {
					t.Fatalf("element %d is %v, want %v", i, got, in[63-i])
				}
			}
		}
	}
}
