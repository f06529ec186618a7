package onnx

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// nodesVariable names the folder that testdata/nodes.py writes: ONNX's own tests of operators.
const nodesVariable = "GOROCM_ONNX_TESTS"

// TestNodes runs ONNX's own tests of operators, and compares the table of those that are refused or differ with
// testdata/nodes.txt, which docs/onnx.md is about.
func TestNodes(t *testing.T) {
	folder := os.Getenv(nodesVariable)
	if folder == "" {
		t.Skip(nodesVariable + " does not name the folder that testdata/nodes.py has written")
	}
	names, err := filepath.Glob(filepath.Join(folder, "*", "model.onnx"))
	if err != nil || len(names) < 100 {
		t.Fatalf("%d tests in %s: %v", len(names), folder, err)
	}
	for _, kind := range []string{"cpu", "rocm"} {
		dev, err := tensor.NewDevice(kind)
		if err != nil {
			t.Fatal(err)
		}
		passed, refused, failed := 0, map[string]int{}, 0
		for _, name := range names {
			err := runFolder(os.DirFS(filepath.Dir(name)), dev)
			switch short := filepath.Base(filepath.Dir(name)); {
			case err == nil:
				passed++
			case strings.Contains(err.Error(), "not supported"):
				refused[reason(err)]++
				t.Logf("%s: refused %s: %v", kind, short, err)
			default:
				failed++
				t.Errorf("%s: %s: %v", kind, short, err)
			}
		}
		t.Logf("%s: %d passed, %d refused, %d failed", kind, passed, sumOf(slices.Collect(maps.Values(refused))), failed)
		for _, why := range slices.Sorted(maps.Keys(refused)) {
			t.Logf("%s: %4d %s", kind, refused[why], why)
		}
	}
}

func sumOf(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

// reason is why a test was refused, without what names the node.
func reason(err error) string {
	_, text, ok := strings.Cut(err.Error(), "not supported: ")
	if !ok {
		text = err.Error()
		text, _, _ = strings.Cut(text, " (inputs: ")
		return text[strings.LastIndex(text, ": ")+1:]
	}
	text, _, _ = strings.Cut(text, " (opset")
	return text
}

// runFolder runs one of ONNX's tests: a model, and folders of inputs and outputs.
func runFolder(folder fs.FS, dev *tensor.Device) error {
	data, err := fs.ReadFile(folder, "model.onnx")
	if err != nil {
		return err
	}
	proto, err := parseModel(data)
	if err != nil {
		return err
	}
	m, err := compile(proto, dev, nil)
	if err != nil {
		return err
	}
	rtol, atol := 1e-4, 1e-5
	if text, err := fs.ReadFile(folder, "tolerance"); err == nil {
		fmt.Sscan(string(text), &rtol, &atol)
	}
	sets, err := fs.Glob(folder, "test_data_set_*")
	if err != nil || len(sets) == 0 {
		return fmt.Errorf("there are no data: %w", err)
	}
	for _, set := range sets {
		if err := m.runSet(proto, folder, set, rtol, atol); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) runSet(proto *modelProto, folder fs.FS, set string, rtol, atol float64) error {
	var inputs []*value
	given := slices.DeleteFunc(slices.Clone(proto.graph.inputs), func(v *valueProto) bool {
		return slices.ContainsFunc(proto.graph.initializers, func(t *tensorProto) bool { return t.name == v.name })
	})
	for i, in := range given {
		data, err := fs.ReadFile(folder, fmt.Sprintf("%s/input_%d.pb", set, i))
		if err != nil {
			return err
		}
		v, err := parseData(data, in.typ)
		if err != nil {
			return fmt.Errorf("input %s: %w", in.name, err)
		}
		inputs = append(inputs, m.moved(v))
	}
	got, err := m.execute(inputs)
	if err != nil {
		return err
	}
	for i, out := range proto.graph.outputs {
		data, err := fs.ReadFile(folder, fmt.Sprintf("%s/output_%d.pb", set, i))
		if err != nil {
			return err
		}
		want, err := parseData(data, out.typ)
		if err != nil {
			return fmt.Errorf("output %s: %w", out.name, err)
		}
		if random(proto) {
			continue
		}
		if err := compareValues(got[i], want, rtol, atol); err != nil {
			return fmt.Errorf("output %s: %w", out.name, err)
		}
	}
	return nil
}

// random reports whether the results of a model are random: only their shapes could be compared.
func random(proto *modelProto) bool {
	return slices.ContainsFunc(proto.graph.nodes, func(n *nodeProto) bool {
		return n.op == "Bernoulli" || strings.HasPrefix(n.op, "Random")
	})
}

// moved is a value of a test on the device of a model.
func (m *Model) moved(v *value) *value {
	if v == nil {
		return nil
	}
	out := &value{sequence: v.sequence, elem: v.elem}
	if v.t != nil {
		out.t = v.t.ToDevice(m.dev)
	}
	for _, x := range v.list {
		out.list = append(out.list, m.moved(x))
	}
	return out
}

// parseData reads a TensorProto, a SequenceProto or an OptionalProto.
func parseData(b []byte, typ typeProto) (*value, error) {
	if typ.kind == tensorType {
		return dataTensor(b)
	}
	v := &value{sequence: true}
	var found *value
	err := fields(b, func(f field) (err error) {
		switch f.num {
		case 3:
			if found, err = dataTensor(f.bytes); err == nil {
				v.list = append(v.list, found)
			}
		case 5:
			found, err = parseData(f.bytes, typeProto{kind: sequenceType})
		}
		return err
	})
	if typ.kind == sequenceType {
		return v, err
	}
	return found, err
}

func dataTensor(b []byte) (*value, error) {
	p, err := parseTensor(b, 0)
	if err != nil {
		return nil, err
	}
	t, err := p.tensor(tensor.CPU(), nil)
	if err != nil {
		return nil, err
	}
	v := valueOf(t)
	if !p.elem.exact() {
		v.elem = p.elem
	}
	return v, nil
}

// compareValues compares results as ONNX's tests do.
func compareValues(got, want *value, rtol, atol float64) error {
	switch {
	case want == nil || got == nil:
		if want != nil || got != nil {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	case got.sequence != want.sequence || len(got.list) != len(want.list):
		return fmt.Errorf("%v, want %v", got, want)
	case got.sequence:
		for i := range got.list {
			if err := compareValues(got.list[i], want.list[i], rtol, atol); err != nil {
				return err
			}
		}
		return nil
	}
	return compareTensors(got.t, want.t, rtol, atol)
}

func compareTensors(got, want *tensor.Tensor, rtol, atol float64) error {
	if got.DType() != want.DType() || !slices.Equal(got.Dims(), want.Dims()) {
		return fmt.Errorf("%v %v, want %v %v", got.DType(), got.Dims(), want.DType(), want.Dims())
	}
	if got.DType().IsComplex() {
		got, want = got.Contiguous().ViewAsReal(), want.ViewAsReal()
	}
	a, b := got.FlattenAll().Float64s(), want.FlattenAll().Float64s()
	if !got.DType().IsFloat() {
		rtol, atol = 0, 0
	}
	// ONNX computes small floats in steps that round, and noise of its own has 1e-7.
	switch got.DType() {
	case tensor.BF16:
		rtol = max(rtol, 1.0/64)
	case tensor.F16:
		rtol = max(rtol, 1.0/512)
	case tensor.F32:
		atol = max(atol, 1e-6)
	}
	for i := range a {
		if a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i]) {
			continue
		}
		if !(math.Abs(a[i]-b[i]) <= atol+rtol*math.Abs(b[i])) {
			return fmt.Errorf("element %d is %v, want %v (%v of %v)", i, a[i], b[i], got.DType(), got.Dims())
		}
	}
	return nil
}
