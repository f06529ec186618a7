package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// MinLibraryWork is how many products, or elements of windows, there must be for the library: MIOpen compiles kernels when it first sees a shape, which
// takes seconds, and what is small takes microseconds either way.
var MinLibraryWork = 1 << 20

// hasLibrary reports whether there is a library for convolutions and pools of the dtype.
func (a *Backend) hasLibrary(dt kernels.DType) bool {
	return dt.IsFloat() && dt != kernels.F8E4M3 && a.DNN.HasDNN()
}

func (a *Backend) ConvolveByLibrary(c *rocm.Conv, x, y backend.Operand, shape []int) (out backend.Operand, ok bool, err error) {
	if c.Images*c.Outs*c.OH*c.OW*c.Channels/c.Groups*c.KH*c.KW < MinLibraryWork || !a.hasLibrary(x.DType) {
		return out, false, nil
	}
	return a.convolved(c, [2]backend.Operand{x, y}, shape)
}

func (a *Backend) PoolByLibrary(p *rocm.Pooling, in backend.Operand, shape []int) (out backend.Operand, ok bool, err error) {
	if p.Planes*p.OH*p.OW*p.KH*p.KW < MinLibraryWork || !a.hasLibrary(in.DType) {
		return out, false, nil
	}
	return a.byLibrary("pool", shape, []backend.Operand{in}, func(places []rocm.Place, to rocm.Place) (bool, error) {
		p.X, p.Y = places[0], to
		if p.Backward {
			p.X, p.Y = to, places[0]
		}
		return a.DNN.Pool(p)
	})
}

// byLibrary gives run dense operands and a place for the result. It reports false when run did nothing.
func (a *Backend) byLibrary(work string, shape []int, ins []backend.Operand, run func(places []rocm.Place, to rocm.Place) (bool, error)) (out backend.Operand, ok bool, err error) {
	var places []rocm.Place
	for _, x := range ins {
		if err := x.Store.Materialize(); err != nil {
			return out, false, err
		}
		if !x.Layout.IsContiguous() {
			d, err := a.makeDense(x)
			if err != nil {
				return out, false, err
			}
			defer d.Store.Release() // when the work is on the stream
			x = d
		}
		places = append(places, rocm.Place{Buffer: buffer(x.Store), Offset: x.Layout.Offset * x.DType.Size()})
	}
	dt := ins[0].DType
	s, err := a.Alloc(backend.Product(shape) * dt.Size())
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
	if a.OnLaunch != nil {
		a.OnLaunch(work + " " + dt.String())
	}
	return backend.Operand{Store: s, DType: dt, Layout: backend.Dense(shape)}, true, nil
}
