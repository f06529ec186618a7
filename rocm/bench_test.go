package rocm

import (
	"fmt"
	"os"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/dl"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// benchDevice is a real GPU, CUDA or HIP, if there is one.
func benchDevice(b *testing.B) *Device {
	for _, spec := range []string{"cuda", "rocm"} {
		if d, err := Open(spec); err == nil && !d.Emulated() {
			return d
		}
	}
	b.Skip("no GPU")
	return nil
}

// fakeDevice costs what the runtime itself costs, without any driver.
func fakeDevice(b *testing.B) (*Device, *Function) {
	nothing := func(uintptr) driver.Code { return 0 }
	next := uintptr(0)
	drv := &driver.Table{
		Platform: driver.HIP, SetCurrent: nothing, StreamSynchronize: nothing, Free: nothing,
		StreamCreate: func(*uintptr, uint32) driver.Code { return 0 },
		Malloc:       func(p *uintptr, n uintptr) driver.Code { next += n; *p = next; return 0 },
		Launch: func(uintptr, uint32, uint32, uint32, uint32, uint32, uint32, uint32, uintptr, uintptr, *driver.LaunchExtra) driver.Code {
			return 0
		},
	}
	d, err := newDevice(drv, Info{Platform: HIP, TotalMemory: 16 << 30})
	if err != nil {
		b.Fatal(err)
	}
	return d, &Function{module: &Module{device: d}, name: "k"}
}

type benchLayout struct {
	Rank  int32
	Flags uint32
	Dims  [8]int64
	A     [8]int64
}

func BenchmarkLaunch(b *testing.B) {
	run := func(b *testing.B, d *Device, f *Function) {
		buf, err := d.Alloc(4096)
		if err != nil {
			b.Fatal(err)
		}
		layout := benchLayout{Rank: 1}
		b.ReportAllocs()
		for b.Loop() {
			args := NewArgs().Buffer(buf, 0).Buffer(buf, 0).Struct(&layout).U64(0)
			if err := d.Launch(f, [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, args); err != nil {
				b.Fatal(err)
			}
		}
		if err := d.Synchronize(); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("runtime", func(b *testing.B) {
		d, f := fakeDevice(b)
		run(b, d, f)
	})
	b.Run("gpu", func(b *testing.B) {
		d := benchDevice(b)
		m, err := d.Compile("bench.hip", `struct Layout { int rank; unsigned flags; long long dims[8], a[8]; };
extern "C" __global__ void nothing(const float *in, float *out, Layout l, unsigned long long n) {}`)
		if err != nil {
			b.Fatal(err)
		}
		f, err := m.Function("nothing")
		if err != nil {
			b.Fatal(err)
		}
		run(b, d, f)
	})
	b.Run("emulated", func(b *testing.B) {
		d, m := emulatedDevice(b)
		f, err := m.Function("scale")
		if err != nil {
			b.Fatal(err)
		}
		buf, err := d.Alloc(4096)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := d.Launch(f, [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, NewArgs().Buffer(buf, 0).Buffer(buf, 0).F32(1).U64(0)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAllocFree(b *testing.B) {
	run := func(b *testing.B, d *Device) {
		b.ReportAllocs()
		for b.Loop() {
			buf, err := d.Alloc(1 << 20)
			if err != nil {
				b.Fatal(err)
			}
			buf.Free()
		}
	}
	b.Run("runtime", func(b *testing.B) {
		d, _ := fakeDevice(b)
		run(b, d)
	})
	b.Run("gpu", func(b *testing.B) { run(b, benchDevice(b)) })
}

// BenchmarkAllocDrop leaves buffers to Go's collector.
func BenchmarkAllocDrop(b *testing.B) {
	d, _ := fakeDevice(b)
	for b.Loop() {
		if _, err := d.Alloc(1 << 20); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpload(b *testing.B) {
	d := benchDevice(b)
	for _, size := range []struct {
		name string
		n    int
	}{{"64B", 64}, {"64KiB", maxStaged}, {"16MiB", 16 << 20}} {
		b.Run(size.name, func(b *testing.B) {
			buf, err := d.Alloc(size.n)
			if err != nil {
				b.Fatal(err)
			}
			src := make([]byte, size.n)
			b.SetBytes(int64(size.n))
			for b.Loop() {
				if err := buf.Upload(0, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTransfer moves 256 MiB of memory that is not pinned, by several numbers of goroutines; 0 is the driver's own way.
func BenchmarkTransfer(b *testing.B) {
	d := benchDevice(b)
	host := make([]byte, 256<<20)
	for i := range host {
		host[i] = byte(i)
	}
	buf, err := d.Alloc(len(host))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { d.transfers.maxCopiers = maxCopiers }()
	for way, move := range map[string]func() error{
		"up":   func() error { return buf.Upload(0, host) },
		"down": func() error { return buf.Download(host, 0) },
	} {
		for _, copiers := range []int{0, 1, 2, 4, 6, 8, 10, 12, 16} {
			b.Run(fmt.Sprintf("%s/%d", way, copiers), func(b *testing.B) {
				d.transfers.maxCopiers = copiers
				b.SetBytes(int64(len(host)))
				for b.Loop() {
					if err := move(); err != nil {
						b.Fatal(err)
					}
					if err := d.Synchronize(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkDownload4B(b *testing.B) {
	d := benchDevice(b)
	buf, err := d.Alloc(4)
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 4)
	for b.Loop() {
		if err := buf.Download(dst, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall compares the two ways to call C that driver.BindField chooses from.
func BenchmarkCall(b *testing.B) {
	lib, err := driver.Search{Name: "libc.so.6", Names: []string{"libc.so.6"}, Folders: nil}.Load()
	if err != nil {
		b.Skip("no libc.so.6 on this system")
	}
	symbol, err := dl.Symbol(lib.Handle, "getppid")
	if err != nil {
		b.Fatal(err)
	}
	if os.Getppid() < 0 {
		b.Fatal("no parent")
	}
	b.Run("SyscallN", func(b *testing.B) {
		var f func(uintptr) driver.Code
		driver.BindField(&f, symbol)
		for b.Loop() {
			f(0)
		}
	})
	b.Run("RegisterFunc", func(b *testing.B) {
		var f func(unsafe.Pointer) driver.Code
		driver.BindField(&f, symbol)
		for b.Loop() {
			f(nil)
		}
	})
}
