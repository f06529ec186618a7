package onnx

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

var controlOps = []operator{
	{name: "If", attrs: "else_branch then_branch", in: [2]int{1, 1}, unfolded: true, values: choose},
	{name: "Loop", attrs: "body", in: [2]int{0, -1}, unfolded: true, values: loop},
	{name: "Scan", since: 9, attrs: "body num_scan_inputs scan_input_axes scan_input_directions scan_output_axes scan_output_directions", in: [2]int{1, -1}, unfolded: true, values: scan},
}

// body returns the subgraph of an attribute.
func (c *call) body(attr string) *program {
	p := c.step.subs[attr]
	if p == nil {
		c.fail("the attribute %s is missing", attr)
	}
	return p
}

// truth is the one Bool of a condition, for which the host waits if it is on a GPU.
func (c *call) truth(v *value) bool {
	if v == nil || v.sequence || v.t.ElemCount() != 1 {
		c.fail("a condition is %v, and one bool is needed", v)
	}
	return v.on(tensor.CPU()).Float64s()[0] != 0
}

// hand marks the results of a subgraph as held already.
func (c *call) hand(list []*value) []*value {
	for _, v := range list {
		c.held[v] = true
	}
	return list
}

func choose(c *call) []*value {
	branch := c.body("else_branch")
	if c.truth(c.in[0]) {
		branch = c.body("then_branch")
	}
	if len(branch.inputs) != 0 || len(branch.outputs) != c.outputs {
		c.fail("a branch has %d inputs and %d outputs for %d of the node", len(branch.inputs), len(branch.outputs), c.outputs)
	}
	return c.distinct(c.sub(branch, nil))
}

// distinct hands results on, each of which is a value of its own.
func (c *call) distinct(list []*value) []*value {
	out := make([]*value, len(list))
	for i, v := range list {
		if v != nil {
			again := *v
			out[i] = &again
		}
	}
	return c.hand(out)
}

// loop runs its body while a condition holds, at most so many times. The body has the inputs iteration, condition and
// what is carried on, and the outputs condition, what is carried on, and what is stacked.
func loop(c *call) []*value {
	body := c.body("body")
	in := append(slices.Clone(c.in), make([]*value, max(2-len(c.in), 0))...) // limit and condition may be left out
	n := len(in) - 2
	if len(body.inputs) < n+2 || len(body.outputs) < n+1 {
		c.fail("the body has %d inputs and %d outputs for %d carried values", len(body.inputs), len(body.outputs), n)
	}
	limit := -1
	if c.has(0) {
		limit = c.integer(0, 0)
	}
	going := true
	if c.has(1) {
		going = c.truth(c.in[1])
	}
	carried := in[2:]
	for _, v := range carried {
		c.run.memory.hold(v)
	}
	stacked := make([]tensors, len(body.outputs)-n-1)
	for i := 0; going && (limit < 0 || i < limit); i++ {
		in := append([]*value{hostScalar([]int64{int64(i)}), hostScalar([]bool{true})}, carried...)
		outs := c.sub(body, in[:len(body.inputs)])
		for _, v := range carried {
			c.run.memory.release(v)
		}
		going = c.truth(outs[0])
		c.run.memory.release(outs[0])
		carried = outs[1 : 1+n]
		for k, v := range outs[1+n:] {
			if v == nil || v.sequence {
				c.fail("a scan output of a loop is not a tensor")
			}
			stacked[k] = append(stacked[k], v.t)
		}
	}
	out := c.distinct(carried)
	for i, list := range stacked {
		out = append(out, c.stack(list, 0, body.types[n+1+i]))
	}
	return out
}

// hostScalar is a number or Bool for a body, which may carry it on.
func hostScalar(one any) *value {
	var v *value
	scope.Outside(func() { v = valueOf(tensor.CPU().FromSlice(one).Reshape()) })
	return v
}

// stack joins what the runs of a body gave, and releases it. Of what no run gave the body says the type.
func (c *call) stack(list tensors, axis int, t typeProto) *value {
	if len(list) == 0 {
		dt, err := t.elem.dtype()
		if err != nil || !t.known {
			c.fail("its body runs not once, and does not say of which shape and type its results would be")
		}
		shape := []int{0}
		for _, d := range t.dims {
			shape = append(shape, max(d.Size, 0))
		}
		c.elements(shape)
		return valueOf(c.dev.Zeros(dt, shape...))
	}
	same := list[0].Device()
	for _, t := range list {
		if t.Device() != same {
			same = c.run.dev
		}
	}
	moved := make(tensors, len(list))
	for i, t := range list {
		moved[i] = t.To(same)
	}
	v := valueOf(tensor.Stack(moved, axis))
	for _, t := range list {
		c.run.memory.release(valueOf(t))
	}
	return v
}

// scan runs its body for each slice of its last inputs; the first ones are states, which are carried on.
func scan(c *call) []*value {
	body := c.body("body")
	m := c.int("num_scan_inputs", 0)
	n := len(c.in) - m
	if m < 1 || n < 0 || len(body.inputs) != n+m || len(body.outputs) != c.outputs || len(body.outputs) < n {
		c.fail("the body has %d inputs and %d outputs for %d states and %d scanned inputs", len(body.inputs),
			len(body.outputs), n, m)
	}
	axes, directions := c.listOf("scan_input_axes", m, 0), c.listOf("scan_input_directions", m, 0)
	k := len(body.outputs) - n
	outAxes, outDirections := c.listOf("scan_output_axes", k, 0), c.listOf("scan_output_directions", k, 0)
	inputs := make(tensors, m)
	for i := range inputs {
		inputs[i] = c.x(n + i)
		axes[i] = c.axis(axes[i], inputs[i].Rank())
		if inputs[i].Dim(axes[i]) != inputs[0].Dim(axes[0]) {
			c.fail("scanned inputs have %d and %d slices", inputs[0].Dim(axes[0]), inputs[i].Dim(axes[i]))
		}
	}
	steps := inputs[0].Dim(axes[0])
	states := slices.Clone(c.in[:n])
	for _, v := range states {
		c.run.memory.hold(v)
	}
	stacked := make([]tensors, k)
	for t := range steps {
		in := slices.Clone(states)
		for i, x := range inputs {
			at := t
			if directions[i] != 0 {
				at = steps - 1 - t
			}
			in = append(in, valueOf(x.Narrow(axes[i], at, 1).Squeeze(axes[i])))
		}
		outs := c.sub(body, in)
		for _, v := range states {
			c.run.memory.release(v)
		}
		states = outs[:n]
		for i, v := range outs[n:] {
			if v == nil || v.sequence {
				c.fail("an output of a scan is not a tensor")
			}
			stacked[i] = append(stacked[i], v.t)
		}
	}
	out := c.distinct(states)
	for i, list := range stacked {
		if outDirections[i] != 0 {
			slices.Reverse(list)
		}
		axis := 0
		if len(list) > 0 {
			axis = c.axis(outAxes[i], list[0].Rank()+1)
		}
		out = append(out, c.stack(list, axis, body.types[n+i]))
	}
	return out
}
