package emulator

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

// testArch is the GPU that newDevice makes, gfx1100 if it is empty, and testObjects are files with its kernels.
var (
	testArch    string
	testObjects map[string]string
)

// device is a GPU with the test kernels loaded.
type device struct {
	*GPU
	t testing.TB
	m *Module
}

func newDevice(t testing.TB, object string, workers int) *device {
	t.Helper()
	g, err := New(Config{Arch: testArch, Memory: 1 << 30, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	m, err := g.Load(readObjectFile(t, object))
	if err != nil {
		t.Fatal(err)
	}
	return &device{g, t, m}
}

func readObjectFile(t testing.TB, name string) []byte {
	t.Helper()
	file := filepath.Join("testdata", name+".hsaco")
	if testArch != "" {
		file = testObjects[name]
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// bytesOf views a slice as bytes.
func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// put copies a slice to new device memory.
func put[T any](d *device, s []T) uint64 {
	d.t.Helper()
	b := bytesOf(s)
	addr, err := d.Malloc(uint64(len(b)))
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.Write(addr, b); err != nil {
		d.t.Fatal(err)
	}
	return addr
}

// get copies n elements from device memory.
func get[T any](d *device, addr uint64, n int) []T {
	d.t.Helper()
	s := make([]T, n)
	if err := d.Read(bytesOf(s), addr); err != nil {
		d.t.Fatal(err)
	}
	return s
}

// pack packs arguments at their natural alignment.
func pack(args ...any) []byte {
	var b []byte
	for _, a := range args {
		n := binary.Size(a)
		for len(b)%n != 0 {
			b = append(b, 0)
		}
		b, _ = binary.Append(b, binary.LittleEndian, a)
	}
	return b
}

// launch runs a kernel in x only.
func (d *device) launch(name string, blocks, threads int, args ...any) error {
	d.t.Helper()
	k, err := d.m.Kernel(name)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.Launch(k, [3]uint32{uint32(blocks), 1, 1}, [3]uint32{uint32(threads), 1, 1}, 0, pack(args...))
}

func (d *device) mustLaunch(name string, blocks, threads int, args ...any) {
	d.t.Helper()
	if err := d.launch(name, blocks, threads, args...); err != nil {
		d.t.Fatal(err)
	}
}

func hostAddress[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }
