package onnx

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

var sequenceOps = []operator{
	{name: "ConcatFromSequence", attrs: "axis new_axis", in: [2]int{1, 1}, run: concatFromSequence},
	{name: "Optional", attrs: "type", in: [2]int{0, 1}, unfolded: true, values: func(c *call) []*value {
		if !c.has(0) {
			return []*value{nil}
		}
		return []*value{c.in[0]}
	}},
	{name: "OptionalGetElement", in: [2]int{1, 1}, unfolded: true, values: func(c *call) []*value {
		if !c.has(0) {
			c.fail("the optional value has no element")
		}
		return []*value{c.in[0]}
	}},
	{name: "OptionalHasElement", in: [2]int{0, 1}, unfolded: true, run: func(c *call) tensors {
		return one(tensor.CPU().FromSlice([]bool{c.has(0)}).Reshape())
	}},
	{name: "SequenceAt", in: [2]int{2, 2}, values: func(c *call) []*value {
		list := c.sequence(0)
		return []*value{list[c.position(1, len(list), 0)]}
	}},
	{name: "SequenceConstruct", in: [2]int{1, -1}, unfolded: true, values: func(c *call) []*value {
		for i := range c.in {
			c.dims(i)
		}
		return sequenceOf(c.in)
	}},
	{name: "SequenceEmpty", attrs: "dtype", in: [2]int{0, 0}, unfolded: true, values: func(c *call) []*value { return sequenceOf(nil) }},
	{name: "SequenceErase", in: [2]int{1, 2}, values: func(c *call) []*value {
		list := slices.Clone(c.sequence(0))
		at := len(list) - 1
		if c.has(1) {
			at = c.position(1, len(list), 0)
		} else if at < 0 {
			c.fail("the sequence is empty")
		}
		return sequenceOf(slices.Delete(list, at, at+1))
	}},
	{name: "SequenceInsert", in: [2]int{2, 3}, values: func(c *call) []*value {
		list := slices.Clone(c.sequence(0))
		at := len(list)
		if c.has(2) {
			at = c.position(2, len(list), 1)
		}
		c.dims(1)
		return sequenceOf(slices.Insert(list, at, c.in[1]))
	}},
	{name: "SequenceLength", in: [2]int{1, 1}, run: func(c *call) tensors {
		return one(tensor.CPU().FromSlice([]int64{int64(len(c.sequence(0)))}).Reshape())
	}},
	{name: "SequenceMap", attrs: "body", in: [2]int{1, -1}, unfolded: true, values: sequenceMap},
	{name: "SplitToSequence", attrs: "axis keepdims", in: [2]int{1, 2}, unfolded: true, values: splitToSequence},
}

func sequenceOf(list []*value) []*value { return []*value{{list: list, sequence: true}} }

// sequence returns the elements of an input that is a sequence.
func (c *call) sequence(i int) []*value {
	if !c.has(i) || !c.in[i].sequence {
		c.fail("input %d is no sequence", i)
	}
	return c.in[i].list
}

// position is an index of a sequence; with more 1 the end is one, too.
func (c *call) position(i, n, more int) int {
	at := c.integer(i, 0)
	if at < -n || at >= n+more {
		c.fail("position %d is outside of a sequence of %d", at, n)
	}
	if at < 0 {
		at += n
	}
	return at
}

func concatFromSequence(c *call) tensors {
	list := c.sequence(0)
	if len(list) == 0 {
		c.fail("the sequence is empty")
	}
	ts := make(tensors, len(list))
	for i, v := range list {
		ts[i] = v.on(c.run.dev)
	}
	if c.int("new_axis", 0) != 0 {
		return one(tensor.Stack(ts, c.axis(c.int("axis", 0), ts[0].Rank()+1)))
	}
	return one(tensor.Cat(ts, c.axis(c.int("axis", 0), ts[0].Rank())))
}

// splitToSequence divides an axis in parts of given sizes, or of one size, of which the last may be smaller.
func splitToSequence(c *call) []*value {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	size := x.Dim(axis)
	var parts []int
	if c.has(1) && len(c.dims(1)) > 0 {
		parts = c.ints(1)
	} else {
		each := c.integer(1, 1)
		if each < 1 {
			c.fail("parts of %d are not possible", each)
		}
		for at := 0; at < size; at += each {
			parts = append(parts, min(each, size-at))
		}
	}
	var out []*value
	at := 0
	for _, n := range parts {
		if n < 0 || n > size-at {
			c.fail("parts of %v do not fit axis %d, which has %d", parts, axis, size)
		}
		t := x.Narrow(axis, at, n)
		if !c.has(1) && c.int("keepdims", 1) == 0 {
			t = t.Squeeze(axis)
		}
		out = append(out, valueOf(t))
		at += n
	}
	if at != size {
		c.fail("parts of %v do not fit axis %d, which has %d", parts, axis, size)
	}
	return sequenceOf(out)
}

// sequenceMap runs its body for the elements of sequences at the same positions; inputs that are tensors are the same
// in each run.
func sequenceMap(c *call) []*value {
	body := c.body("body")
	if len(body.inputs) != len(c.in) || len(body.outputs) != c.outputs {
		c.fail("the body has %d inputs and %d outputs for %d and %d of the node", len(body.inputs), len(body.outputs),
			len(c.in), c.outputs)
	}
	n := len(c.sequence(0))
	lists := make([][]*value, c.outputs)
	for t := range n {
		in := make([]*value, len(c.in))
		for i, v := range c.in {
			if in[i] = v; v != nil && v.sequence {
				if len(v.list) != n {
					c.fail("sequences have %d and %d elements", n, len(v.list))
				}
				in[i] = v.list[t]
			}
		}
		for i, v := range c.distinct(c.sub(body, in)) {
			lists[i] = append(lists[i], v)
		}
	}
	var out []*value
	for _, list := range lists {
		out = append(out, sequenceOf(list)...)
	}
	return c.hand(out)
}
