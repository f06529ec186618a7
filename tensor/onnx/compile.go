package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/limits"
)

// compiler makes programs of the graphs of a model.
type compiler struct {
	dev       *tensor.Device
	proto     *modelProto
	folder    *folder
	functions map[string]*functionProto
	nodes     int            // compiled so far
	params    int            // elements of initializers
	lacking   map[string]int // nodes of each operator that is not supported
	ops       map[string]int // nodes of each operator
	fold      *run
}

// builder makes the program of one graph.
type builder struct {
	*compiler
	outer  *builder // of the graph around; nil for the model's and for functions
	p      *program
	names  map[string]int
	opsets map[string]int
	attrs  map[string]*attrProto // those that refer to attributes of the function
	depth  int
}

func (c *compiler) builder(outer *builder, opsets map[string]int, depth int) *builder {
	b := &builder{compiler: c, outer: outer, opsets: opsets, depth: depth}
	b.p = &program{constants: map[int]*value{}}
	b.names = map[string]int{}
	if outer != nil {
		b.attrs = outer.attrs
	}
	return b
}

// add gives a name a new value.
func (b *builder) add(name string) int {
	v := b.p.values
	b.p.values++
	if name != "" {
		b.names[name] = v
	}
	return v
}

// lookup returns the value of a name, which may be one of a graph around.
func (b *builder) lookup(name string) (int, bool) {
	if v, ok := b.names[name]; ok {
		return v, true
	}
	if b.outer == nil {
		return 0, false
	}
	outer, ok := b.outer.lookup(name)
	if !ok {
		return 0, false
	}
	v := b.add(name)
	if constant := b.outer.p.constants[outer]; constant != nil {
		b.p.constants[v] = constant
	} else {
		b.p.captured = append(b.p.captured, capture{outer, v})
	}
	return v, true
}

// graph compiles a graph. Its inputs that have initializers are constants, unless override has their names.
func (b *builder) graph(g *graphProto) (*program, error) {
	if err := b.initializers(g); err != nil {
		return nil, err
	}
	for _, in := range g.inputs {
		if _, ok := b.names[in.name]; !ok { // before version 4 initializers were inputs, too
			b.p.inputs = append(b.p.inputs, b.add(in.name))
		}
	}
	for i, n := range g.nodes {
		if err := b.node(n); err != nil {
			if n.name == "" {
				return nil, fmt.Errorf("node %d, %s: %w", i, n.op, err)
			}
			return nil, fmt.Errorf("node %q, %s: %w", n.name, n.op, err)
		}
	}
	for _, out := range g.outputs {
		v, ok := b.lookup(out.name)
		if !ok {
			return nil, fmt.Errorf("nothing computes the output %q", out.name)
		}
		b.p.outputs, b.p.types = append(b.p.outputs, v), append(b.p.types, out.typ)
	}
	b.p.finish()
	return b.p, nil
}

func (b *builder) initializers(g *graphProto) error {
	for _, t := range g.initializers {
		v, err := b.constant(t)
		if err != nil {
			return fmt.Errorf("initializer %q: %w", t.name, err)
		}
		b.params += v.t.ElemCount()
		b.p.constants[b.add(t.name)] = v
	}
	for _, s := range g.sparse {
		t, err := s.dense(b.dev, b.folder)
		if err != nil {
			return fmt.Errorf("initializer %q: %w", s.values.name, err)
		}
		b.params += s.indices.count()
		b.p.constants[b.add(s.values.name)] = constantOf(t)
	}
	return nil
}

// count is the number of elements that a tensor is said to have, once it was read.
func (t *tensorProto) count() int {
	_, n, _ := sizes(t.dims[:1])
	return n
}

// constant reads a tensor of the file. Small ones are on the host and on the device.
func (b *builder) constant(p *tensorProto) (*value, error) {
	t, err := p.tensor(b.dev, b.folder)
	if err != nil {
		return nil, err
	}
	v := constantOf(t)
	if !p.elem.exact() {
		v.elem = p.elem
	}
	return v, nil
}

// constantOf is the value of a tensor that runs share: a small one has its copy on the host already, so that no run
// writes to it.
func constantOf(t *tensor.Tensor) *value {
	v := valueOf(t)
	if small(t) && !t.Device().IsCPU() {
		v.t, v.copied = t.ToDevice(tensor.CPU()), t
	}
	return v
}

// node compiles one node.
func (b *builder) node(p *nodeProto) error {
	if b.nodes++; b.nodes > limits.ONNXNodes.Value() {
		return limits.ONNXNodes.Reached("the model has more nodes")
	}
	attrs, err := b.bind(p.attrs, p.op == "Constant" && p.domain == "")
	if err != nil {
		return err
	}
	s := &step{subs: map[string]*program{}}
	for _, name := range p.inputs {
		v := none
		if name != "" {
			var ok bool
			if v, ok = b.lookup(name); !ok {
				return fmt.Errorf("its input %q is no input, no initializer, and no result of a node before it", name)
			}
		}
		s.in = append(s.in, v)
	}
	for len(s.in) > 0 && s.in[len(s.in)-1] == none {
		s.in = s.in[:len(s.in)-1]
	}
	s.node = &node{name: p.name, op: p.op, domain: p.domain, attrs: attrs, outputs: len(p.outputs)}
	if fn := b.functions[functionKey(p.domain, p.op, p.overload)]; fn != nil {
		err = b.call(s, fn)
	} else {
		err = b.operator(s)
	}
	if err != nil {
		return err
	}
	if s.node.def == nil { // not supported: the error comes when all such are known
		for _, name := range p.outputs {
			b.add(name)
		}
		return nil
	}
	if p.op == "Constant" && p.domain == "" {
		return b.constantNode(s, p)
	}
	for _, name := range p.outputs {
		v := none
		if name != "" {
			v = b.add(name)
		}
		s.out = append(s.out, v)
	}
	if b.folded(s) {
		return nil
	}
	b.p.steps = append(b.p.steps, s)
	return nil
}

// bind returns attributes by name, with those that refer to the function's replaced. Those of nodes that are kept have
// no part of the file.
func (b *builder) bind(list []*attrProto, isConstant bool) (map[string]*attrProto, error) {
	attrs := map[string]*attrProto{}
	for _, a := range list {
		if a.ref != "" {
			of := b.attrs[a.ref]
			if of == nil {
				continue // left out by the caller, and without default
			}
			bound := *of
			bound.name = a.name
			a = &bound
		}
		if a.t != nil && !isConstant {
			own := *a
			own.t = a.t.clone()
			a = &own
		}
		if a.typ == 0 {
			return nil, fmt.Errorf("attribute %q has no type", a.name)
		}
		attrs[a.name] = a
	}
	return attrs, nil
}

func functionKey(domain, name, overload string) string {
	return domain + "\x00" + name + "\x00" + overload
}

// call compiles a function of the model for one node.
func (b *builder) call(s *step, fn *functionProto) error {
	if b.depth >= maxDepth {
		return fmt.Errorf("functions call each other more than %d deep", maxDepth)
	}
	if len(s.in) > len(fn.inputs) || s.node.outputs > len(fn.outputs) {
		return fmt.Errorf("the function has %d inputs and %d outputs, the node %d and %d", len(fn.inputs), len(fn.outputs),
			len(s.in), s.node.outputs)
	}
	opsets := maps.Clone(b.opsets)
	maps.Copy(opsets, fn.opsets)
	inner := b.builder(nil, opsets, b.depth+1)
	inner.attrs = map[string]*attrProto{}
	for _, a := range fn.defaults {
		inner.attrs[a.name] = a
	}
	for name, a := range s.node.attrs {
		if !slices.Contains(fn.params, name) && inner.attrs[name] == nil {
			return fmt.Errorf("the function has no attribute %q", name)
		}
		inner.attrs[name] = a
	}
	body := &graphProto{nodes: fn.nodes}
	for _, name := range fn.inputs {
		body.inputs = append(body.inputs, &valueProto{name: name})
	}
	for _, name := range fn.outputs {
		body.outputs = append(body.outputs, &valueProto{name: name})
	}
	p, err := inner.graph(body)
	if err != nil {
		return fmt.Errorf("function %q: %w", fn.name, err)
	}
	s.subs[""] = p
	s.node.def, s.node.version, s.node.attrs = &functionCall, b.opsets[s.node.domain], nil
	return nil
}

// operator finds what computes a node, and compiles its subgraphs.
func (b *builder) operator(s *step) error {
	n := s.node
	version, ok := b.opsets[n.domain]
	if !ok {
		return fmt.Errorf("the model does not say which opset of %q it uses", n.domain)
	}
	n.version = version
	def := find(n.domain, n.op)
	name := n.op
	if n.domain != "" {
		name = n.domain + "." + n.op
	}
	b.ops[name]++
	if def == nil || n.domain == "" && (version < max(def.since, minOpset) || version > maxOpset) {
		b.lacking[fmt.Sprintf("%s (opset %d)", name, version)]++
		return nil
	}
	known := strings.Fields(def.attrs)
	for name, a := range n.attrs {
		if !slices.Contains(known, name) {
			return fmt.Errorf("its attribute %q is not supported", name)
		}
		if a.typ != attrGraph {
			continue
		}
		if b.depth >= maxDepth {
			return fmt.Errorf("graphs are nested more than %d deep", maxDepth)
		}
		if a.g == nil {
			return fmt.Errorf("its attribute %q lacks the graph", name)
		}
		sub, err := b.builder(b, b.opsets, b.depth+1).graph(a.g)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.subs[name] = sub
		n.attrs[name] = &attrProto{name: name, typ: attrGraph}
	}
	if len(s.in) < def.in[0] || def.in[1] >= 0 && len(s.in) > def.in[1] {
		return fmt.Errorf("it has %d inputs: %v", len(s.in), inputsText(def.in))
	}
	for i := range def.in[0] {
		if s.in[i] == none {
			return fmt.Errorf("its input %d is left out", i)
		}
	}
	n.def = def
	return nil
}

func inputsText(in [2]int) string {
	switch {
	case in[1] < 0:
		return fmt.Sprintf("at least %d are needed", in[0])
	case in[0] == in[1]:
		return fmt.Sprintf("%d are needed", in[0])
	}
	return fmt.Sprintf("%d to %d are needed", in[0], in[1])
}

// constantNode makes a constant of an attribute.
func (b *builder) constantNode(s *step, p *nodeProto) error {
	if len(p.outputs) != 1 || len(s.node.attrs) != 1 {
		return errors.New("a Constant has one output and one attribute")
	}
	var v *value
	for name, a := range s.node.attrs {
		t, err := tensor.Try(func() *tensor.Tensor { return constantAttr(b.dev, name, a) })
		switch {
		case err != nil:
			return err
		case t != nil:
			v = constantOf(t)
		case name == "sparse_value" && a.sparse != nil:
			if t, err = a.sparse.dense(b.dev, b.folder); err != nil {
				return err
			}
			v = constantOf(t)
		case name == "value" && a.t != nil:
			if v, err = b.constant(a.t); err != nil {
				return err
			}
		default:
			return fmt.Errorf("constants of the attribute %q are not supported", name)
		}
	}
	b.p.constants[b.add(p.outputs[0])] = v
	return nil
}

// constantAttr is the tensor of an attribute of numbers, and nil for other ones.
func constantAttr(dev *tensor.Device, name string, a *attrProto) *tensor.Tensor {
	switch name {
	case "value_float":
		return dev.FromSlice([]float32{a.f}).Reshape()
	case "value_int":
		return dev.FromSlice([]int64{a.i}).Reshape()
	case "value_floats":
		return dev.FromSlice(a.floats, len(a.floats))
	case "value_ints":
		return dev.FromSlice(a.ints, len(a.ints))
	}
	return nil
}

// folded computes a step whose inputs are constants, so that its results are. It reports false where that is left to
// the runs: errors too are theirs.
func (b *builder) folded(s *step) bool {
	if s.node.def.unfolded || len(s.subs) > 0 || len(b.lacking) > 0 {
		return false
	}
	values := make([]*value, b.p.values)
	for _, v := range s.in {
		if v == none {
			continue
		}
		if values[v] = b.p.constants[v]; values[v] == nil {
			return false
		}
	}
	if s.node.def.broadcast && !b.narrow(s) {
		return false
	}
	outs, err := b.fold.step(s, values)
	clear(b.fold.memory.uses)
	if err != nil || len(outs) < len(s.out) {
		return false
	}
	for i, v := range s.out {
		if v != none && (outs[i] == nil || outs[i].sequence) {
			return false
		}
		_ = i
	}
	for i, v := range s.out {
		if v != none {
			b.p.constants[v] = constantOf(outs[i].on(b.dev))
		}
	}
	return true
}

// narrow reports whether the inputs of a step are broadcast to a shape that is not too large to be kept.
func (b *builder) narrow(s *step) bool {
	size, most := 1, 0
	var shape []int
	for _, i := range s.in {
		if i == none {
			continue
		}
		dims := b.p.constants[i].t.Dims()
		most = max(most, b.p.constants[i].t.ElemCount())
		for len(shape) < len(dims) {
			shape = slices.Insert(shape, 0, 1)
		}
		for k, d := range dims {
			at := len(shape) - len(dims) + k
			shape[at] = max(shape[at], d)
		}
	}
	for _, d := range shape {
		if size *= max(d, 1); size > max(maxFolded, most) {
			return false
		}
	}
	return true
}
