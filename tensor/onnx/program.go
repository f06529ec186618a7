package onnx

import (
	"fmt"
	"sync/atomic"

	"github.com/gorocm/gorocm/tensor"
)

// program is a graph, or the body of a function, in the form that runs: values have numbers, steps say which values
// they read, write, and use last.
type program struct {
	inputs, outputs []int
	captured        []capture // values of the graph around that a subgraph reads
	constants       map[int]*value
	steps           []*step
	values          int
	types           []typeProto // what the graph says of its outputs
}

// capture copies a value of the graph around into a subgraph.
type capture struct{ outer, inner int }

// none is the number of an input that is left out, and of an output that nobody reads.
const none = -1

// step is a node in a program.
type step struct {
	node *node
	in   []int
	out  []int
	subs map[string]*program // subgraphs by attribute; "" is the body of a function
	last []int               // values that no later step reads
}

// node is what operators know of their node.
type node struct {
	name, op, domain string
	version          int // of the opset of its domain
	attrs            map[string]*attrProto
	def              *operator
	outputs          int // how many there are, with those that nobody reads
}

// String names a node as errors do.
func (n *node) String() string {
	text := n.op
	if n.domain != "" {
		text = n.domain + "." + n.op
	}
	if n.name == "" {
		return fmt.Sprintf("a node %s (opset %d)", text, n.version)
	}
	return fmt.Sprintf("node %q, %s (opset %d)", n.name, text, n.version)
}

// finish finds the last use of each value, and drops constants that no step reads.
func (p *program) finish() {
	read := map[int]bool{}
	for _, out := range p.outputs {
		read[out] = true
	}
	kept := map[int]bool{}
	for _, out := range p.outputs {
		kept[out] = true
	}
	for i := len(p.steps) - 1; i >= 0; i-- {
		s := p.steps[i]
		var last []int
		use := func(v int) {
			if v == none {
				return
			}
			if !read[v] && !kept[v] && p.constants[v] == nil {
				last = append(last, v)
			}
			read[v] = true
		}
		for _, v := range s.in {
			use(v)
		}
		for _, sub := range s.subs {
			for _, c := range sub.captured {
				use(c.outer)
			}
		}
		for _, v := range s.out {
			if v != none && !read[v] { // a result that nobody reads
				last = append(last, v)
				read[v] = true
			}
		}
		s.last = last
	}
	for v := range p.constants {
		if !read[v] {
			delete(p.constants, v)
		}
	}
}

// run is one execution of a model.
type run struct {
	dev     *tensor.Device
	memory  memory
	folding bool // constants are computed when the model is opened
	stopped atomic.Bool
}

// errStopped is for a run whose cell was interrupted, such as a Loop that does not end.
var errStopped = &tensor.Error{Op: "onnx", Kind: tensor.ErrValue, Message: "the run was interrupted"}

// execute runs a program. The values of the inputs and of what it captures stay those of the caller. The results are
// held once for the caller, who releases them.
func (r *run) execute(p *program, inputs []*value, outer []*value) ([]*value, error) {
	values := make([]*value, p.values)
	for i, v := range p.inputs {
		values[v] = inputs[i]
		r.memory.hold(inputs[i])
	}
	for _, c := range p.captured {
		values[c.inner] = outer[c.outer]
		r.memory.hold(values[c.inner])
	}
	for i, v := range p.constants {
		values[i] = v
	}
	defer func() {
		for i, v := range values {
			if p.constants[i] == nil {
				r.memory.release(v)
			}
		}
	}()
	for _, s := range p.steps {
		if r.stopped.Load() {
			return nil, errStopped
		}
		outs, err := r.step(s, values)
		if err != nil {
			return nil, err
		}
		for i, v := range s.out {
			if v != none && i < len(outs) {
				values[v] = outs[i]
				r.memory.hold(outs[i])
			}
		}
		for _, v := range outs {
			r.memory.release(v)
		}
		for _, v := range s.last {
			r.memory.release(values[v])
			values[v] = nil
		}
	}
	results := make([]*value, len(p.outputs))
	for i, v := range p.outputs {
		results[i] = values[v]
		r.memory.hold(values[v])
	}
	return results, nil
}
