package rocm

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// Memory is a range of device memory with elements of one type: what a kernel takes for a pointer.
type Memory struct {
	Buffer *Buffer
	Offset int    // of the first element, in bytes
	Elem   string // the type of the elements: u8, u32, i16, i32, i64, bf16, f16, f32, f64 or f8e4m3
	Shape  []int
}

// Operand has device memory that can be passed to a kernel, as a tensor does. The error says why there is none.
type Operand interface {
	Memory() (Memory, error)
}

// Device returns the device that the kernel runs on when no argument is on one: the device that is open, or rocm:0.
func (k *Kernel) Device() (*Device, error) { return k.device(nil) }

// deviceOr returns d, or the result of Device for nil.
func (k *Kernel) deviceOr(d *Device) (*Device, error) {
	if d != nil {
		return d, nil
	}
	return k.Device()
}

// device is where the operands are, or the default device when there is none.
func (k *Kernel) device(args []any) (*Device, error) {
	if k.module != nil {
		return k.module.device, nil
	}
	for _, a := range args {
		switch a := a.(type) {
		case *Buffer:
			if a != nil {
				return a.device, nil
			}
		case Operand:
			if m, err := operandMemory(a); err == nil && m.Buffer != nil {
				return m.Buffer.device, nil
			}
		}
	}
	if list := openDevices(); len(list) > 0 {
		return list[0], nil
	}
	return Open("rocm")
}

// operandMemory returns an operand's memory. A nil pointer is an error.
func operandMemory(o Operand) (Memory, error) {
	if v := reflect.ValueOf(o); v.Kind() == reflect.Pointer && v.IsNil() {
		return Memory{}, fmt.Errorf("it is nil")
	}
	return o.Memory()
}

// pack converts the arguments of a launch to the types of the parameters. starts are where each begins in the packed
// bytes.
func (k *Kernel) pack(args []any) (packed *Args, starts []int, d *Device, err error) {
	if len(args) != len(k.params) {
		return nil, nil, nil, &Error{Op: "launch " + k.name, Kind: ErrInvalid,
			Text: fmt.Sprintf("%s; the launch has %s", plural(len(k.params), "parameter"),
				plural(len(args), "argument")), Detail: k.String()}
	}
	if d, err = k.device(args); err != nil {
		return nil, nil, nil, err
	}
	packed = NewArgs()
	limits := k.limitsOn(d)
	sizes := limits.sizes
	for i, a := range args {
		p := k.params[i]
		if len(limits.offsets) == len(args) {
			packed.padTo(limits.offsets[i])
		}
		packed.begin = -1
		err := packed.param(p, a, d)
		if err == nil && p.Elem == "" && !p.Pointer && p.Size == 0 && len(sizes) == len(args) &&
			structSize(a) != sizes[i] {
			err = fmt.Errorf("%s has %d bytes in the kernel, and %T has %d: the fields differ", p.Type, sizes[i], a,
				structSize(a))
		}
		if err != nil {
			name := p.Name
			if name != "" {
				name = ", " + name
			}
			return nil, nil, nil, &Error{Op: "launch " + k.name, Kind: ErrInvalid,
				Text: fmt.Sprintf("argument %d%s: %v", i+1, name, err), Detail: k.String()}
		}
		starts = append(starts, packed.begin)
	}
	return packed, starts, d, nil
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// param adds one argument.
func (a *Args) param(p Param, v any, d *Device) error {
	switch {
	case p.Pointer:
		return a.pointer(p, v, d)
	case p.Elem == "" && p.Size > 0:
		return a.sized(p, v, d)
	case p.Elem == "":
		return a.aggregate(p, v)
	case p.Lanes > 1:
		return a.vector(p, v, d)
	}
	bits, size, err := compile.ScalarBits(p.Elem, reflect.ValueOf(v))
	if err != nil {
		return fmt.Errorf("want %s, not %s: %w", p.Type, describeArg(v), err)
	}
	a.word(size, size, bits)
	return nil
}

func (a *Args) pointer(p Param, v any, d *Device) error {
	var m Memory
	switch v := v.(type) {
	case *Buffer:
		m = Memory{Buffer: v}
	case Operand:
		var err error
		if m, err = operandMemory(v); err != nil {
			return err
		}
	case nil:
		a.U64(0) // a null pointer, which the kernel may test for
		return nil
	default:
		return fmt.Errorf("want a tensor%s for %s, not %s", ofType(p), p, describeArg(v))
	}
	if m.Elem != "" && !compile.Fits(p.Elem, m.Elem) {
		if want := compile.TensorType(p.Elem); want != "" {
			note := "x.ToDType(tensor." + strings.ToUpper(want) + ") converts"
			if !p.Const {
				note = "y := " + note + ", and the kernel writes to y"
			}
			return fmt.Errorf("want a tensor of %s for %s, not %s%v; %s", want, p, m.Elem, m.Shape, note)
		}
		return fmt.Errorf("no tensor has elements of %s, and this one has %s%v", p.Type, m.Elem, m.Shape)
	}
	if m.Buffer != nil && m.Buffer.device != d {
		return fmt.Errorf("it is on %v, and others are on %v", m.Buffer.device, d)
	}
	before := a.err
	a.Buffer(m.Buffer, m.Offset)
	if before == nil && a.err != nil {
		err := a.err.(*Error)
		a.err = nil
		return fmt.Errorf("%s", err.Text)
	}
	return nil
}

// ofType names the tensors that a pointer takes.
func ofType(p Param) string {
	if want := compile.TensorType(p.Elem); want != "" {
		return " of " + want
	}
	return ""
}

// word adds the low size bytes of a number.
func (a *Args) word(size, align int, bits uint64) {
	a.align(align)
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], bits)
	a.data = append(a.data, b[:size]...) // hosts of GPUs are little-endian
}

// vector adds a float4 or its like, from an array or slice of as many numbers.
func (a *Args) vector(p Param, v any, d *Device) error {
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice && rv.Kind() != reflect.Array || rv.Len() != p.Lanes {
		return fmt.Errorf("want %d numbers for %s, as in [%d]float32{…}, not %s", p.Lanes, p.Type, p.Lanes,
			describeArg(v))
	}
	for i := range p.Lanes {
		bits, size, err := compile.ScalarBits(p.Elem, rv.Index(i))
		if err != nil {
			return fmt.Errorf("want %s, not %s: %w", p.Type, describeArg(v), err)
		}
		align := size
		if i == 0 && p.Lanes != 3 {
			align *= p.Lanes
			if d.info.Platform == CUDA {
				align = min(align, 16)
			}
		}
		a.word(size, align, bits)
	}
	return nil
}

// aggregate adds a struct.
func (a *Args) aggregate(p Param, v any) error {
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Struct {
		c := reflect.New(rv.Type())
		c.Elem().Set(rv)
		rv = c
	}
	if rv.Kind() != reflect.Pointer || rv.IsNil() || rv.Type().Elem().Kind() != reflect.Struct {
		return fmt.Errorf("want a Go struct with the fields of %s, not %s", p.Type, describeArg(v))
	}
	a.Struct(rv.Interface())
	if a.err != nil {
		err := a.err.(*Error)
		a.err = nil
		return fmt.Errorf("%s", err.Text)
	}
	return nil
}

// structSize is the size of a struct that is given by value or by a pointer.
func structSize(v any) int {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return int(t.Size())
}

// describeArg names an argument in an error.
func describeArg(v any) string {
	if v == nil {
		return "nil"
	}
	rv := reflect.ValueOf(v)
	if rv.CanInt() || rv.CanUint() || rv.CanFloat() || rv.Kind() == reflect.Bool {
		return fmt.Sprintf("%T(%v)", v, v)
	}
	return fmt.Sprintf("a %T", v)
}
