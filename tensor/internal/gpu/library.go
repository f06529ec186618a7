package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// MinLibraryWork is how many products, or elements of windows, justify the library. MIOpen takes seconds to compile
// kernels when it first sees a shape, and smaller work takes microseconds either way.
var MinLibraryWork = 1 << 20

// hasLibrary reports whether there is a library for convolutions and pools of the dtype.
func hasLibrary(b *Backend, dt kernels.DType) bool {
	return dt.IsFloat() && dt != kernels.F8E4M3 && b.DNN.HasDNN()
}

func (b *Backend) ConvolveByLibrary(
	c *rocm.Conv, x, y backend.Operand, shape []int,
) (out backend.Operand, ok bool, err error) {
	if c.Images*c.Outs*c.OH*c.OW*c.Channels/c.Groups*c.KH*c.KW < MinLibraryWork || !hasLibrary(b, x.DType) {
		return out, false, nil
	}
	return convolved(b, c, [2]backend.Operand{x, y}, shape)
}

func (b *Backend) PoolByLibrary(
	p kernels.Pool, in backend.Operand, shape []int,
) (out backend.Operand, ok bool, err error) {
	if !p.Plain() || int(p.Planes*p.OH*p.OW*p.KH*p.KW) < MinLibraryWork || !hasLibrary(b, in.DType) {
		return out, false, nil
	}
	l := &rocm.Pooling{
		Elem: in.DType.String(), Planes: int(p.Planes), H: int(p.H), W: int(p.W), OH: int(p.OH), OW: int(p.OW),
		KH: int(p.KH), KW: int(p.KW), SH: int(p.SH), SW: int(p.SW),
	}
	return byLibrary(b, "pool", shape, []backend.Operand{in}, func(places []rocm.Place, to rocm.Place) (bool, error) {
		l.X, l.Y = places[0], to
		return b.DNN.Pool(l)
	})
}

// byLibrary calls run with the memory of the operands, made dense, and of a new result. It reports false if run did
// nothing.
func byLibrary(
	b *Backend, work string, shape []int, ins []backend.Operand,
	run func(places []rocm.Place, to rocm.Place) (bool, error),
) (out backend.Operand, ok bool, err error) {
	var places []rocm.Place
	for _, x := range ins {
		if err := x.Store.Materialize(); err != nil {
			return out, false, err
		}
		if !x.Layout.IsContiguous() {
			d, err := b.makeDense(x)
			if err != nil {
				return out, false, err
			}
			defer d.Store.Release() // the stream keeps its order: released memory is not reused before the work is done
			x = d
		}
		places = append(places, rocm.Place{Buffer: buffer(x.Store), Offset: x.Layout.Offset * x.DType.Size()})
	}
	dt := ins[0].DType
	s, err := b.Alloc(backend.Product(shape) * dt.Size())
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
	if b.OnLaunch != nil {
		b.OnLaunch(work + " " + dt.String())
	}
	return backend.Operand{Store: s, DType: dt, Layout: backend.Dense(shape)}, true, nil
}
