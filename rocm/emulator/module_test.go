package emulator

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
)

func newGPU(t testing.TB) *GPU {
	t.Helper()
	g, err := New(Config{Memory: 64 << 20, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func TestKernels(t *testing.T) {
	d := newDevice(t, "flush", 1)
	if got := d.m.Kernels(); !slices.Equal(got, []string{"flush_f32"}) {
		t.Errorf("kernels %q", got)
	}
	_, err := d.m.Kernel("nothing")
	fails(t, err, CodeNotFound, `"nothing"`, "flush_f32")
	_, _, err = d.m.Global("nothing")
	fails(t, err, CodeNotFound, `"nothing"`)
}

func TestLoadRejects(t *testing.T) {
	g := newGPU(t)
	good := readObjectFile(t, "flush")
	load := func(b []byte) error { _, err := g.Load(b); return err }
	edit := func(at int, b ...byte) []byte {
		c := slices.Clone(good)
		copy(c[at:], b)
		return c
	}
	fails(t, load(nil), CodeInvalidImage, "0 bytes")
	fails(t, load([]byte("#include <hip/hip_runtime.h> and then some more text to be longer than a header")), CodeInvalidImage, "ELF")
	fails(t, load(readObjectFile(t, "gfx1030")), CodeNoBinaryForGPU, "gfx1030", "gfx1100")
	fails(t, load(edit(18, 62)), CodeNoBinaryForGPU, "EM_X86_64")
	fails(t, load(edit(8, 0)), CodeNoBinaryForGPU, "code object version 2")
	fails(t, load(good[:200]), CodeInvalidImage)
	fails(t, load([]byte(codeobject.BundleMagic)), CodeInvalidImage, "truncated offload bundle")
	fails(t, load(bundle("hipv4-amdgcn-amd-amdhsa--gfx90a", good)), CodeNoBinaryForGPU, "gfx90a")
	if err := load(bundle("hipv4-amdgcn-amd-amdhsa--gfx1100", good)); err != nil {
		t.Errorf("bundle: %v", err)
	}
}

// bundle makes a clang offload bundle of one entry.
func bundle(target string, object []byte) []byte {
	b := []byte(codeobject.BundleMagic)
	b = binary.LittleEndian.AppendUint64(b, 1)
	offset := uint64(len(b) + 24 + len(target))
	b = binary.LittleEndian.AppendUint64(b, offset)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(object)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(target)))
	b = append(b, target...)
	return append(b, object...)
}

func TestLoadTruncated(t *testing.T) {
	g := newGPU(t)
	good := readObjectFile(t, "flush")
	for n := 0; n < len(good); n += 7 {
		loadAndDecode(t, g, good[:n])
	}
}

// loadAndDecode must give errors of this package or work; it must not panic.
func loadAndDecode(t *testing.T, g *GPU, object []byte) {
	t.Helper()
	var e *Error
	m, err := g.Load(object)
	if err != nil {
		if !errors.As(err, &e) {
			t.Fatalf("error of another type: %v", err)
		}
		return
	}
	for _, name := range m.Kernels() {
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Decode(); err != nil && !errors.As(err, &e) {
			t.Fatalf("error of another type: %v", err)
		}
	}
	if err := m.Unload(); err != nil {
		t.Fatal(err)
	}
}

func FuzzLoad(f *testing.F) {
	good := readObjectFile(f, "flush")
	f.Add(good)
	f.Add(bundle("hipv4-amdgcn-amd-amdhsa--gfx1100", good))
	f.Add(good[:600])
	g := newGPU(f)
	f.Fuzz(func(t *testing.T, object []byte) { loadAndDecode(t, g, object) })
}

// FuzzDecode feeds arbitrary words to the decoder: it must reject or accept, not panic.
func FuzzDecode(f *testing.F) {
	for _, s := range samples()[:64] {
		var b []byte
		for _, w := range s.words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		f.Add(b)
	}
	f.Add([]byte{0xf9, 4, 0, 0x68, 1, 0x11, 5, 0}) // SDWA of gfx942
	f.Fuzz(func(t *testing.T, b []byte) {
		for i, mode := range []mode{{}, {wide: true}, {wide: true}} {
			m := &Module{code: b, text: codeobject.Span{Addr: 0, Size: uint64(len(b))}, gfx9: i == 2}
			_, err := m.decodeFunction("test", 0, uint64(len(b))&^3, mode)
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("error of another type: %v", err)
			}
		}
	})
}

// TestLoadMutated loads code objects with a few random bytes changed.
func TestLoadMutated(t *testing.T) {
	thorough.Slow(t)
	g := newGPU(t)
	good := readObjectFile(t, "flush")
	r := rand.New(rand.NewPCG(1, 2))
	files := 500
	if thorough.On() {
		files = 2000
	}
	for range files {
		b := slices.Clone(good)
		for range 1 + r.IntN(6) {
			b[r.IntN(len(b))] = byte(r.Uint32())
			b[r.IntN(700)] = byte(r.Uint32()) // headers and notes
		}
		loadAndDecode(t, g, b)
	}
}
