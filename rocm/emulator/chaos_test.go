package emulator

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx9"
)

// TestRandomCode executes random instructions in place of a kernel's. Whatever they do, the launch returns, and an error
// is the worst that comes of it.
func TestRandomCode(t *testing.T) {
	thorough.Slow(t)
	randomCode(t, newGPU(t), readObjectFile(t, "flush"), "flush_f32", 1500, func(r *rand.Rand, list []sample) []uint32 {
		return randomProgram(r, list, 0xbfb00000)
	}, samples())
}

// TestRandomCodeCDNA does the same with instructions of gfx942's kernels.
func TestRandomCodeCDNA(t *testing.T) {
	thorough.Slow(t)
	g, err := New(Config{Arch: GFX942, Memory: 64 << 20, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var list []sample
	for _, kernel := range []string{"matmul_f16", "sum_f32", "sort_tiles_f64", "tanh_bf16", "scatter_add_i64_i64"} {
		object, ok := kernels.FirstObject(kernel, GFX942)
		o, err := codeobject.Read(object, GFX942, imageLimit)
		if !ok || err != nil {
			t.Fatal(kernel, err)
		}
		for at := o.Text.Addr; at+8 <= o.Text.Addr+o.Text.Size; {
			words := []uint32{binary.LittleEndian.Uint32(o.Image[at:]), binary.LittleEndian.Uint32(o.Image[at+4:])}
			in, err := gfx9.Decode(words)
			if err != nil {
				break
			}
			list = append(list, sample{words: words[:in.Size]})
			at += uint64(4 * in.Size)
		}
	}
	if len(list) < 1000 {
		t.Fatalf("%d instructions", len(list))
	}
	object, _ := kernels.FirstObject("fill_b32", GFX942)
	randomCode(t, g, object, "fill_b32", 500, func(r *rand.Rand, list []sample) []uint32 {
		return randomProgram(r, list, 0xbf810000)
	}, list)
}

func randomCode(t *testing.T, g *GPU, good []byte, kernel string, programs int, random func(*rand.Rand, []sample) []uint32, list []sample) {
	t.Helper()
	o, err := codeobject.Read(good, g.Arch(), imageLimit)
	if err != nil {
		t.Fatal(err)
	}
	k := newModule(o).kernels[kernel]
	at := fileOffset(t, good, k.entry)
	arguments := make([]byte, k.meta.Explicit)
	r := rand.New(rand.NewPCG(11, 12))
	buffer, err := g.Malloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	copy(arguments, pack(buffer, buffer+64))
	ran := 0
	for range programs {
		b := slices.Clone(good)
		words := random(r, list)
		for i, w := range words {
			binary.LittleEndian.PutUint32(b[at+uint64(4*i):], w)
		}
		m, err := g.Load(b)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel(kernel)
		if err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(20*time.Millisecond, g.Interrupt)
		err = g.Launch(k, [3]uint32{2, 1, 1}, [3]uint32{48, 1, 1}, 1024, arguments)
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
func randomProgram(r *rand.Rand, list []sample, end uint32) []uint32 {
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
	return append(words, end)
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
