package rocm_test

import (
	"fmt"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// A kernel of one's own, launched on tensors. An emulated GPU needs clang or hiprtc on the machine to compile it.
func ExampleCompile() {
	saxpy, err := rocm.Compile("saxpy", `
		__global__ void saxpy(float a, const float *x, float *y, unsigned n) {
			unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
			if (i < n) y[i] += a * x[i];
		}`)
	if err != nil {
		fmt.Println(err) // the compiler's messages, with lines
		return
	}
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		fmt.Println(err)
		return
	}
	x := dev.Arange(tensor.F32, 1000)
	y := dev.Ones(tensor.F32, 1000)
	if err := saxpy.Launch(1000, 2, x, y, 1000); err != nil { // 1000 threads in blocks of 256
		fmt.Println(err)
		return
	}
	fmt.Println(y.Get(-1).ToScalar()) // 1999
}

// Memory and launches below tensors: what package tensor itself is made of.
func ExampleDevice_Launch() {
	d, err := rocm.Open("rocm")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := d.Compile("twice.hip", `extern "C" __global__ void twice(unsigned char *x, unsigned n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }`)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := m.Function("twice")
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := d.Alloc(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Free()
	bytes := []byte{1, 2, 3}
	if err := b.Upload(0, bytes); err != nil {
		fmt.Println(err)
		return
	}
	if err := d.Launch(f, [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, rocm.NewArgs().Buffer(b, 0).U32(3)); err != nil {
		fmt.Println(err)
		return
	}
	if err := b.Download(bytes, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes) // [2 4 6]
}
