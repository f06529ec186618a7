package tensor

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/internal/dl"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// costDevice is a GPU whose driver, in C, does nothing at all: what operations on it take is what they cost the host.
// Drivers are loaded once per process, so that a benchmark of it runs alone.
func costDevice(b *testing.B) *Device {
	cc, err := exec.LookPath("cc")
	if err != nil {
		b.Skip("no C compiler (cc)")
	}
	dir, err := os.MkdirTemp("", "") // the library stays loaded for the benchmarks to come
	if err != nil {
		b.Fatal(err)
	}
	library := filepath.Join(dir, dl.FileNames("libamdhip64.so.6")[0])
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-O2", "-DANY_KERNEL=1", "-DMEMORY=(1<<28)", "-o", library,
		"../rocm/testdata/fakehip.c").CombinedOutput(); err != nil {
		b.Fatalf("cc: %v\n%s", err, out)
	}
	for name, value := range map[string]string{"GOROCM_LIBRARY_PATH": dir, "GOROCM_CACHE": dir, "GOROCM_EMULATE": "",
		"GOROCM_SYNC": ""} {
		b.Setenv(name, value)
	}
	dev, err := NewDevice("rocm")
	if err != nil {
		b.Fatal(err)
	}
	if dev.gpu().Info().Name != "Fake Radeon 0" {
		b.Skipf("%v is open already: run this benchmark alone", dev)
	}
	return dev
}

// BenchmarkHostCost times what the host does for a small operation:
//
//	go test ./tensor -run xxx -bench HostCost
func BenchmarkHostCost(b *testing.B) {
	dev := costDevice(b)
	gpu := dev.gpu()
	x, y := dev.Empty(F32, 16), dev.Empty(F32, 16)
	row := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			f() // makes the kernel
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	row("add freed", func() {
		sum := x.Add(y)
		sum.Buffer()
		sum.Free()
	})
	row("add dropped", func() { x.Add(y).Buffer() })
	row("add dropped unlooked", func() { x.Add(y) })
	row("chain of two freed", func() {
		sum := x.Add(y)
		product := sum.Mul(y)
		product.Buffer()
		product.Free()
		sum.Free()
	})
	row("sum freed", func() {
		sum := x.Sum(0)
		sum.Buffer()
		sum.Free()
	})
	m, err := gpu.Load(rocm.Program{Name: "add_f32.hip",
		Source: func() (string, error) { return kernels.KernelSource("add_f32") }})
	if err != nil {
		b.Fatal(err)
	}
	f, err := m.Function("add_f32")
	if err != nil {
		b.Fatal(err)
	}
	row("launch", func() {
		if err := gpu.Launch(f, [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, nil); err != nil {
			b.Fatal(err)
		}
	})
	row("memory", func() {
		m, err := gpu.Alloc(64)
		if err != nil {
			b.Fatal(err)
		}
		m.Free()
	})
}
