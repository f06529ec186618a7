package onnx

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
	"github.com/gorocm/gorocm/tensor/limits"
)

// The opsets of the default domain that models may use.
const (
	minOpset = 6
	maxOpset = 28
)

// Info is an input or output of a model.
type Info struct {
	Name  string
	DType tensor.DType
	Shape []Dim // nil if the model does not say it: see Ranked
	// Ranked reports whether the model says the shape.
	Ranked bool
}

// String returns the name, the dtype and the shape, as in "x f32 [batch, 3, 224, 224]".
func (i Info) String() string { return i.Name + " " + i.DType.String() + " " + i.shape() }

func (i Info) shape() string {
	if !i.Ranked {
		return "of any shape"
	}
	dims := make([]string, len(i.Shape))
	for k, d := range i.Shape {
		dims[k] = d.String()
	}
	return "[" + strings.Join(dims, ", ") + "]"
}

// Model is a graph that was read from a file. It computes results and no gradients. Several goroutines may run it at
// once.
type Model struct {
	Name     string            // of the graph
	Producer string            // the program that wrote it
	Opsets   map[string]int    // versions of the operators by their domain; the default one is ""
	Metadata map[string]string // what the producer has noted

	dev             *tensor.Device
	program         *program
	inputs, outputs []Info
	ops             map[string]int
	params          int
}

// Open reads an ONNX model onto a device. External data are read from the model's folder; files outside of it are
// refused. The error lists all operators of the model that are not supported.
func Open(path string, dev *tensor.Device) (*Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(limits.ONNXBytes.Value())+1))
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	from, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	defer from.close()
	m, err := load(data, dev, from)
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", path, err)
	}
	return m, nil
}

// Read is Open for a model in a stream, which has no external data.
func Read(r io.Reader, dev *tensor.Device) (*Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limits.ONNXBytes.Value())+1))
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	m, err := load(data, dev, nil)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return m, nil
}

// load reads a model, whose inputs and outputs are tensors.
func load(data []byte, dev *tensor.Device, from *folder) (*Model, error) {
	if len(data) > limits.ONNXBytes.Value() {
		return nil, limits.ONNXBytes.Reached("the model is longer")
	}
	proto, err := parseModel(data)
	if err != nil {
		return nil, err
	}
	m, err := compile(proto, dev, from)
	if err != nil {
		return nil, err
	}
	if m.inputs, err = infos(proto.graph.inputs, proto.graph, "input"); err != nil {
		return nil, err
	}
	m.outputs, err = infos(proto.graph.outputs, nil, "output")
	return m, err
}

// compile makes the program of a model.
func compile(proto *modelProto, dev *tensor.Device, from *folder) (*Model, error) {
	c := &compiler{dev: dev, proto: proto, folder: from, functions: map[string]*functionProto{},
		lacking: map[string]int{}, ops: map[string]int{}}
	c.fold = &run{dev: dev, folding: true, memory: memory{map[backend.Storage]int{}}}
	for _, fn := range proto.functions {
		c.functions[functionKey(fn.domain, fn.name, fn.overload)] = fn
	}
	p, err := c.builder(nil, proto.opsets, 0).graph(proto.graph)
	if err != nil {
		return nil, err
	}
	if len(c.lacking) > 0 {
		return nil, lackingError(c.lacking)
	}
	return &Model{Name: proto.graph.name, Producer: proto.producer, Opsets: proto.opsets, Metadata: proto.metadata,
		dev: dev, program: p, ops: c.ops, params: c.params}, nil
}

func lackingError(lacking map[string]int) error {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(lacking)) {
		list = append(list, fmt.Sprintf("%s, %s", name, plural(lacking[name], "node")))
	}
	return fmt.Errorf("the model uses %s not supported: %s (operators of opset %d to %d are, see docs/onnx.md)",
		map[bool]string{true: "an operator that is", false: "operators that are"}[len(list) == 1],
		strings.Join(list, "; "), minOpset, maxOpset)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// infos describes values that are tensors. Those with an initializer are no inputs.
func infos(list []*valueProto, g *graphProto, what string) ([]Info, error) {
	var out []Info
	for _, v := range list {
		if g != nil && slices.ContainsFunc(g.initializers, func(t *tensorProto) bool { return t.name == v.name }) {
			continue
		}
		if v.typ.kind != tensorType {
			return nil, fmt.Errorf("the %s %q is not a tensor: sequences, optional values and maps are supported within a "+
				"model only", what, v.name)
		}
		dt, err := v.typ.elem.dtype()
		if err != nil {
			return nil, fmt.Errorf("the %s %q: %w", what, v.name, err)
		}
		out = append(out, Info{Name: v.name, DType: dt, Shape: v.typ.dims, Ranked: v.typ.known})
	}
	return out, nil
}

// Device returns where the model computes.
func (m *Model) Device() *tensor.Device { return m.dev }

// Inputs returns what Run needs, in the order of Call.
func (m *Model) Inputs() []Info { return slices.Clone(m.inputs) }

// Outputs returns what Run gives, in the order of Call.
func (m *Model) Outputs() []Info { return slices.Clone(m.outputs) }

// Run computes the outputs of a model, by name, from all of its inputs, which may be on another device. It panics with
// ErrValue for inputs that are missing or unknown, with ErrDType and ErrShape for those that are not as Inputs says,
// and with the error of an operation, which says at which node it was.
func (m *Model) Run(inputs map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	list := make([]*tensor.Tensor, len(m.inputs))
	for name := range inputs {
		if !slices.ContainsFunc(m.inputs, func(i Info) bool { return i.Name == name }) {
			extend.Fail("onnx", tensor.ErrValue, nil, "", "there is no input %q: there are %v", name, m.names())
		}
	}
	for i, info := range m.inputs {
		if list[i] = inputs[info.Name]; list[i] == nil {
			extend.Fail("onnx", tensor.ErrValue, nil, "", "the input %v is missing", info)
		}
	}
	out := map[string]*tensor.Tensor{}
	for i, t := range m.Call(list...) {
		out[m.outputs[i].Name] = t
	}
	return out
}

func (m *Model) names() []string {
	names := make([]string, len(m.inputs))
	for i, info := range m.inputs {
		names[i] = info.Name
	}
	return names
}

// Forward is Run for a model with one input, and returns its first output. It makes a Model a tensor.Module.
func (m *Model) Forward(x *tensor.Tensor) *tensor.Tensor { return m.Call(x)[0] }

// Call is Run with inputs and outputs in the order of Inputs and Outputs.
func (m *Model) Call(inputs ...*tensor.Tensor) []*tensor.Tensor {
	if len(inputs) != len(m.inputs) {
		extend.Fail("onnx", tensor.ErrValue, inputs, "", "there are %s for a model with %s",
			plural(len(inputs), "tensor"), plural(len(m.inputs), "input"))
	}
	sizes := map[string]int{}
	values := make([]*value, len(inputs))
	for i, t := range inputs {
		m.inputs[i].check(t, sizes)
		values[i] = valueOf(t)
		if t.Device() != m.dev && !(t.Device().IsCPU() && small(t)) {
			values[i] = valueOf(t.ToDevice(m.dev))
		}
	}
	results, err := m.execute(values)
	if err != nil {
		var e *tensor.Error
		if !errors.As(err, &e) {
			e = &tensor.Error{Op: "onnx", Kind: tensor.ErrValue, Message: err.Error(), Err: err}
		}
		panic(e)
	}
	out := make([]*tensor.Tensor, len(results))
	for i, v := range results {
		if v == nil || v.sequence {
			extend.Fail("onnx", tensor.ErrValue, nil, "", "the output %q is not a tensor", m.outputs[i].Name)
		}
		out[i] = v.on(m.dev)
	}
	return out
}

// goName is a dtype as Go code writes it.
func goName(dt tensor.DType) string {
	if dt == tensor.Bool {
		return "Bool"
	}
	return strings.ToUpper(dt.String())
}

// check panics unless a tensor is as an input says. Dims of one name have one size.
func (i Info) check(t *tensor.Tensor, sizes map[string]int) {
	if t == nil {
		extend.Fail("onnx", tensor.ErrValue, nil, "", "the input %v is nil", i)
	}
	ts := []*tensor.Tensor{t}
	if t.DType() != i.DType {
		note := fmt.Sprintf("x.ToDType(tensor.%s) converts it", goName(i.DType))
		extend.Fail("onnx", tensor.ErrDType, ts, note, "the input %v is of %v", i, t.DType())
	}
	shape := t.Dims()
	fits := !i.Ranked || len(shape) == len(i.Shape)
	for k := 0; fits && i.Ranked && k < len(shape); k++ {
		want := i.Shape[k].Size
		if name := i.Shape[k].Name; name != "" {
			if n, ok := sizes[name]; ok {
				want = n
			}
			sizes[name] = shape[k]
		}
		fits = want < 0 || want == shape[k]
	}
	if !fits {
		extend.Fail("onnx", tensor.ErrShape, ts, "", "the input %v has the shape %s", i, shapeText(shape))
	}
}

// execute runs the program. The results share no memory with the inputs, the model, or each other.
func (m *Model) execute(values []*value) (results []*value, err error) {
	r := &run{dev: m.dev, memory: memory{map[backend.Storage]int{}}}
	defer interrupt.Watch(func() { r.stopped.Store(true) })()
	results, err = r.execute(m.program, values, nil)
	if err != nil {
		for s := range r.memory.uses {
			scope.Drop(s)
		}
		return nil, err
	}
	taken := map[backend.Storage]bool{}
	for i, v := range results {
		if v == nil || v.sequence {
			continue
		}
		s := extend.Operand(v.t).Store
		if _, ours := r.memory.uses[s]; !ours || taken[s] {
			if err = tensor.Catch(func() error { results[i] = valueOf(v.t.Copy()); return nil }); err != nil {
				return nil, err
			}
		}
		taken[s] = true
	}
	return results, nil
}
