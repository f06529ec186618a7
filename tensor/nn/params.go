package nn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// Params are the named parameters of a model. Layers take theirs from it by name, a dotted path as PyTorch's state_dict
// has:
//
//	p := nn.NewParams(tensor.F32, dev)                       // to train: variables, made as layers ask for them
//	p, err := nn.OpenParams("model.safetensors", tensor.F16, dev) // from a file
//	first := nn.NewLinear(784, 128, p.At("layers", 0))       // takes layers.0.weight and layers.0.bias
//
// Params of a file are ordinary tensors, converted to one dtype. A name that is not there, or has another shape, is a
// panic with ErrShape; inside of Build all such names are listed together, with those that nothing asked for.
type Params struct {
	prefix string
	*paramStore
}

// paramStore is what all prefixes of a Params share.
type paramStore struct {
	dtype  tensor.DType
	dev    *tensor.Device
	source paramSource     // nil for new variables
	there  map[string]bool // the names of source
	names  []string        // those that were taken, in this order
	taken  map[string]*tensor.Tensor
	seen   map[string]bool // those that something asked for since Build began
	ignore []string        // those that Ignore excuses, for Load
	faults *ParamsError    // what Build collects; nil outside of it
	lora   *LoRA           // adapters for linear layers, or nil
}

// paramSource is where parameters come from.
type paramSource interface {
	list() []string
	tensor(name string, dtype tensor.DType, dev *tensor.Device) (*tensor.Tensor, error)
	stored(name string) (*tensor.Tensor, error) // as the file has it
	packed(name string) (*quant.QTensor, error) // nil when it is not packed
}

// NewParams returns parameters to train: every name that is asked for becomes a variable.
func NewParams(dtype tensor.DType, dev *tensor.Device) *Params { return newParams(nil, dtype, dev) }

// ParamsOf returns the parameters in a list, such as formats.ReadSafetensors gives. Variables stay variables: a model
// of ParamsOf(p.All(), tensor.BF16, dev) computes in BF16, and its gradients are those of the variables of p.
func ParamsOf(list []formats.Named, dtype tensor.DType, dev *tensor.Device) *Params {
	return newParams(newNamedSource(list), dtype, dev)
}

func newParams(source paramSource, dtype tensor.DType, dev *tensor.Device) *Params {
	there := map[string]bool{}
	if source != nil {
		for _, name := range source.list() {
			there[name] = true
		}
	}
	return &Params{"", &paramStore{dtype: dtype, dev: dev, source: source, there: there,
		taken: map[string]*tensor.Tensor{}, seen: map[string]bool{}}}
}

// DType returns the dtype that parameters are converted to.
func (p *Params) DType() tensor.DType { return p.dtype }

// Device returns where the parameters go.
func (p *Params) Device() *tensor.Device { return p.dev }

// Path returns the full name of a parameter here.
func (p *Params) Path(name string) string { return p.prefix + name }

// At returns the parameters below a path: p.At("layers", 3, "attention") is p.At("layers.3.attention").
func (p *Params) At(path ...any) *Params {
	prefix := p.prefix
	for _, part := range path {
		prefix += fmt.Sprint(part) + "."
	}
	return &Params{prefix, p.paramStore}
}

// New reports whether parameters are made as layers ask for them, and not taken from somewhere.
func (p *Params) New() bool { return p.source == nil }

// Has reports whether there is a parameter of that name to take. Of new parameters there are those that were taken.
func (p *Params) Has(name string) bool {
	if p.source == nil {
		return p.taken[p.prefix+name] != nil
	}
	return p.there[p.prefix+name]
}

// Names lists the parameters below here: those of the file, or those that were taken from new ones.
func (p *Params) Names() []string {
	all := p.names
	if p.source != nil {
		all = p.source.list()
	}
	var names []string
	for _, name := range all {
		if strings.HasPrefix(name, p.prefix) {
			names = append(names, strings.TrimPrefix(name, p.prefix))
		}
	}
	return names
}

// Get returns the parameter of that name and shape. New ones are made by init, zeros if it is nil, and are variables;
// asked for again, the same is returned. It panics with ErrShape when there is none of that name, or it has another
// shape.
func (p *Params) Get(name string, shape []int, init Init) *tensor.Tensor {
	return p.get(name, shape, init, false)
}

// Buffer is Get for state that a layer changes itself, such as running means: a tensor with elements of its own that
// is not a variable, so that optimizers leave it alone. Save writes it and Load sets it.
func (p *Params) Buffer(name string, shape []int, init Init) *tensor.Tensor {
	return p.get(name, shape, init, true)
}

func (p *Params) get(name string, shape []int, init Init, buffer bool) *tensor.Tensor {
	full := p.prefix + name
	p.seen[full] = true
	if t := p.taken[full]; t != nil {
		if !slices.Equal(t.Dims(), shape) {
			return p.fault(full, shape, fmt.Sprintf("%s has shape %v, not %v", full, t.Dims(), shape))
		}
		return t
	}
	var t *tensor.Tensor
	if p.source == nil {
		if init == nil {
			init = Const(0)
		}
		if t = init(shape, p.dtype, p.dev); buffer {
			t = t.Copy()
		} else {
			t = tensor.NewVar(t)
		}
	} else {
		if !p.there[full] {
			return p.fault(full, shape, "")
		}
		var err error
		if t, err = p.source.tensor(full, p.dtype, p.dev); err != nil {
			return p.fault(full, shape, full+": "+err.Error())
		}
		if !slices.Equal(t.Dims(), shape) {
			return p.fault(full, shape, fmt.Sprintf("%s has shape %v, not %v", full, t.Dims(), shape))
		}
		if buffer { // it will be written to, and the original may have other owners
			t = t.Copy()
		}
	}
	p.taken[full] = t.Kept()
	p.names = append(p.names, full)
	return t
}

// GetPacked returns a parameter as it is stored, if it is of that shape and packed in a block format, as in GGUF files,
// or, for parameters in F32 on the host, in F16 or BF16. It stays in the mapped file. Of others, and of formats that
// the device does not compute with, it returns nil: Get has them, unpacked.
func (p *Params) GetPacked(name string, shape ...int) *quant.QTensor {
	full := p.prefix + name
	if p.source == nil || !p.there[full] {
		return nil
	}
	q, err := p.source.packed(full)
	if err != nil || q == nil || !slices.Equal(q.Dims(), shape) {
		return nil // Get reports what is wrong
	}
	widened := p.dtype == tensor.F32 && p.dev.IsCPU() && q.Type() != quant.F32
	if q.Type().BlockSize() == 1 && !widened || !p.dev.IsCPU() && !q.Type().OnGPU() {
		return nil
	}
	p.seen[full] = true
	return q
}

// GetBytes returns a parameter of bytes, as formats have that are packed in parts, in the memory of the host. It panics
// as Get does; inside of Build the result is nil then.
func (p *Params) GetBytes(name string, shape ...int) []byte {
	bytes := &Params{p.prefix, &paramStore{dtype: tensor.U8, dev: tensor.CPU(), source: p.source, there: p.there,
		faults: p.faults, taken: map[string]*tensor.Tensor{}, seen: p.seen}}
	before := bytes.faultCount()
	x := bytes.Get(name, shape, nil)
	if bytes.faultCount() > before {
		return nil
	}
	return x.ToBytes()
}

// Ignore says, inside of Build, that no layer will ask for parameters of these names. Load excuses them too.
func (p *Params) Ignore(names ...string) {
	for _, name := range names {
		p.seen[p.prefix+name] = true
		p.paramStore.ignore = append(p.paramStore.ignore, p.prefix+name)
	}
}

func (p *Params) faultCount() int {
	if p.faults == nil {
		return 0
	}
	return len(p.faults.Missing) + len(p.faults.Wrong)
}

// fault records what is wrong with a parameter and returns zeros in its place, or panics outside of Build.
func (p *Params) fault(full string, shape []int, wrong string) *tensor.Tensor {
	if p.faults == nil {
		e := &tensor.Error{Op: "params", Kind: tensor.ErrShape, Message: wrong, Shapes: [][]int{shape}}
		if wrong == "" {
			e.Message = "there is no " + full
			e.Notes = append(e.Notes, fmt.Sprintf("there are %s", shorten(p.source.list())),
				"Params.Build lists everything that is missing")
		}
		panic(e)
	}
	if wrong == "" {
		p.faults.Missing = append(p.faults.Missing, full)
	} else {
		p.faults.Wrong = append(p.faults.Wrong, wrong)
	}
	return p.dev.Zeros(p.dtype).BroadcastAs(shape...) // which take no memory
}

// Build calls f, in which a model takes its parameters, and returns a *ParamsError when they are not exactly those of
// the file: missing, of another shape, or not asked for. Ignore excuses the last. A model that was built with an
// error has zeros in it: do not use it.
func (p *Params) Build(f func()) error {
	e := &ParamsError{}
	faults, seen := p.faults, p.seen
	p.faults, p.seen = e, map[string]bool{}
	defer func() {
		maps.Copy(seen, p.seen)
		p.faults, p.seen = faults, seen
	}()
	f()
	if p.source != nil {
		for _, name := range p.source.list() {
			if strings.HasPrefix(name, p.prefix) && !p.seen[name] {
				e.Unexpected = append(e.Unexpected, name)
			}
		}
	}
	if len(e.Missing)+len(e.Wrong)+len(e.Unexpected) == 0 {
		return nil
	}
	return e
}

// ParamsError says how the parameters of a file differ from those of a model.
type ParamsError struct {
	Missing    []string // names that the model asked for and the file has not
	Unexpected []string // names in the file that the model did not ask for
	Wrong      []string // what else is wrong, such as a shape
}

// Error lists the names, the first of each kind.
func (e *ParamsError) Error() string {
	var parts []string
	add := func(what string, list []string) {
		if len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s: %s", len(list), what, shorten(list)))
		}
	}
	add("missing", e.Missing)
	add("unexpected", e.Unexpected)
	add("wrong", e.Wrong)
	return "nn: the parameters are not those of the model: " + strings.Join(parts, "; ")
}

// shorten lists at most eight of them.
func shorten(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	if n := len(list); n > 8 {
		return strings.Join(list[:8], ", ") + fmt.Sprintf(", … (%d)", n)
	}
	return strings.Join(list, ", ")
}

// Vars returns the variables that were taken below here, in this order, for an optimizer.
func (p *Params) Vars() []*tensor.Tensor {
	var vars []*tensor.Tensor
	for _, named := range p.All() {
		if named.Tensor.IsVariable() {
			vars = append(vars, named.Tensor)
		}
	}
	return vars
}

// All returns the parameters that were taken below here with their full names, in this order.
func (p *Params) All() []formats.Named {
	var all []formats.Named
	for _, name := range p.names {
		if strings.HasPrefix(name, p.prefix) {
			all = append(all, formats.Named{Name: name, Tensor: p.taken[name]})
		}
	}
	return all
}

// Detach returns the parameters that were taken below here as ordinary tensors, which share the elements of the
// variables: a model that is built of them computes what the trained one does, also after further steps, and keeps
// nothing for gradients, as under PyTorch's no_grad. Such a model is what a server or a validation calls.
//
//	net := NewNet(p)                // to train
//	trained := NewNet(p.Detach())   // to use
func (p *Params) Detach() *Params {
	all := p.All()
	for i, named := range all {
		all[i].Tensor = named.Tensor.Detach()
	}
	q := newParams(newNamedSource(all), p.dtype, p.dev)
	q.prefix = p.prefix
	for _, named := range all {
		q.taken[named.Name] = named.Tensor
		q.names = append(q.names, named.Name)
	}
	return q
}

// Count returns how many numbers are in the parameters that were taken below here.
func (p *Params) Count() int {
	n := 0
	for _, named := range p.All() {
		n += named.Tensor.ElemCount()
	}
	return n
}
