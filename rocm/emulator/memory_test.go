package emulator

import (
	"bytes"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
)

func TestMallocAndFree(t *testing.T) {
	g := newGPU(t)
	free, total := g.MemInfo()
	if total != 64<<20 || free > total {
		t.Fatalf("%d of %d bytes are free", free, total)
	}
	a, err := g.Malloc(1000)
	if err != nil {
		t.Fatal(err)
	}
	if a < memory.Base || a%256 != 0 {
		t.Errorf("address %#x", a)
	}
	b := make([]byte, 1000)
	if err := g.Read(b, a); err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 1000)
	memory.Fill(want)
	if !bytes.Equal(b, want) || want[0] != Poison&0xff || want[7] != Poison>>24 {
		t.Errorf("new memory holds % x…", b[:8])
	}
	fails(t, g.Free(a+1), CodeInvalidDevicePointer, "not the start")
	if err := g.Free(a); err != nil {
		t.Fatal(err)
	}
	fails(t, g.Free(a), CodeInvalidDevicePointer, "freed twice")
	fails(t, g.Read(b, a), CodeInvalidDevicePointer)
	if now, _ := g.MemInfo(); now != free {
		t.Errorf("%d bytes are free, %d at the start", now, free)
	}
	if a, err := g.Malloc(0); a != 0 || err != nil || g.Free(0) != nil {
		t.Errorf("Malloc(0) is %#x, %v", a, err)
	}
	_, err = g.Malloc(65 << 20)
	fails(t, err, CodeOutOfMemory, "68157440 bytes asked for", "67108864 bytes are free")
	_, err = g.Malloc(1<<64 - 1)
	fails(t, err, CodeOutOfMemory)
}

func TestCopies(t *testing.T) {
	g := newGPU(t)
	a, err := g.Malloc(100)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Set(a, 7, 100); err != nil {
		t.Fatal(err)
	}
	if err := g.Write(a+10, []byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if err := g.Copy(a+11, a+10, 3); err != nil { // overlapping
		t.Fatal(err)
	}
	got := make([]byte, 6)
	if err := g.Read(got, a+9); err != nil {
		t.Fatal(err)
	}
	if want := []byte{7, 1, 1, 2, 3, 7}; !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	fails(t, g.Write(a+99, []byte{1, 2}), CodeInvalidDevicePointer, "2 bytes", "buffer of 100 bytes")
	fails(t, g.Read(got, a-1), CodeInvalidDevicePointer, "1 bytes before")
	fails(t, g.Copy(a, a+1, 100), CodeInvalidDevicePointer, "copy from")
	fails(t, g.Set(0x1000, 0, 1), CodeInvalidDevicePointer)
}
