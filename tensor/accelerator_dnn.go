package tensor

import (
	"github.com/gorocm/gorocm/rocm"
)

// leastLibraryWork is how many products, or elements of windows, there must be for the library: MIOpen compiles kernels when it first sees a shape, which
// takes seconds, and what is small takes microseconds either way.
var leastLibraryWork = 1 << 20

// hasLibrary reports whether there is a library for convolutions and pools of the dtype.
func (a *accelerator) hasLibrary(dt DType) bool {
	return dt.IsFloat() && dt != F8E4M3 && a.dnn.HasDNN()
}

func (a *accelerator) convolveByLibrary(c *rocm.Conv, x, y operand, shape []int) (out operand, ok bool, err error) {
	if c.Images*c.Outs*c.OH*c.OW*c.Channels/c.Groups*c.KH*c.KW < leastLibraryWork || !a.hasLibrary(x.dtype) {
		return out, false, nil
	}
	return a.convolved(c, [2]operand{x, y}, shape)
}

func (a *accelerator) poolByLibrary(p *rocm.Pooling, in operand, shape []int) (out operand, ok bool, err error) {
	if p.Planes*p.OH*p.OW*p.KH*p.KW < leastLibraryWork || !a.hasLibrary(in.dtype) {
		return out, false, nil
	}
	return a.byLibrary("pool", shape, []operand{in}, func(places []rocm.Place, to rocm.Place) (bool, error) {
		p.X, p.Y = places[0], to
		if p.Backward {
			p.X, p.Y = to, places[0]
		}
		return a.dnn.Pool(p)
	})
}

// byLibrary gives run dense operands and a place for the result. It reports false when run did nothing.
func (a *accelerator) byLibrary(work string, shape []int, ins []operand, run func(places []rocm.Place, to rocm.Place) (bool, error)) (out operand, ok bool, err error) {
	var places []rocm.Place
	for _, x := range ins {
		if err := x.store.ready(); err != nil {
			return out, false, err
		}
		if !x.layout.IsContiguous() {
			d, err := a.densed(x)
			if err != nil {
				return out, false, err
			}
			defer d.store.release() // when the work is on the stream
			x = d
		}
		places = append(places, rocm.Place{Buffer: buffer(x.store), Offset: x.layout.Offset * x.dtype.Size()})
	}
	dt := ins[0].dtype
	s, err := a.alloc(product(shape) * dt.Size())
	if err != nil {
		return out, false, err
	}
	done, err := run(places, rocm.Place{Buffer: buffer(s)})
	if err != nil {
		return out, false, err
	}
	if !done {
		buffer(s).Free()
		return out, false, nil
	}
	if a.launched != nil {
		a.launched(work + " " + dt.String())
	}
	return operand{s, dt, denseLayout(shape)}, true, nil
}
