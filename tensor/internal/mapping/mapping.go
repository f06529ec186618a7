// Package mapping computes functions over elements: tensor.Map. It knows tensors as operands of backends.
//
//	mapping.go  what a function takes and returns, and the errors
//	host.go     the loops on the host: by machine code, by a compiled function, or by an interpreted one
//	direct.go   compiled functions that are called without package reflect
//	device.go   on GPUs; the host computes the element for which the function panics once more
package mapping

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
)

func refuse(note, format string, args ...any) error {
	return &govalue.Error{Message: fmt.Sprintf(format, args...), Note: note}
}

// Mapping is a function over elements.
type Mapping struct {
	f   *element.Function
	in  []kernels.DType
	out kernels.DType
}

// New takes a function, or what a session has made of one, for inputs of the given types.
func New(f any, inputs []kernels.DType) (*Mapping, error) {
	m := &Mapping{}
	if e, ok := f.(*element.Function); ok {
		m.f = e
	} else {
		m.f = &element.Function{Func: reflect.ValueOf(f)}
	}
	v := m.f.Func
	if v.Kind() != reflect.Func {
		return nil, refuse("write a function, as in tensor.Map(func(x float32) float32 { return x * x }, x)",
			"want a function of numbers, not a value of type %T", f)
	}
	if v.IsNil() {
		return nil, refuse("", "the function is nil")
	}
	if err := m.signature(v.Type()); err != nil {
		return nil, err
	}
	return m, m.check(inputs)
}

// signature finds the types of parameters and result.
func (m *Mapping) signature(t reflect.Type) error {
	const note = "functions over elements take and return numbers and bools: float32, float64, int32, bool, …"
	if t.IsVariadic() || t.NumIn() == 0 {
		return refuse(note, "the function has no list of parameters, one for each input: it is a %v", t)
	}
	if t.NumIn() > element.MaxInputs {
		return refuse("", "the function has %d parameters; at most %d are possible", t.NumIn(), element.MaxInputs)
	}
	if t.NumOut() != 1 {
		return refuse("call Map once for each result", "the function has %d results, and a tensor is made of one", t.NumOut())
	}
	for i := range t.NumIn() {
		dt, ok := dtypeOf(t.In(i))
		if !ok {
			return refuse(note, "parameter %d of the function has type %v", i+1, t.In(i))
		}
		m.in = append(m.in, dt)
	}
	out, ok := dtypeOf(t.Out(0))
	if !ok {
		return refuse(note, "the result of the function has type %v", t.Out(0))
	}
	m.out = out
	return nil
}

var dtypes = map[reflect.Kind]kernels.DType{reflect.Bool: kernels.Bool, reflect.Uint8: kernels.U8,
	reflect.Int8: kernels.I8, reflect.Uint16: kernels.U16, reflect.Int16: kernels.I16, reflect.Uint32: kernels.U32,
	reflect.Int32: kernels.I32, reflect.Uint64: kernels.U64, reflect.Int64: kernels.I64, reflect.Uint: kernels.U64,
	reflect.Int: kernels.I64, reflect.Float32: kernels.F32, reflect.Float64: kernels.F64}

// dtypeOf is the type of elements that a type of Go is.
func dtypeOf(t reflect.Type) (kernels.DType, bool) {
	dt, ok := dtypes[t.Kind()]
	return dt, ok
}

// Out is the type of the result.
func (m *Mapping) Out() kernels.DType { return m.out }

// check compares inputs with the parameters.
func (m *Mapping) check(inputs []kernels.DType) error {
	if len(inputs) != len(m.in) {
		return refuse("", "want an input for each parameter of the function, %d, not %d", len(m.in), len(inputs))
	}
	for i, dt := range inputs {
		if dt == m.in[i] {
			continue
		}
		name := dt.String()
		for kind, known := range dtypes {
			if known == dt && kind != reflect.Int && kind != reflect.Uint {
				name = kind.String()
			}
		}
		note := fmt.Sprintf("x.ToDType(tensor.%s) converts the input", strings.ToUpper(m.in[i].String()))
		if m.in[i] == kernels.Bool {
			note = "x.Ne(0) makes an input of bools"
		}
		if name != dt.String() || dt == kernels.Bool {
			note += fmt.Sprintf("; a parameter of type %s takes it as it is", name)
		}
		return refuse(note, "parameter %d of the function has type %v, for elements of %v, and input %d is %v", i+1,
			m.f.Func.Type().In(i), m.in[i], i+1, dt)
	}
	return nil
}

// Run computes the function on a backend, for inputs of one shape, in memory, of any layout. It panics as the function
// does, for the first element that it panics for.
func (m *Mapping) Run(b backend.Backend, shape []int, ins []backend.Operand) (backend.Storage, error) {
	if d, ok := b.(Device); ok {
		return m.onDevice(d, shape, ins)
	}
	s, err := b.Alloc(backend.Product(shape) * m.out.Size())
	if err == nil {
		m.onHost(s.(backend.HostMemory).HostBytes(), shape, ins)
	}
	return s, err
}
