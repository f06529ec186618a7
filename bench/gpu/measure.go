package main

import (
	"time"

	"github.com/gorocm/gorocm/tensor"
)

// job is an operation with its operands.
type job struct {
	// enqueues the operation, or does it; its results are freed at once, as Python frees what has no name
	run          func() []*tensor.Tensor
	bytes, flops int
	count        int // operations that run does, where it is not one
	facts        func() map[string]float64
}

// one is a job of one result.
func one(bytes, flops int, f func() *tensor.Tensor) job {
	results := make([]*tensor.Tensor, 1)
	return job{bytes: bytes, flops: flops, run: func() []*tensor.Tensor { results[0] = f(); return results }}
}

const (
	sampleTime   = 3 * time.Millisecond // that a sample takes at least
	samplesATurn = 3
)

// once runs the operation and frees its results. A result that nobody has looked at might not be computed: its memory
// is asked for. Views are of memory that is there.
func (j *job) once() {
	for _, t := range j.run() {
		if !t.Device().IsCPU() && t.IsContiguous() {
			t.Buffer()
		}
		t.Free()
	}
}

// elapsed runs the operation n times, with one wait for the device at the end: launches are asynchronous.
func (j *job) elapsed(dev *tensor.Device, n int) time.Duration {
	start := time.Now()
	for range n {
		j.once()
	}
	dev.Synchronize()
	return time.Since(start)
}

// samples returns the microseconds of an operation in each of some measurements.
func (j *job) samples(dev *tensor.Device) []float64 {
	j.elapsed(dev, 3) // kernels are compiled, memory is there
	n := 1
	for took := j.elapsed(dev, n); took < sampleTime; took = j.elapsed(dev, n) {
		n = max(2*n, int(float64(n)*1.2*float64(sampleTime)/float64(max(took, time.Microsecond))))
	}
	list := make([]float64, samplesATurn)
	for i := range list {
		list[i] = float64(j.elapsed(dev, n).Nanoseconds()) / 1e3 / float64(n*max(1, j.count))
	}
	return list
}
