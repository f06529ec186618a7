package distributed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// bucketBytes is how large a bucket of gradients grows, unless one gradient alone is larger: that of PyTorch.
var bucketBytes = 25 << 20

// DataParallel trains one model in all processes of a group: each has a copy of the parameters and a part of the data,
// and the gradients are averaged before each step.
type DataParallel struct {
	group   *Group
	buckets []bucket       // in the order of their sums: the last parameters, whose gradients are first, come first
	bucket  map[uint64]int // of each parameter, by its ID
	beside  *beside        // nil in a group of one
}

// bucket is parameters of one dtype whose gradients are summed by one call.
type bucket struct {
	params  []*tensor.Tensor
	present *tensor.Tensor // ones: each parameter has a gradient
}

// NewDataParallel prepares the training of a model with these parameters, which are variables on the device of this
// process, given in the same order in all processes. They all get the elements that they have in rank 0. It panics with
// tensor.ErrShape in all processes when the parameters differ in number, shape or dtype, and in this one with
// ErrGradient, ErrDType or ErrDevice for a tensor that is not a variable, not of floats that AllReduce takes, or on
// another device.
func NewDataParallel(g *Group, params []*tensor.Tensor) *DataParallel {
	const op = "data parallel"
	g.checkParameters(op, params)
	d := &DataParallel{group: g, buckets: buckets(params), bucket: map[uint64]int{}}
	for i, b := range d.buckets {
		for _, p := range b.params {
			d.bucket[p.ID()] = i
		}
	}
	if g.Size() == 1 {
		return d
	}
	g.agree(op, params)
	d.beside = g.sideways(op)
	for _, b := range d.buckets {
		g.share(op, 0, b)
	}
	return d
}

// share copies the parameters of a bucket of one process to all others.
func (g *Group) share(op string, root int, b bucket) {
	tensor.Scoped(func() *tensor.Tensor {
		parts := make([]*tensor.Tensor, len(b.params))
		for i, p := range b.params {
			parts[i] = p.Detach().FlattenAll()
		}
		flat := tensor.Cat(parts, 0)
		g.send(op, root, []*tensor.Tensor{flat})
		if g.Rank() != root {
			b.split(flat, func(i int, part *tensor.Tensor) { b.params[i].Set(part) })
		}
		return nil
	})
}

// checkParameters panics unless each process of the group has one device, and the parameters are variables on it.
func (g *Group) checkParameters(op string, params []*tensor.Tensor) {
	if len(g.devices) != 1 {
		extend.Fail(op, tensor.ErrDevice, nil, "distributed.Join makes a group of processes; see gorocm launch",
			"the group has the %d devices %v in this process: each process trains on one", len(g.devices), g.devices)
	}
	for i, p := range params {
		checkParameter(op, g.devices[0], i, p)
	}
}

// checkParameter panics unless p is a variable whose gradients can be summed.
func checkParameter(op string, dev *tensor.Device, i int, p *tensor.Tensor) {
	switch {
	case p == nil:
		extend.Shape(op, nil, "parameter %d is nil", i)
	case !p.IsVariable():
		extend.Fail(op, tensor.ErrGradient, []*tensor.Tensor{p}, "tensor.NewVar makes one",
			"parameter %d is not a variable", i)
	case p.Device() != dev:
		extend.Fail(op, tensor.ErrDevice, []*tensor.Tensor{p}, "", "parameter %d is on %v, the group's member is %v", i,
			p.Device(), dev)
	case p.DType() == tensor.F8E4M3 || !p.DType().IsFloat():
		extend.DType(op, []*tensor.Tensor{p}, "parameter %d is of %v, of which there are no sums over a group", i,
			p.DType())
	}
}

// buckets gives the parameters to buckets: those of a dtype in the reverse of their order, up to bucketBytes.
func buckets(params []*tensor.Tensor) (list []bucket) {
	open, bytes := map[tensor.DType]int{}, map[tensor.DType]int{} // the last bucket of each dtype, and its size
	for _, p := range slices.Backward(params) {
		dt, size := p.DType(), p.ElemCount()*p.DType().Size()
		if _, ok := open[dt]; !ok || bytes[dt] > 0 && bytes[dt]+size > bucketBytes {
			open[dt], bytes[dt] = len(list), 0
			list = append(list, bucket{})
		}
		b := &list[open[dt]]
		b.params = append(b.params, p)
		bytes[dt] += size
	}
	for i, b := range list {
		list[i].present = b.params[0].Device().Ones(b.params[0].DType(), len(b.params))
	}
	return list
}

// split calls set with the part of each parameter in flat, and with its shape.
func (b bucket) split(flat *tensor.Tensor, set func(i int, part *tensor.Tensor)) {
	at := 0
	for i, p := range b.params {
		n := p.ElemCount()
		set(i, flat.Narrow(0, at, n).Reshape(p.Dims()...))
		at += n
	}
}

// agree panics unless all ranks have the same parameters.
func (g *Group) agree(op string, params []*tensor.Tensor) {
	var text strings.Builder
	for _, p := range params {
		fmt.Fprintln(&text, p.DType(), p.Dims())
	}
	texts := g.gatherText(text.String())
	for rank, text := range texts {
		if text == texts[0] {
			continue
		}
		first, other := slices.Collect(strings.Lines(texts[0])), slices.Collect(strings.Lines(text))
		for i := range min(len(first), len(other)) {
			if first[i] != other[i] {
				extend.Shape(op, nil, "parameter %d is %s in rank 0, %s in rank %d", i, strings.TrimSpace(first[i]),
					strings.TrimSpace(other[i]), rank)
			}
		}
		extend.Shape(op, nil, "%d parameters in rank 0, %d in rank %d", len(first), len(other), rank)
	}
}

// gatherText returns the text of each rank.
func (g *Group) gatherText(text string) []string {
	dev := g.devices[0]
	lengths := tensor.ToVec1[int64](g.AllGather(dev.New([]int64{int64(len(text))}))[0])
	longest := 0
	for _, n := range lengths {
		longest = max(longest, int(n))
	}
	padded := make([]uint8, longest)
	copy(padded, text)
	all := tensor.ToVec1[uint8](g.AllGather(dev.New(padded))[0])
	texts := make([]string, len(lengths))
	for rank, n := range lengths {
		texts[rank] = string(all[rank*longest:][:n])
	}
	return texts
}
