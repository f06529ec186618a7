package onnx

import (
	"sync"

	"github.com/gorocm/gorocm/tensor"
)

type tensors = []*tensor.Tensor

// operators has the row of each operator by its domain and name.
func operators() map[string]*operator {
	m := map[string]*operator{}
	for _, table := range [][]operator{elementwiseOps, binaryOps, productOps, windowOps, normOps, reduceOps, shapeOps,
		indexOps, scatterOps, madeOps, resizeOps, recurrentOps, quantizedOps, controlOps, sequenceOps, signalOps,
		detectionOps, attentionOps} {
		for _, row := range table {
			m[row.domain+"\x00"+row.name] = &row
		}
	}
	return m
}

// table is made for the first model.
var table = sync.OnceValue(operators)

// find returns the row of an operator, or nil.
func find(domain, name string) *operator { return table()[domain+"\x00"+name] }

// functionCall is the operator of nodes that call a function of the model.
var functionCall = operator{unfolded: true, values: func(c *call) []*value {
	body := c.step.subs[""]
	in := make([]*value, len(body.inputs))
	copy(in, c.in)
	return c.sub(body, in)
}}

// sub runs a subgraph. Its results are held.
func (c *call) sub(p *program, inputs []*value) []*value {
	outs, err := c.run.execute(p, inputs, c.vals)
	if err != nil {
		panic(err)
	}
	return outs
}

// of makes an operator's function of one of a single tensor.
func of(f func(x *tensor.Tensor) *tensor.Tensor) func(c *call) tensors {
	return func(c *call) tensors { return one(f(c.x(0))) }
}

// by is of for functions that take attributes.
func by(f func(c *call, x *tensor.Tensor) *tensor.Tensor) func(c *call) tensors {
	return func(c *call) tensors { return one(f(c, c.x(0))) }
}

// pairwise makes an operator's function of one of two tensors.
func pairwise(f func(c *call, x, y *tensor.Tensor) *tensor.Tensor) func(c *call) tensors {
	return func(c *call) tensors { return one(f(c, c.x(0), c.x(1))) }
}

// variadic makes an operator's function of one that joins two tensors.
func variadic(f func(x, y *tensor.Tensor) *tensor.Tensor) func(c *call) tensors {
	return func(c *call) tensors {
		x := c.x(0)
		for i := range c.in[1:] {
			x = f(x, c.x(i+1))
		}
		return one(x)
	}
}
