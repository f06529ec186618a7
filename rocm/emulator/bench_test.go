package emulator

import (
	"fmt"
	"testing"
)

// bench runs a kernel and reports what a core of the host executes: lane instructions a second.
func bench(b *testing.B, bytes int64, name string, grid [3]uint32, args func(d *device) []byte) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			d := newDevice(b, "kernels", workers)
			k, err := d.m.Kernel(name)
			if err != nil {
				b.Fatal(err)
			}
			a := args(d)
			b.SetBytes(bytes)
			start := d.executed.Load()
			for b.Loop() {
				if err := d.Launch(k, grid, [3]uint32{256, 1, 1}, 0, a); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(d.executed.Load()-start)*waveSize/b.Elapsed().Seconds()/1e9, "Glane-inst/s")
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	const n = 1 << 20
	bench(b, 12*n, "add_f32", [3]uint32{n / 256, 1, 1}, func(d *device) []byte {
		in := put(d, randomFloats(n))
		return pack(in, in, put(d, make([]float32, n)), int32(n))
	})
}

func BenchmarkExp(b *testing.B) {
	const n = 1 << 18
	bench(b, 8*n, "exp_f32", [3]uint32{n / 256, 1, 1}, func(d *device) []byte {
		return pack(put(d, randomFloats(n)), put(d, make([]float32, n)), int32(n))
	})
}

func BenchmarkMatMul(b *testing.B) {
	const n = 256
	bench(b, 2*n*n*n, "matmul_f32", [3]uint32{n / 64, n / 64, 1}, func(d *device) []byte {
		in := put(d, randomFloats(n*n))
		return pack(in, in, put(d, make([]float32, n*n)), int32(n), int32(n), int32(n))
	})
}

func BenchmarkSum(b *testing.B) {
	const rows, cols = 64, 1 << 14
	bench(b, 4*rows*cols, "sum_f32", [3]uint32{rows, 1, 1}, func(d *device) []byte {
		return pack(put(d, randomFloats(rows*cols)), put(d, make([]float32, rows)), int32(cols))
	})
}

// BenchmarkLaunch is what a launch costs besides its work: one block of one wave.
func BenchmarkLaunch(b *testing.B) {
	d := newDevice(b, "kernels", 2)
	k, err := d.m.Kernel("globals")
	if err != nil {
		b.Fatal(err)
	}
	args := pack(put(d, make([]float32, 64)))
	for b.Loop() {
		if err := d.Launch(k, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, args); err != nil {
			b.Fatal(err)
		}
	}
}
