package models

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// replay repeats a computation on a GPU whose launches are always the same; what differs lies in device memory. The first time they are launched one by one,
// which loads kernels; the second time they are captured as a graph, which the device replays from then on. Where it has no graphs they are launched every time.
type replay struct {
	f     func() *tensor.Tensor
	runs  int // since the graph was forgotten
	graph *rocm.Graph
	out   *tensor.Tensor // what the graph writes
}

// forget drops the graph, because memory that it uses is not used any more.
func (r *replay) forget() { r.runs, r.graph, r.out = 0, nil, nil }

// launches is the number of kernels in the graph, 0 without one.
func (r *replay) launches() int {
	if r.graph == nil {
		return 0
	}
	return r.graph.Launches()
}

// run returns what f returns, in memory that later runs leave alone.
func (r *replay) run(dev *rocm.Device) *tensor.Tensor {
	r.runs++
	if r.runs == 2 {
		r.capture(dev)
	}
	if r.graph == nil {
		return r.f()
	}
	if err := r.graph.Replay(); err != nil {
		panic(&tensor.Error{Op: "replay", Kind: tensor.ErrDriver, Message: err.Error(), Err: err})
	}
	return r.out.Copy()
}

// capture tries to make the graph. What fails in a capture is launched one by one, and fails there if it is wrong.
func (r *replay) capture(dev *rocm.Device) {
	var out *tensor.Tensor
	var graph *rocm.Graph
	_, err := tensor.Try(func() *tensor.Tensor {
		var err error
		if graph, err = dev.CaptureAlone(func() { out = r.f() }); err != nil {
			panic(&tensor.Error{Op: "capture", Kind: tensor.ErrDriver, Message: err.Error(), Err: err})
		}
		return out
	})
	if err == nil {
		r.graph, r.out = graph, out
	}
}
