package onnx

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gorocm/gorocm/tensor/limits"
)

// Limits of what a file may declare.
const (
	maxDepth = 64 // messages within messages: subgraphs, types
	maxRank  = 64 // dims of a tensor
)

// The messages of onnx.proto, as far as a model that runs needs them. Bytes are parts of the file.
type (
	modelProto struct {
		ir        int64
		producer  string
		graph     *graphProto
		opsets    map[string]int
		functions []*functionProto
		metadata  map[string]string
	}

	graphProto struct {
		name            string
		nodes           []*nodeProto
		initializers    []*tensorProto
		sparse          []*sparseProto
		inputs, outputs []*valueProto
	}

	nodeProto struct {
		name, op, domain, overload string
		inputs, outputs            []string
		attrs                      []*attrProto
	}

	attrProto struct {
		name, ref string // ref names the attribute of the function that has the value
		typ       attrType
		f         float32
		i         int64
		s         []byte
		t         *tensorProto
		g         *graphProto
		sparse    *sparseProto
		floats    []float32
		ints      []int64
		strings   []string
	}

	tensorProto struct {
		name     string
		dims     []int64
		elem     elem
		raw      []byte
		hasRaw   bool
		floats   []float32
		doubles  []float64
		ints     []int64 // int32_data, int64_data or uint64_data
		external map[string]string
		elsewhere
	}

	// elsewhere says that a tensor's elements are in another file.
	elsewhere bool

	sparseProto struct {
		values, indices *tensorProto
		dims            []int64
	}

	valueProto struct {
		name string
		typ  typeProto
	}

	typeProto struct {
		kind  typeKind
		elem  elem
		known bool // whether the shape is
		dims  []Dim
	}

	functionProto struct {
		name, domain, overload  string
		inputs, outputs, params []string // params are attributes without default
		defaults                []*attrProto
		nodes                   []*nodeProto
		opsets                  map[string]int
	}
)

type attrType int32

const (
	attrFloat attrType = iota + 1
	attrInt
	attrString
	attrTensor
	attrGraph
	attrFloats
	attrInts
	attrStrings
	attrSparse attrType = 11
)

type typeKind uint8

const (
	noType typeKind = iota
	tensorType
	sequenceType
	optionalType
	otherType // a map, a sparse tensor
)

// Dim is the size of a dim of an input or output: a number, or a name such as batch where it may differ from run to
// run. A dim that has neither is -1.
type Dim struct {
	Size int // -1 if it may differ
	Name string
}

// String returns the size, the name, or ?.
func (d Dim) String() string {
	switch {
	case d.Name != "":
		return d.Name
	case d.Size < 0:
		return "?"
	}
	return fmt.Sprint(d.Size)
}

// parseModel parses a ModelProto.
func parseModel(b []byte) (*modelProto, error) {
	m := &modelProto{opsets: map[string]int{}, metadata: map[string]string{}}
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			m.ir = f.int()
		case 2:
			m.producer = f.text()
		case 7:
			m.graph, err = message(f, "graph", 0, parseGraph)
		case 8:
			err = addOpset(m.opsets, f)
		case 14:
			err = addEntry(m.metadata, f)
		case 25:
			var fn *functionProto
			fn, err = message(f, fmt.Sprintf("function %d", len(m.functions)), 0, parseFunction)
			m.functions = append(m.functions, fn)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case m.graph == nil:
		return nil, errors.New("the file has no graph: it is not an ONNX model")
	case len(m.opsets) == 0:
		return nil, errors.New("the file does not say which opset its operators are of")
	}
	return m, nil
}

func addOpset(opsets map[string]int, f field) error {
	var domain string
	var version int64
	err := fields(f.bytes, func(f field) error {
		switch f.num {
		case 1:
			domain = f.text()
		case 2:
			version = f.int()
		}
		return nil
	})
	if domain == "ai.onnx" {
		domain = ""
	}
	opsets[domain] = int(version)
	return err
}

func addEntry(entries map[string]string, f field) error {
	var key, value string
	err := fields(f.bytes, func(f field) error {
		switch f.num {
		case 1:
			key = f.text()
		case 2:
			value = f.text()
		}
		return nil
	})
	entries[key] = value
	return err
}

func parseGraph(b []byte, depth int) (*graphProto, error) {
	g := new(graphProto)
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			err = add(&g.nodes, f, "node", depth, parseNode)
		case 2:
			g.name = f.text()
		case 5:
			err = add(&g.initializers, f, "initializer", depth, parseTensor)
		case 11:
			err = add(&g.inputs, f, "input", depth, parseValue)
		case 12:
			err = add(&g.outputs, f, "output", depth, parseValue)
		case 15:
			err = add(&g.sparse, f, "sparse initializer", depth, parseSparse)
		}
		return err
	})
	return g, err
}

// add parses one more message of a list.
func add[T any](list *[]T, f field, what string, depth int, parse func(b []byte, depth int) (T, error)) error {
	if err := limits.ONNXNodes.Check(len(*list)+1, "there are more: "+what); err != nil {
		return err
	}
	m, err := message(f, what, depth, parse)
	if err != nil {
		return fmt.Errorf("number %d: %w", len(*list), err)
	}
	*list = append(*list, m)
	return nil
}

func parseNode(b []byte, depth int) (*nodeProto, error) {
	n := new(nodeProto)
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			n.inputs = append(n.inputs, f.text())
		case 2:
			n.outputs = append(n.outputs, f.text())
		case 3:
			n.name = f.text()
		case 4:
			n.op = f.text()
		case 5:
			err = add(&n.attrs, f, "attribute", depth, parseAttr)
		case 7:
			if n.domain = f.text(); n.domain == "ai.onnx" {
				n.domain = ""
			}
		case 8:
			n.overload = f.text()
		}
		return err
	})
	if err != nil && n.op != "" {
		err = fmt.Errorf("%s %q: %w", n.op, n.name, err)
	}
	return n, err
}

func parseAttr(b []byte, depth int) (*attrProto, error) {
	a := new(attrProto)
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			a.name = f.text()
		case 2:
			var one []float32
			one, err = floats32(nil, field{num: 2, typ: protowire.Fixed32Type, number: f.number})
			a.f = one[0]
		case 3:
			a.i = f.int()
		case 4:
			a.s = slices.Clone(f.bytes) // nodes keep it, and not the file
		case 5:
			a.t, err = message(f, "tensor", depth, parseTensor)
		case 6:
			a.g, err = message(f, "graph", depth, parseGraph)
		case 7:
			a.floats, err = floats32(a.floats, f)
		case 8:
			a.ints, err = varints(a.ints, f)
		case 9:
			a.strings = append(a.strings, f.text())
		case 20:
			a.typ = attrType(f.int())
		case 21:
			a.ref = f.text()
		case 22:
			a.sparse, err = message(f, "sparse tensor", depth, parseSparse)
		}
		return err
	})
	if err != nil && a.name != "" {
		err = fmt.Errorf("%q: %w", a.name, err)
	}
	return a, err
}

func parseTensor(b []byte, _ int) (*tensorProto, error) {
	t := new(tensorProto)
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			if t.dims, err = varints(t.dims, f); err == nil && len(t.dims) > maxRank {
				err = fmt.Errorf("it has more than %d dims", maxRank)
			}
		case 2:
			t.elem = elem(f.int())
		case 3:
			err = errors.New("tensors in segments are not supported")
		case 4:
			t.floats, err = floats32(t.floats, f)
		case 5, 7, 11:
			t.ints, err = varints(t.ints, f)
		case 8:
			t.name = f.text()
		case 9:
			t.raw, t.hasRaw = f.bytes, true
		case 10:
			t.doubles, err = floats64(t.doubles, f)
		case 13:
			if t.external == nil {
				t.external = map[string]string{}
			}
			err = addEntry(t.external, f)
		case 14:
			t.elsewhere = f.int() == 1
		}
		return err
	})
	if err != nil && t.name != "" {
		err = fmt.Errorf("%q: %w", t.name, err)
	}
	return t, err
}

func parseSparse(b []byte, depth int) (*sparseProto, error) {
	s := new(sparseProto)
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			s.values, err = message(f, "values", depth, parseTensor)
		case 2:
			s.indices, err = message(f, "indices", depth, parseTensor)
		case 3:
			s.dims, err = varints(s.dims, f)
		}
		return err
	})
	if err == nil && (s.values == nil || s.indices == nil) {
		err = errors.New("a sparse tensor lacks its values or their indices")
	}
	return s, err
}

func parseValue(b []byte, depth int) (*valueProto, error) {
	v := new(valueProto)
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			v.name = f.text()
		case 2:
			v.typ, err = message(f, "type", depth, parseType)
		}
		return err
	})
	return v, err
}

func parseType(b []byte, depth int) (t typeProto, err error) {
	err = fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			t.kind = tensorType
			err = t.parseTensorType(f.bytes)
		case 4, 9: // a sequence, or an optional, of a type
			var inner typeProto
			err = fields(f.bytes, func(f field) (err error) {
				if f.num == 1 {
					inner, err = message(f, "element type", depth, parseType)
				}
				return err
			})
			t = inner
			t.kind = map[protowire.Number]typeKind{4: sequenceType, 9: optionalType}[f.num]
		case 5, 7, 8:
			t.kind = otherType
		}
		return err
	})
	return t, err
}

func (t *typeProto) parseTensorType(b []byte) error {
	return fields(b, func(f field) error {
		switch f.num {
		case 1:
			t.elem = elem(f.int())
		case 2:
			t.known = true
			return fields(f.bytes, func(f field) error {
				if f.num != 1 {
					return nil
				}
				if len(t.dims) >= maxRank {
					return fmt.Errorf("a shape has more than %d dims", maxRank)
				}
				d := Dim{Size: -1}
				err := fields(f.bytes, func(f field) error {
					switch f.num {
					case 1:
						d.Size = int(f.int())
					case 2:
						d.Name = f.text()
					}
					return nil
				})
				t.dims = append(t.dims, d)
				return err
			})
		}
		return nil
	})
}

func parseFunction(b []byte, depth int) (*functionProto, error) {
	fn := &functionProto{opsets: map[string]int{}}
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			fn.name = f.text()
		case 4:
			fn.inputs = append(fn.inputs, f.text())
		case 5:
			fn.outputs = append(fn.outputs, f.text())
		case 6:
			fn.params = append(fn.params, f.text())
		case 7:
			err = add(&fn.nodes, f, "node", depth, parseNode)
		case 9:
			err = addOpset(fn.opsets, f)
		case 10:
			if fn.domain = f.text(); fn.domain == "ai.onnx" {
				fn.domain = ""
			}
		case 11:
			err = add(&fn.defaults, f, "attribute", depth, parseAttr)
		case 13:
			fn.overload = f.text()
		}
		return err
	})
	if err != nil && fn.name != "" {
		err = fmt.Errorf("%q: %w", fn.name, err)
	}
	return fn, err
}
