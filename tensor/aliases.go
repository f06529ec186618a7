package tensor

// What Candle has under names of its own.

// BroadcastMatMul is MatMul, which broadcasts batch dims, under Candle's name.
func (t *Tensor) BroadcastMatMul(b *Tensor) *Tensor { return must(t.matmul("broadcast matmul", b)) }

// Interpolate1d is UpsampleNearest1d, under another of Candle's names.
func (t *Tensor) Interpolate1d(size int) *Tensor { return must(t.upsampleNearest1d(size)) }

// Interpolate2d is UpsampleNearest2d, under another of Candle's names.
func (t *Tensor) Interpolate2d(h, w int) *Tensor { return must(t.upsampleNearest2d(h, w)) }

// Module is a layer or a model: a function from one tensor to another.
type Module interface {
	Forward(x *Tensor) *Tensor
}

// ModuleT is a Module that behaves differently in training, such as one with dropout.
type ModuleT interface {
	ForwardT(x *Tensor, train bool) *Tensor
}

// Func is a function as a Module.
type Func func(x *Tensor) *Tensor

// Forward calls the function.
func (f Func) Forward(x *Tensor) *Tensor { return f(x) }

// Apply returns m.Forward(t), so that layers can be part of a chain of methods.
func (t *Tensor) Apply(m Module) *Tensor { return m.Forward(t) }

// ApplyT returns m.ForwardT(t, train).
func (t *Tensor) ApplyT(m ModuleT, train bool) *Tensor { return m.ForwardT(t, train) }

// FromIter returns a tensor of rank 1 of the numbers that seq yields, an iter.Seq[float64] such as slices.Values gives.
// It panics with ErrDType when the dtype cannot hold one of them.
func FromIter(seq func(yield func(float64) bool), dtype DType, dev *Device) *Tensor {
	const op = "from iter"
	check(checkNew(op, nil, dtype, dev))
	var values []float64
	for v := range seq {
		_, err := number(op, v, dtype)
		check(err)
		values = append(values, v)
	}
	if values == nil {
		return must(empty(op, []int{0}, dtype, dev))
	}
	t := must(fromGo(op, values, []int{len(values)}, CPU()))
	return must(must(t.toDType(op, dtype)).toDevice(op, dev))
}
