package distributed

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// beside has the sums of a group of processes on a stream of their own, beside the work of the device.
type beside struct {
	dev            *tensor.Device
	device, stream *rocm.Device
	group          *rocm.Group
}

// sideways returns the group on a stream of its own, which it makes once.
func (g *Group) sideways(op string) *beside {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.beside == nil {
		b := &beside{dev: g.devices[0], device: extend.Backend(g.devices[0]).(backend.GPU).Device()}
		var err error
		b.stream, err = b.device.NewStream()
		if err == nil {
			b.group, err = g.group.On(b.stream)
		}
		extend.Check(op, b.dev, err)
		g.beside = b
	}
	return g.beside
}

// reduce replaces the elements of t, which nothing else may use before wait, by their sums over the group.
func (b *beside) reduce(t *tensor.Tensor) {
	const op = "all reduce"
	at := []rocm.Place{placeOf(op, t)}
	extend.Check(op, b.dev, b.stream.WaitStream(b.device))
	extend.Check(op, b.dev, b.group.AllReduce(rocm.Sum, t.DType().String(), t.ElemCount(), at, at))
}

// wait orders what the device does from now on after the sums. The call itself does not wait.
func (b *beside) wait() { extend.Check("all reduce", b.dev, b.device.WaitStream(b.stream)) }
