package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// hostRows measure the host's cost of a call, and transfers between host and device.
func hostRows() []row {
	return []row{
		{"add_16", f32, func(o operands) job {
			x, y := o.randn(16), o.randn(16)
			return one(0, 0, func() *tensor.Tensor { return x.Add(y) })
		}},
		{"launch", f32, launchRow},
		{"graph_add_16", f32, graphRow},
		{"upload", f32, func(o operands) job {
			return uploadRow(o,
				tensor.CPU().Ones(tensor.F32, moved))
		}},
		{"upload_pinned", f32, func(o operands) job {
			return uploadRow(o, tensor.CPU().Ones(tensor.F32, moved).PinMemory())
		}},
		{"download", f32, downloadRow},
		{"download_pinned", f32, func(o operands) job {
			x, to := o.randn(moved), tensor.CPU().Ones(tensor.F32, moved).PinMemory()
			return job{bytes: x.Bytes(), run: func() []*tensor.Tensor { to.CopySet(x); return nil }}
		}},
		{"download_new", f32, func(o operands) job {
			x := o.randn(moved)
			return one(x.Bytes(), 0, func() *tensor.Tensor { return x.ToDevice(tensor.CPU()) })
		}},
		{"memory", f32, memoryRow},
	}
}

const moved = 64 << 20 // elements of f32 in a transfer: 256 MiB

// graphRow replays a graph of 1000 additions, each of the sum before it.
func graphRow(o operands) job {
	const launches = 1000
	x, y := o.randn(16), o.randn(16)
	x.Add(y).Free() // loads the kernel
	dev := open(o.dev)
	graph, err := dev.Capture(func() {
		sum := x
		for range launches {
			sum = sum.Add(y)
		}
	})
	if err != nil {
		panic(err)
	}
	return job{count: launches, run: func() []*tensor.Tensor {
		if err := graph.Replay(); err != nil {
			panic(err)
		}
		return nil
	}}
}

// launchRow launches an empty kernel: the lower bound of an operation.
func launchRow(o operands) job {
	dev := open(o.dev)
	kernel, err := dev.Compile("nothing.hip", `extern "C" __global__ void nothing() {}`)
	if err != nil {
		panic(err)
	}
	f, err := kernel.Function("nothing")
	if err != nil {
		panic(err)
	}
	return job{run: func() []*tensor.Tensor {
		if err := dev.Launch(f, [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, nil); err != nil {
			panic(err)
		}
		return nil
	}}
}

// open returns the device below a tensor's.
func open(dev *tensor.Device) *rocm.Device {
	d, err := rocm.Open(dev.Location())
	if err != nil {
		panic(err)
	}
	return d
}

// uploadRow moves a tensor of the host's.
func uploadRow(o operands, x *tensor.Tensor) job {
	return one(x.Bytes(), 0, func() *tensor.Tensor { return x.ToDevice(o.dev) })
}

// downloadRow fills a slice of the caller's, in memory that nobody has pinned.
func downloadRow(o operands) job {
	x := o.randn(moved)
	buffer, offset := x.Buffer()
	to := make([]byte, x.Bytes())
	return job{bytes: x.Bytes(), run: func() []*tensor.Tensor {
		if err := buffer.Download(to, offset); err != nil {
			panic(err)
		}
		return nil
	}}
}

// memoryRow makes a million sums and leaves them to the collector: memory must not grow from the first tenth on.
func memoryRow(o operands) job {
	return job{facts: func() map[string]float64 {
		x, y := o.randn(16), o.randn(16)
		adds := func(n int) {
			for range n {
				x.Add(y).Buffer()
			}
			o.dev.Synchronize()
			runtime.GC()
		}
		adds(100_000)
		before, host := o.dev.Memory(), residentMB()
		adds(900_000)
		after := o.dev.Memory()
		return map[string]float64{
			"host_mb": host, "host_growth_mb": residentMB() - host,
			"device_mb": float64(before.Reserved) / 1e6, "device_growth_mb": float64(after.Reserved-before.Reserved) /
				1e6,
		}
	}}
}

// residentMB is how much memory of the host this process has, in megabytes; 0 where Linux does not say.
func residentMB() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return float64(resident) * float64(os.Getpagesize()) / 1e6
}
