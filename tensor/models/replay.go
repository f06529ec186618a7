package models

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// replay repeats a computation on a GPU whose launches never change; its inputs are in device memory. The first run
// launches the kernels one by one, which loads them. The second run is captured as a graph, and further runs replay
// that. Devices without graphs launch the kernels every time.
type replay struct {
	f     func() *tensor.Tensor
	runs  int // runs since the graph was dropped
	graph *rocm.Graph
	out   *tensor.Tensor // the memory that the graph writes
}

// forget drops the graph because the memory that it uses was replaced.
func (r *replay) forget() { r.runs, r.graph, r.out = 0, nil, nil }

// launches is the number of kernels in the graph, 0 without one.
func (r *replay) launches() int {
	if r.graph == nil {
		return 0
	}
	return r.graph.Launches()
}

// run returns the result of f, in memory that later runs do not change.
func (r *replay) run(dev *rocm.Device) *tensor.Tensor {
	r.runs++
	if r.runs == 2 {
		r.capture(dev)
	}
	if r.graph == nil {
		return r.f()
	}
	checkDriver("replay", r.graph.Replay())
	return r.out.Copy()
}

// capture tries to make the graph. If that fails, kernels are launched one by one, which shows any real error.
func (r *replay) capture(dev *rocm.Device) {
	var out *tensor.Tensor
	var graph *rocm.Graph
	_, err := tensor.Try(func() *tensor.Tensor {
		var err error
		graph, err = dev.CaptureAlone(func() { out = r.f() })
		checkDriver("capture", err)
		return out
	})
	if err == nil {
		r.graph, r.out = graph, out.Kept() // the capture may be in a scope
	}
}
