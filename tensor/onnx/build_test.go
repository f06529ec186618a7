package onnx

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// graphText is a small model, which tests write in place of a file.
type graphText struct {
	inputs, outputs []valueProto
	nodes           []nodeProto
	initializers    []tensorProto
	opset           int
}

// floats describes an input or output of F32.
func floats(name string, dims ...Dim) valueProto {
	return valueProto{name, typeProto{kind: tensorType, elem: elemFloat, known: true, dims: dims}}
}

// bytes writes a model in protobuf's wire format.
func (g graphText) bytes() []byte {
	opset := g.opset
	if opset == 0 {
		opset = 21
	}
	m := putNumber(nil, 1, 10)
	m = put(m, 2, []byte("a test"))
	m = put(m, 7, g.graph())
	return put(m, 8, putNumber(nil, 2, opset))
}

// graph is the message of the graph alone.
func (g graphText) graph() (graph []byte) {
	for _, n := range g.nodes {
		graph = put(graph, 1, n.bytes())
	}
	graph = put(graph, 2, []byte("tiny"))
	for _, t := range g.initializers {
		graph = put(graph, 5, t.bytes())
	}
	for _, v := range g.inputs {
		graph = put(graph, 11, v.bytes())
	}
	for _, v := range g.outputs {
		graph = put(graph, 12, v.bytes())
	}
	return graph
}

func put(b []byte, num protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), data)
}

func putNumber(b []byte, num protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), uint64(v))
}

func (n nodeProto) bytes() (b []byte) {
	for _, name := range n.inputs {
		b = put(b, 1, []byte(name))
	}
	for _, name := range n.outputs {
		b = put(b, 2, []byte(name))
	}
	b = put(put(put(b, 3, []byte(n.name)), 4, []byte(n.op)), 7, []byte(n.domain))
	for _, a := range n.attrs {
		data := put(nil, 1, []byte(a.name))
		if a.typ == attrGraph {
			data = put(data, 6, a.s)
		}
		data = putNumber(putNumber(data, 3, int(a.i)), 20, int(a.typ))
		b = put(b, 5, data)
	}
	return b
}

func (t tensorProto) bytes() (b []byte) {
	for _, d := range t.dims {
		b = putNumber(b, 1, int(d))
	}
	b = put(putNumber(b, 2, int(t.elem)), 8, []byte(t.name))
	if t.hasRaw {
		b = put(b, 9, t.raw)
	}
	for _, v := range t.ints {
		b = putNumber(b, 7, int(v))
	}
	for _, key := range []string{"location", "offset", "length"} {
		if value, ok := t.external[key]; ok {
			b = put(b, 13, put(put(nil, 1, []byte(key)), 2, []byte(value)))
		}
	}
	if t.elsewhere {
		b = putNumber(b, 14, 1)
	}
	return b
}

func (v valueProto) bytes() []byte {
	var shape []byte
	for _, d := range v.typ.dims {
		var dim []byte
		if d.Name != "" {
			dim = put(dim, 2, []byte(d.Name))
		} else if d.Size >= 0 {
			dim = putNumber(dim, 1, d.Size)
		}
		shape = put(shape, 1, dim)
	}
	typ := putNumber(nil, 1, int(v.typ.elem))
	if v.typ.known {
		typ = put(typ, 2, shape)
	}
	return put(put(nil, 1, []byte(v.name)), 2, put(nil, 1, typ))
}

// node is a node of a test.
func op(name string, inputs []string, outputs ...string) nodeProto {
	return nodeProto{name: "the " + name, op: name, inputs: inputs, outputs: outputs}
}
