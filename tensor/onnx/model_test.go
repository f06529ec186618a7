package onnx

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

var (
	batch = Dim{Size: -1, Name: "batch"}
	four  = Dim{Size: 4}
)

// matrix is an initializer of F32 in raw data, of ones.
func matrix(name string, rows, columns int) tensorProto {
	raw := tensor.CPU().Ones(tensor.F32, rows, columns).ToBytes()
	return tensorProto{name: name, elem: elemFloat, dims: []int64{int64(rows), int64(columns)}, raw: raw, hasRaw: true}
}

// layer is a model of a product and an activation.
func layer() graphText {
	return graphText{
		inputs: []valueProto{floats("x", batch, four)}, outputs: []valueProto{floats("y", batch, Dim{Size: 2})},
		nodes:        []nodeProto{op("MatMul", []string{"x", "w"}, "h"), op("Relu", []string{"h"}, "y")},
		initializers: []tensorProto{matrix("w", 4, 2)},
	}
}

func read(t *testing.T, g graphText, dev *tensor.Device) *Model {
	t.Helper()
	m, err := Read(bytes.NewReader(g.bytes()), dev)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRun: the three ways to run a model, with inputs of another device and several goroutines.
func TestRun(t *testing.T) {
	for _, dev := range devices(t) {
		m := read(t, layer(), dev)
		x := tensor.CPU().Ones(tensor.F32, 3, 4)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for _, y := range []*tensor.Tensor{m.Forward(x), m.Call(x)[0],
					m.Run(map[string]*tensor.Tensor{"x": x.ToDevice(dev)})["y"], x.ToDevice(dev).Apply(m)} {
					if y.Device() != dev || !y.Equal(dev.Full(tensor.F32, 4, 3, 2)) {
						t.Errorf("%v: y = %v", dev, y)
					}
				}
			})
		}
		wait.Wait()
		if text := fmt.Sprint(m.Inputs(), m.Outputs()); text != "[x f32 [batch, 4]] [y f32 [batch, 2]]" {
			t.Error(text)
		}
	}
}

// TestResultsAreOwn: results share no memory with the model, the inputs or each other.
func TestResultsAreOwn(t *testing.T) {
	g := layer()
	g.nodes = []nodeProto{op("Identity", []string{"x"}, "y"), op("Identity", []string{"w"}, "z"),
		op("Reshape", []string{"r", "s"}, "q"), op("Relu", []string{"x"}, "r")}
	g.nodes[2], g.nodes[3] = g.nodes[3], g.nodes[2]
	g.initializers = append(g.initializers, tensorProto{name: "s", elem: elemInt64, dims: []int64{1}, ints: []int64{-1}})
	for _, name := range []string{"z", "r", "q"} {
		g.outputs = append(g.outputs, valueProto{name, typeProto{kind: tensorType, elem: elemFloat}})
	}
	for _, dev := range devices(t) {
		m := read(t, g, dev)
		x := dev.Ones(tensor.F32, 1, 4)
		for range 2 {
			for _, y := range m.Call(x) {
				if y.IsFreed() || y.Sum().ToScalar() != float64(y.ElemCount()) {
					t.Errorf("%v: %v", dev, y)
				}
				y.Free()
			}
		}
		if x.IsFreed() {
			t.Error("the input was freed")
		}
	}
}

// TestRefused: errors of models that are not supported, or not valid.
func TestRefused(t *testing.T) {
	change := func(f func(g *graphText)) []byte {
		g := layer()
		f(&g)
		return g.bytes()
	}
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"operators", change(func(g *graphText) {
			g.nodes = append(g.nodes, op("StringSplit", []string{"y"}, "a"), op("Foo", []string{"y"}, "b"),
				op("Foo", []string{"a"}, "c"))
		}), "the model uses operators that are not supported: Foo (opset 21), 2 nodes; StringSplit (opset 21), 1 node"},
		{"opset", change(func(g *graphText) { g.opset = 99 }), "MatMul (opset 99), 1 node; Relu (opset 99), 1 node"},
		{"domain", change(func(g *graphText) { g.nodes[1].domain = "com.example" }),
			`node "the Relu", Relu: the model does not say which opset of "com.example" it uses`},
		{"order", change(func(g *graphText) { slices.Reverse(g.nodes) }),
			`node "the Relu", Relu: its input "h" is no input, no initializer, and no result of a node before it`},
		{"attribute", change(func(g *graphText) {
			g.nodes[1].attrs = []*attrProto{{name: "slope", typ: attrInt}}
		}), `node "the Relu", Relu: its attribute "slope" is not supported`},
		{"inputs", change(func(g *graphText) { g.nodes[1].inputs = []string{"h", "h"} }),
			`node "the Relu", Relu: it has 2 inputs: 1 are needed`},
		{"output", change(func(g *graphText) { g.outputs[0].name = "q" }), `nothing computes the output "q"`},
		{"bytes", change(func(g *graphText) { g.initializers[0].raw = make([]byte, 5) }),
			`initializer "w": shape [4 2] of float32 takes 32 bytes, and there are 5`},
		{"size", change(func(g *graphText) { g.initializers[0].dims = []int64{1 << 40, 1 << 40} }),
			`initializer "w": a tensor of shape [1099511627776 1099511627776] is too large`},
		{"type", change(func(g *graphText) { g.inputs[0].typ.elem = elemString }),
			`the input "x": tensors of string are not supported`},
		{"external", change(func(g *graphText) {
			g.initializers[0].elsewhere, g.initializers[0].external = true, map[string]string{"location": "w.bin"}
		}), `initializer "w": its data are in the file "w.bin": give Open the path of the model, so that it can be found`},
		{"empty", nil, "the file has no graph: it is not an ONNX model"},
		{"text", []byte("<html>not found</html>"), "this is not an ONNX model, or it was cut off"},
	} {
		if _, err := Read(bytes.NewReader(test.data), tensor.CPU()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.name, err, test.want)
		}
	}
}

// TestMistakes: errors of a run say which input, and at which node.
func TestMistakes(t *testing.T) {
	cpu := tensor.CPU()
	g := layer()
	g.inputs = append(g.inputs, floats("z", batch, Dim{Size: -1}))
	g.nodes = append(g.nodes, op("Add", []string{"h", "z"}, "s"))
	m := read(t, g, cpu)
	x, z := cpu.Ones(tensor.F32, 3, 4), cpu.Ones(tensor.F32, 3, 2)
	for _, test := range []struct {
		inputs map[string]*tensor.Tensor
		want   string
	}{
		{map[string]*tensor.Tensor{"x": x}, "the input z f32 [batch, ?] is missing"},
		{map[string]*tensor.Tensor{"x": x, "z": z, "q": z}, `there is no input "q": there are [x z]`},
		{map[string]*tensor.Tensor{"x": x.ToDType(tensor.I64), "z": z}, "the input x f32 [batch, 4] is of i64"},
		{map[string]*tensor.Tensor{"x": x.T(), "z": z}, "the input x f32 [batch, 4] has the shape [4, 3]"},
		{map[string]*tensor.Tensor{"x": x, "z": cpu.Ones(tensor.F32, 2, 2)},
			"the input z f32 [batch, ?] has the shape [2, 2]"},
		{map[string]*tensor.Tensor{"x": x, "z": cpu.Ones(tensor.F32, 3, 5)},
			`node "the Add", Add (opset 21): add: shapes do not broadcast: [3 2] and [3 5] (2 ≠ 5 in dim -1) ` +
				"(inputs: f32 [3, 2]; f32 [3, 5])"},
	} {
		err := tensor.Catch(func() error { m.Run(test.inputs); return nil })
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v\nwant %s", err, test.want)
		}
	}
}

// TestExternalData: data come from files of the model's folder, and from nowhere else.
func TestExternalData(t *testing.T) {
	outside := t.TempDir()
	folder := filepath.Join(outside, "model")
	if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	raw := append(make([]byte, 8), tensor.CPU().Ones(tensor.F32, 4, 2).ToBytes()...)
	for _, path := range []string{filepath.Join(outside, "secret"), filepath.Join(folder, "sub", "w")} {
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		location, offset, length string
		want                     string
	}{
		{"sub/w", "8", "32", ""},
		{"sub/../sub/w", "8", "", ""},
		{"../secret", "8", "32", "its data are not in the folder of the model"},
		{filepath.Join(outside, "secret"), "8", "32", "its data are not in the folder of the model"},
		{"link", "8", "32", "its data are not in the folder of the model"},
		{"sub", "0", "32", "invalid argument"},
		{"none", "8", "32", "no such file"},
		{"sub/w", "9", "32", `it is said to be at bytes 9 to 41 of "sub/w", which has 40`},
		{"sub/w", "8", "31", `it takes 32 bytes, and "sub/w" is said to have 31 of it`},
		{"sub/w", "-1", "32", `its data have the offset "-1"`},
		{"sub/w", "9223372036854775807", "32", "its data have the offset"},
	} {
		g := layer()
		w := &g.initializers[0]
		w.hasRaw, w.elsewhere = false, true
		w.external = map[string]string{"location": test.location, "offset": test.offset}
		if test.length != "" {
			w.external["length"] = test.length
		}
		path := filepath.Join(folder, "m.onnx")
		if err := os.WriteFile(path, g.bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := Open(path, tensor.CPU())
		switch {
		case test.want != "":
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: %v, want %s", test.location, err, test.want)
			}
		case err != nil:
			t.Errorf("%q: %v", test.location, err)
		default:
			if y := m.Forward(tensor.CPU().Ones(tensor.F32, 1, 4)); y.Sum().ToScalar() != 8 {
				t.Errorf("%q: %v", test.location, y)
			}
		}
	}
}

// TestInterrupt: a loop without end stops when its cell is interrupted.
func TestInterrupt(t *testing.T) {
	g := graphText{
		inputs:  []valueProto{floats("x", batch)},
		outputs: []valueProto{floats("y", batch)},
		nodes:   []nodeProto{op("Loop", []string{"", "", "x"}, "y")},
	}
	body := graphText{
		inputs:  []valueProto{{"i", typeProto{}}, {"going", typeProto{}}, {"v", typeProto{}}},
		outputs: []valueProto{{"going", typeProto{}}, {"w", typeProto{}}},
		nodes:   []nodeProto{op("Neg", []string{"v"}, "w")},
	}
	m := read(t, g.with("Loop", &attrProto{name: "body", typ: attrGraph, s: body.graph()}), tensor.CPU())
	number := make(chan int64, 1)
	ended := make(chan error)
	go func() {
		number <- interrupt.Goroutine()
		ended <- tensor.Catch(func() error { m.Forward(tensor.CPU().Ones(tensor.F32, 3)); return nil })
	}()
	goroutine := <-number
	for {
		interrupt.Stop(goroutine) // until the run has begun, there is nothing to stop
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "the run was interrupted") {
				t.Error(err)
			}
			return
		default:
			runtime.Gosched()
		}
	}
}

// chain is a model of n activations, one after another, with a view between them.
func chain(n int) graphText {
	g := graphText{inputs: []valueProto{floats("v0", batch, four)}, outputs: []valueProto{floats(fmt.Sprint("v", n), four, batch)}}
	for i := range n {
		name := "Sigmoid"
		if i == 1 {
			name = "Transpose"
		}
		g.nodes = append(g.nodes, op(name, []string{fmt.Sprint("v", i)}, fmt.Sprint("v", i+1)))
	}
	return g
}

// TestLiveness: a value is freed after its last use, so that a long model takes no more memory than a short one.
func TestLiveness(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	m := read(t, chain(20), dev)
	r := &run{dev: dev, memory: memory{map[backend.Storage]int{}}}
	x := dev.Ones(tensor.F32, 1000, 4)
	most := 0
	values := make([]*value, m.program.values)
	values[m.program.inputs[0]] = valueOf(x)
	for _, s := range m.program.steps {
		outs, err := r.step(s, values)
		if err != nil {
			t.Fatal(err)
		}
		values[s.out[0]] = outs[0]
		most = max(most, len(r.memory.uses))
		for _, v := range s.last {
			r.memory.release(values[v])
		}
	}
	if most > 2 || len(r.memory.uses) != 1 {
		t.Errorf("%d results were in memory at once, and %d at the end; want 2 and 1", most, len(r.memory.uses))
	}
	before := dev.Memory().InUse
	y := m.Forward(x)
	if grown := dev.Memory().InUse - before; grown > int64(2*y.Bytes()) {
		t.Errorf("a run has left %d bytes in use, its result has %d", grown, y.Bytes())
	}
}

// TestShapesStayOnHost: what is computed of shapes is on the host, so that a GPU is not waited for.
func TestShapesStayOnHost(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string, v ...int64) tensorProto {
		return tensorProto{name: name, elem: elemInt64, dims: []int64{int64(len(v))}, ints: v}
	}
	m := read(t, graphText{
		inputs: []valueProto{floats("x", batch, four)}, outputs: []valueProto{floats("y", batch)},
		nodes: []nodeProto{op("Shape", []string{"x"}, "s"), op("Gather", []string{"s", "zero"}, "n"),
			op("Mul", []string{"n", "four"}, "k"), op("Cast", []string{"k"}, "f"), op("Concat", []string{"k", "one"}, "shape"),
			op("Reshape", []string{"x", "shape"}, "r"), op("Squeeze", []string{"r"}, "y")},
		initializers: []tensorProto{number("zero", 0), number("four", 4), number("one", 1)},
	}.with("Cast", &attrProto{name: "to", typ: attrInt, i: int64(elemFloat)}).with("Concat",
		&attrProto{name: "axis", typ: attrInt}), dev)
	r := &run{dev: dev, memory: memory{map[backend.Storage]int{}}}
	values := make([]*value, m.program.values)
	values[m.program.inputs[0]] = valueOf(dev.Ones(tensor.F32, 3, 4))
	for i, v := range m.program.constants {
		values[i] = v
	}
	for _, s := range m.program.steps {
		outs, err := r.step(s, values)
		if err != nil {
			t.Fatal(err)
		}
		values[s.out[0]] = outs[0]
		if host, want := outs[0].t.Device().IsCPU(), s.node.op != "Reshape" && s.node.op != "Squeeze"; host != want {
			t.Errorf("%v is on the host: %v, want %v", s.node, host, want)
		}
	}
}

// with gives the nodes of an op an attribute.
func (g graphText) with(name string, a *attrProto) graphText {
	for i := range g.nodes {
		if g.nodes[i].op == name {
			g.nodes[i].attrs = append(g.nodes[i].attrs, a)
		}
	}
	return g
}

// TestFolding: what depends on constants alone is computed when the model is opened, unless it is large.
func TestFolding(t *testing.T) {
	g := layer()
	g.nodes = []nodeProto{op("Exp", []string{"w"}, "e"), op("Transpose", []string{"e"}, "v"),
		op("Tile", []string{"w", "n"}, "large"), op("MatMul", []string{"v", "x"}, "y")}
	g.initializers = append(g.initializers, tensorProto{name: "n", elem: elemInt64, dims: []int64{2},
		ints: []int64{1 << 18, 1 << 3}})
	m := read(t, g, tensor.CPU())
	var left []string
	for _, s := range m.program.steps {
		left = append(left, s.node.op)
	}
	if text := fmt.Sprint(left); text != "[Tile MatMul]" {
		t.Errorf("the steps %s are left", text)
	}
}

// TestString shows a model.
func TestString(t *testing.T) {
	const want = `model       tiny by a test
input       x f32 [batch, 4]
output      y f32 [batch, 2]
parameters  8
operators   MatMul 1, Relu 1
opset       21
device      cpu`
	m := read(t, layer(), tensor.CPU())
	if got := m.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	g := layer()
	g.inputs[0].typ.dims[0].Name = "\x1b[2J"
	if text := read(t, g, tensor.CPU()).String(); strings.Contains(text, "\x1b") {
		t.Errorf("%q has an escape sequence of the file", text)
	}
	if !strings.Contains(m.HTML(), "<td style=\"text-align:left\">x f32 [batch, 4]</td>") {
		t.Error(m.HTML())
	}
}

// FuzzRead: a damaged model gives an error, or one that runs or says why not.
func FuzzRead(f *testing.F) {
	f.Add(layer().bytes())
	f.Add(chain(3).bytes())
	for _, data := range recordedModels(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Read(bytes.NewReader(data), tensor.CPU()); err == nil && m.String() == "" {
			t.Error("a model shows nothing")
		}
	})
}

// TestDamaged changes bytes of recorded models, as FuzzRead does at random.
func TestDamaged(t *testing.T) {
	thorough.Slow(t)
	for i, data := range recordedModels(t) {
		for at := 0; at < len(data); at += 1 + len(data)/60 {
			damaged := slices.Clone(data)
			damaged[at] ^= byte(1 + 37*at + i)
			Read(bytes.NewReader(damaged), tensor.CPU())
			Read(bytes.NewReader(data[:at]), tensor.CPU())
		}
	}
}

// TestPage: docs/onnx.md names the operators of the table.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/onnx.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "| elementwise |")
	list, _, _ = strings.Cut(list, "\n\n")
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(" |,;\n", r) }) {
		named[word] = true
	}
	for key, row := range table() {
		if row.domain == "" && !named[row.name] {
			t.Errorf("docs/onnx.md does not name %s", key)
		}
	}
	for word := range named {
		if word[0] >= 'A' && word[0] <= 'Z' && find("", word) == nil {
			t.Errorf("docs/onnx.md names %s, which is not there", word)
		}
	}
}
