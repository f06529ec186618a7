package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// call is one execution of a node. Its methods give an operator its inputs and attributes. They panic as tensor
// operations do; step makes an error of that.
type call struct {
	*node
	step *step
	run  *run
	in   []*value        // nil where an optional input is left out
	dev  *tensor.Device  // where the operator computes
	vals []*value        // of the program, which subgraphs read
	held map[*value]bool // results of subgraphs, which are held already
}

// operator says how nodes of one op are computed.
type operator struct {
	domain    string
	name      string
	since     int    // the first opset in which what run does is right
	attrs     string // the attributes that run knows
	in        [2]int // the least and the most inputs; most is -1 for any number
	run       func(c *call) []*tensor.Tensor
	values    func(c *call) []*value // in place of run, for sequences and subgraphs
	unfolded  bool                   // constants are not computed when the model is opened: random numbers, subgraphs
	broadcast bool                   // the inputs are broadcast to the shape of the result
}

// step runs one node. Its results are held once, for the caller.
func (r *run) step(s *step, values []*value) (outs []*value, err error) {
	c := &call{node: s.node, step: s, run: r, vals: values, in: make([]*value, len(s.in)), held: map[*value]bool{}}
	for i, v := range s.in {
		if v != none {
			c.in[i] = values[v]
		}
	}
	c.dev = c.place()
	var made scope.Made
	err = tensor.Catch(func() error {
		defer scope.Enter(func(f *scope.Frame) { f.NoGrad, f.Made = true, &made })()
		if s.node.def.values != nil {
			outs = s.node.def.values(c)
			return nil
		}
		for _, t := range s.node.def.run(c) {
			var v *value
			if t != nil {
				v = valueOf(t)
			}
			outs = append(outs, v)
		}
		return nil
	})
	for _, item := range made.Items {
		r.memory.made(item.Store)
	}
	if err != nil {
		return nil, c.located(err)
	}
	for _, v := range outs {
		if !c.held[v] {
			r.memory.hold(v)
		}
	}
	for _, item := range made.Items {
		r.memory.dropUnused(item.Store)
	}
	return outs, nil
}

// place says where an operator computes: on the host if all of its inputs are small and there, or there are none.
func (c *call) place() *tensor.Device {
	host := tensor.CPU()
	for _, v := range c.in {
		if v != nil && !v.sequence && (!v.onHost() || !small(v.t)) {
			return c.run.dev
		}
	}
	return host
}

// room returns where a result of that shape is made, and computes there.
func (c *call) room(shape ...int) *tensor.Device {
	c.bound(shape)
	if n := 1; slices.ContainsFunc(shape, func(d int) bool { n *= max(d, 1); return n > smallInts }) {
		c.dev = c.run.dev
	}
	return c.dev
}

// bound panics while constants are folded if a result would be too large to keep.
func (c *call) bound(shape []int) {
	n := 1
	for _, d := range shape {
		if n *= max(d, 1); c.run.folding && n > maxFolded {
			panic(errUnfolded)
		}
	}
}

// maxFolded is the number of elements of constants that are computed from smaller ones when a model is opened.
const maxFolded = 1 << 22

// errUnfolded says that a constant is to be computed in each run.
var errUnfolded = &tensor.Error{Op: "onnx", Kind: tensor.ErrMemory, Message: "a constant is too large to be kept"}

// located adds to an error which node had it, and its inputs.
func (c *call) located(err error) error {
	if err == errUnfolded || err == errStopped {
		return err
	}
	e := &tensor.Error{Op: "onnx", Kind: tensor.ErrValue, Message: err.Error(), Err: err}
	var inner *tensor.Error
	if errors.As(err, &inner) {
		e.Kind, e.Notes = inner.Kind, inner.Notes
		e.Shapes, e.DTypes, e.Devices = inner.Shapes, inner.DTypes, inner.Devices
		if inner.Op == "onnx" && inner.Err != nil { // of a subgraph, which has said where
			return inner
		}
		if inner.Op == "onnx" {
			e.Message = inner.Message
		}
	}
	ins := make([]string, len(c.in))
	for i, v := range c.in {
		ins[i] = v.String()
	}
	e.Message = fmt.Sprintf("%v: %s (inputs: %s)", c.node, e.Message, strings.Join(ins, "; "))
	return e
}

// fail panics with an error of the node.
func (c *call) fail(format string, args ...any) {
	extend.Fail("onnx", tensor.ErrValue, nil, "", format, args...)
}

// has reports whether an optional input is there.
func (c *call) has(i int) bool { return i < len(c.in) && c.in[i] != nil }

// x returns an input where the operator computes.
func (c *call) x(i int) *tensor.Tensor {
	if !c.has(i) {
		c.fail("input %d is not there", i)
	}
	if c.in[i].sequence {
		c.fail("input %d is a sequence, not a tensor", i)
	}
	return c.in[i].on(c.dev)
}

// opt is x for an optional input, nil if it is left out.
func (c *call) opt(i int) *tensor.Tensor {
	if !c.has(i) {
		return nil
	}
	return c.x(i)
}

// host returns an input on the host, and waits for it if it is elsewhere.
func (c *call) host(i int) *tensor.Tensor {
	if !c.has(i) || c.in[i].sequence {
		c.fail("input %d is not a tensor", i)
	}
	return c.in[i].on(tensor.CPU())
}

// ints returns the elements of an input of integers, on the host.
func (c *call) ints(i int) []int {
	t := c.host(i)
	if !t.DType().IsInt() && t.DType() != tensor.Bool {
		c.fail("input %d is of %v, not of integers", i, t.DType())
	}
	if t.ElemCount() > smallInts*16 {
		c.fail("input %d has %d numbers: that are no sizes or positions", i, t.ElemCount())
	}
	return toInts(t)
}

func toInts(t *tensor.Tensor) []int {
	out := make([]int, t.ElemCount())
	for i, v := range tensor.ToVec1[int64](t.FlattenAll().ToDType(tensor.I64)) {
		out[i] = int(v)
	}
	return out
}

// integer returns the one element of an input of integers.
func (c *call) integer(i, other int) int {
	if !c.has(i) {
		return other
	}
	list := c.ints(i)
	if len(list) != 1 {
		c.fail("input %d has %d numbers, and 1 is needed", i, len(list))
	}
	return list[0]
}

// number returns the one element of an input of numbers.
func (c *call) number(i int, other float64) float64 {
	if !c.has(i) {
		return other
	}
	t := c.host(i)
	if t.ElemCount() != 1 {
		c.fail("input %d has %d numbers, and 1 is needed", i, t.ElemCount())
	}
	return t.Float64s()[0]
}

// Attributes, with what they are when left out.

func (n *node) int(name string, other int) int {
	if a := n.attrs[name]; a != nil {
		return int(a.i)
	}
	return other
}

func (n *node) float(name string, other float64) float64 {
	if a := n.attrs[name]; a != nil {
		return float64(a.f)
	}
	return other
}

func (n *node) text(name, other string) string {
	if a := n.attrs[name]; a != nil {
		return string(a.s)
	}
	return other
}

// list returns the integers of an attribute; nil if it is left out.
func (n *node) list(name string) []int {
	a := n.attrs[name]
	if a == nil {
		return nil
	}
	out := make([]int, len(a.ints))
	for i, v := range a.ints {
		out[i] = int(v)
	}
	return out
}

// listOf is list with one number n times if the attribute is left out.
func (c *call) listOf(name string, n, other int) []int {
	list := c.list(name)
	if list == nil {
		for range n {
			list = append(list, other)
		}
	}
	if len(list) != n {
		c.fail("attribute %s has %d numbers, and %d are needed", name, len(list), n)
	}
	return list
}

// axis returns a dim of a tensor of that rank, of which negative ones count from the end.
func (c *call) axis(d, rank int) int {
	if d < -rank || d >= rank {
		c.fail("there is no axis %d: the tensor has %d", d, rank)
	}
	return (d + rank) % max(rank, 1)
}

// axes is axis for several, none of them twice.
func (c *call) axes(list []int, rank int) []int {
	out := make([]int, len(list))
	seen := map[int]bool{}
	for i, d := range list {
		out[i] = c.axis(d, rank)
		if seen[out[i]] {
			c.fail("axis %d is there twice", d)
		}
		seen[out[i]] = true
	}
	return out
}

// elemAttr returns the dtype that an attribute names.
func (c *call) elemAttr(name string, other tensor.DType) tensor.DType {
	a := c.attrs[name]
	if a == nil {
		return other
	}
	dt, err := elem(a.i).dtype()
	if err != nil {
		c.fail("%v", err)
	}
	return dt
}

// one is the list of a single result.
func one(t *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{t} }
