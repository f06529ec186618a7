package tensor

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
