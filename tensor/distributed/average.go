package distributed

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Backward returns the gradients of a loss, averaged over the group: see Average. The gradients of a bucket are summed
// as soon as Backward has computed them, beside the rest of it. If the loss is the mean over this process's part of a
// batch, and the parts have one size, the gradients are those of the mean over the whole batch, but for rounding.
func (d *DataParallel) Backward(loss *tensor.Tensor) *tensor.GradStore {
	if d.group.Size() == 1 {
		return loss.Backward()
	}
	a := d.averaging()
	defer a.beside.wait() // also when Backward panics: until then no sum may be freed
	grads := extend.Backward(loss, a.ready)
	a.finish(grads)
	return grads
}

// Average replaces the gradients of the parameters by their means over the group: all processes call it, or Backward,
// and get the same bits. A parameter that has no gradient in some processes counts as zeros there; one that has none in
// any is left without. There is one AllReduce for each bucket: parameters of one dtype, with gradients of 25 MiB
// together.
func (d *DataParallel) Average(grads *tensor.GradStore) {
	if d.group.Size() > 1 {
		d.averaging().finish(grads)
	}
}

// averaging is an exchange of gradients under way. Buckets are summed in their order, which is the same in all
// processes, whichever is complete first.
type averaging struct {
	*DataParallel
	missing []int                     // gradients of each bucket that are not there yet
	grads   map[uint64]*tensor.Tensor // those that are, by parameter, of buckets that are not summed yet
	sums    []sum                     // of the first buckets
}

// sum is what AllReduce makes, beside other work, of the gradients of a bucket.
type sum struct {
	flat    *tensor.Tensor // the gradients; then, for each parameter, the share of processes that have one
	missing bool           // some have none in this process
}

func (d *DataParallel) averaging() *averaging {
	a := &averaging{DataParallel: d, grads: map[uint64]*tensor.Tensor{}}
	for _, b := range d.buckets {
		a.missing = append(a.missing, len(b.params))
	}
	return a
}

// ready takes a gradient that is complete, and begins the sums of all buckets that now are.
func (a *averaging) ready(id uint64, grad *tensor.Tensor) {
	i, ok := a.bucket[id]
	if !ok {
		return
	}
	a.grads[id] = grad
	a.missing[i]--
	for n := len(a.sums); n < len(a.buckets) && a.missing[n] == 0; n++ {
		a.begin(func(p *tensor.Tensor) *tensor.Tensor { return a.grads[p.ID()] })
	}
}

// begin begins the sum of the next bucket.
func (a *averaging) begin(gradient func(p *tensor.Tensor) *tensor.Tensor) {
	b := a.buckets[len(a.sums)]
	var s sum
	present := make([]float64, len(b.params))
	var parts []*tensor.Tensor // gradients first: as a rule they then begin where kernels read 16 bytes at once
	for i, p := range b.params {
		g := gradient(p)
		if present[i] = 1; g == nil {
			present[i], s.missing, g = 0, true, p.Detach().ZerosLike()
		}
		parts = append(parts, g.FlattenAll())
		delete(a.grads, p.ID())
	}
	if s.missing {
		parts = append(parts, b.present.Device().New(present).ToDType(b.present.DType()))
	} else {
		parts = append(parts, b.present)
	}
	// The means are computed before the sum: that of F16 might overflow.
	s.flat = tensor.Scoped(func() *tensor.Tensor { return tensor.Cat(parts, 0).Div(a.group.Size()) })
	a.sums = append(a.sums, s)
	a.group.reductions.Add(1)
	a.beside.reduce(s.flat)
}

// finish begins the sums that are left, with zeros where grads has no gradient, and puts the means into grads.
func (a *averaging) finish(grads *tensor.GradStore) {
	for len(a.sums) < len(a.buckets) {
		a.begin(grads.Get)
	}
	a.beside.wait()
	for i, s := range a.sums {
		b := a.buckets[i]
		n := s.flat.ElemCount() - len(b.params)
		present := s.flat.Narrow(0, n, len(b.params))
		var counts []float64
		if s.missing {
			counts = present.Float64s()
		}
		b.split(s.flat.Narrow(0, 0, n), func(i int, mean *tensor.Tensor) {
			if counts == nil || counts[i] != 0 {
				grads.Insert(b.params[i], mean)
			}
		})
		extend.OwnGradients(grads, s.flat)
	}
}
