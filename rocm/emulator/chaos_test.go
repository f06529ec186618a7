package emulator

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
)

// TestRandomCode executes random instructions in place of a kernel's. Whatever they do, the launch returns, and an error
// is the worst that comes of it.
func TestRandomCode(t *testing.T) {
	g := newGPU(t)
	good := readObjectFile(t, "flush")
	o, err := codeobject.Read(good, GFX1100, imageLimit)
	if err != nil {
		t.Fatal(err)
	}
	at := fileOffset(t, good, newModule(o).kernels["flush_f32"].entry)
	list := samples()
	r := rand.New(rand.NewPCG(11, 12))
	buffer, err := g.Malloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for range 1500 {
		b := slices.Clone(good)
		words := randomProgram(r, list)
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[at+uint64(4*i):], w)
		}
		m, err := g.Load(b)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("flush_f32")
		if err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(20*time.Millisecond, g.Interrupt)
		err = g.Launch(k, [3]uint32{2, 1, 1}, [3]uint32{48, 1, 1}, 1024, pack(buffer, buffer+64))
		stop.Stop()
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("error of another type: %v", err)
		}
		if err == nil {
			ran++
		}
		if err := m.Unload(); err != nil {
			t.Fatal(err)
		}
	}
	if ran == 0 {
		t.Error("no random program ran to its end")
	}
	t.Logf("%d programs ran to their end", ran)
}

// randomProgram makes a few valid instructions with random operands, and an end.
func randomProgram(r *rand.Rand, list []sample) []uint32 {
	var words []uint32
	for range 1 + r.IntN(8) {
		s := list[r.IntN(len(list))]
		w := slices.Clone(s.words)
		for i := range w {
			switch r.IntN(3) {
			case 0:
				w[i] ^= 1 << r.IntN(20)
			case 1:
				if i > 0 {
					w[i] = r.Uint32()
				}
			}
		}
		words = append(words, w...)
	}
	return append(words, 0xbfb00000)
}

// fileOffset finds where the file has the address of a segment.
func fileOffset(t *testing.T, object []byte, addr uint64) uint64 {
	t.Helper()
	le := binary.LittleEndian
	table, count := le.Uint64(object[32:]), le.Uint16(object[56:])
	for i := range uint64(count) {
		p := object[table+56*i:]
		offset, vaddr, size := le.Uint64(p[8:]), le.Uint64(p[16:]), le.Uint64(p[32:])
		if le.Uint32(p) == 1 && addr >= vaddr && addr < vaddr+size {
			return addr - vaddr + offset
		}
	}
	t.Fatalf("no segment has %#x", addr)
	return 0
}
