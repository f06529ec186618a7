package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b Backend) Rope(in, cos, sin backend.Operand, p kernels.Rope) (backend.Storage, error) {
	defer timed("rope", in.DType, sizeFor(in, in.DType), in, cos, sin)()
	if in.DType != kernels.F32 && in.DType != kernels.F64 {
		return b.viaF32(in.DType, false, []backend.Operand{in, cos, sin},
			func(ins []backend.Operand) (backend.Storage, error) { return b.Rope(ins[0], ins[1], ins[2], p) })
	}
	out := backend.Operand{Store: NewUninitialized(in.Layout.ElemCount() * in.DType.Size()), DType: in.DType,
		Layout: backend.Dense(in.Layout.Shape)}
	rotateAll(in, out, cos, sin, p)
	return out.Store, nil
}

func (b Backend) RopeSet(x, cos, sin backend.Operand, p kernels.Rope) error {
	if x.DType == kernels.F32 || x.DType == kernels.F64 {
		rotateAll(x, x, cos, sin, p)
		return nil
	}
	s, err := b.Rope(x, cos, sin, p)
	if err != nil {
		return err
	}
	defer s.(*Storage).free()
	return b.Copy(backend.Operand{Store: s, DType: x.DType, Layout: backend.Dense(x.Layout.Shape)}, x)
}

func rotateAll(in, out, cos, sin backend.Operand, p kernels.Rope) {
	if in.DType == kernels.F32 {
		rotatePairs[float32](in, out, cos, sin, p)
	} else {
		rotatePairs[float64](in, out, cos, sin, p)
	}
}

// rotatePairs rotates the pairs of in [batch heads positions size], or of the other order, and writes them to out,
// which may be in. Cosines and sines are dense.
func rotatePairs[T float32 | float64](in, out, cos, sin backend.Operand, p kernels.Rope) {
	half := int(p.Half)
	src, to, c, s := elems[T](in), elems[T](out), elems[T](cos), elems[T](sin)
	first, second := 1, half // strides from pair to pair, and from the first of a pair to the second
	if p.Interleaved != 0 {
		first, second = 2, 1
	}
	shape, from, at := in.Layout.Shape, in.Layout.Strides, out.Layout.Strides
	Parallel(int(p.Rows), 4*half, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			k, j, i := r%shape[2], r/shape[2]%shape[1], r/shape[2]/shape[1]
			x, y := src[i*from[0]+j*from[1]+k*from[2]:], to[i*at[0]+j*at[1]+k*at[2]:]
			angle := r/int(p.PerBatch)*int(p.BatchStep) + r/int(p.PerPosition)%int(p.Positions)*half
			for n := range half {
				a, b := x[n*first*from[3]], x[(n*first+second)*from[3]]
				cos, sin := c[angle+n], s[angle+n]
				y[n*first*at[3]] = T(a*cos) - T(b*sin) // each product is rounded, as on devices
				y[(n*first+second)*at[3]] = T(a*sin) + T(b*cos)
			}
		}
	})
}
