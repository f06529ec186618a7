package rocm_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gorocm/gorocm/rocm"
)

// A kernel of one's own, launched on memory of the device; in a program that has tensors, the arguments for pointers are
// tensors. An emulated GPU needs clang or hiprtc on the machine to compile it.
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
	d, err := rocm.Open("rocm")
	if err != nil {
		fmt.Println(err)
		return
	}
	bytes := make([]byte, 4*1000)
	for i := range 1000 {
		binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(float32(i)))
	}
	memory := make([]*rocm.Buffer, 2) // x and y, with the same elements
	for i := range memory {
		if memory[i], err = d.Alloc(len(bytes)); err != nil {
			fmt.Println(err)
			return
		}
		defer memory[i].Free()
		if err := memory[i].Upload(0, bytes); err != nil {
			fmt.Println(err)
			return
		}
	}
	x, y := memory[0], memory[1]
	if err := saxpy.Launch(1000, 2, x, y, 1000); err != nil { // 1000 threads in blocks of 256
		fmt.Println(err)
		return
	}
	if err := y.Download(bytes, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*999:]))) // 2997
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
