package display

import (
	"strings"
	"testing"
)

// treeTensor is a tensor of a dtype, without elements.
type treeTensor struct{ dims []int }

func (t *treeTensor) Dims() []int { return t.dims }
func (t *treeTensor) ElemCount() int {
	n := 1
	for _, d := range t.dims {
		n *= d
	}
	return n
}
func (t *treeTensor) String() string { return "its elements\nTensor" }
func (t *treeTensor) Bytes() int     { return 4 * t.ElemCount() }
func (t *treeTensor) DType() string  { return "f32" }

type treeLayer struct {
	Weight, Bias *treeTensor
	Stride       int
	private      *treeTensor
}

type treeModel struct {
	Name   string
	First  *treeLayer
	Layers []any
	Next   *treeModel
	Table  [][]float64
	None   *treeTensor
}

func TestTree(t *testing.T) {
	layer := func(n int) *treeLayer {
		return &treeLayer{Weight: &treeTensor{[]int{n, 784}}, Bias: &treeTensor{[]int{n}}, Stride: 2,
			private: &treeTensor{[]int{1000}}}
	}
	m := &treeModel{Name: "digits", First: layer(10), Layers: []any{layer(20), 7, nil}, Table: [][]float64{{1}}}
	m.Next = m
	m.Layers = append(m.Layers, m.First)
	const want = `display.treeModel (Name digits): 4 tensors, 23,550 elements, 92.0 KiB
  First       display.treeLayer (Stride 2)
    Weight    [10, 784] f32
    Bias      [10] f32
  Layers      4 of any
    0         display.treeLayer (Stride 2)
      Weight  [20, 784] f32
      Bias    [20] f32
    3         display.treeLayer (Stride 2)
      Weight  [10, 784] f32, the same tensor again
      Bias    [10] f32, the same tensor again`
	if got := Render(m).Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Render(*m).Text(); !strings.HasPrefix(got, "display.treeModel (Name digits): 4 tensors") {
		t.Errorf("the struct itself: %s", got)
	}
	small := treeLayer{Weight: &treeTensor{[]int{2}}}
	if _, ok := treeOf(small); ok {
		t.Error("a few elements are not shown")
	}
	if _, ok := treeOf(&treeTensor{[]int{1000}}); ok {
		t.Error("a tensor is a tree")
	}
	for range 100 {
		m.Layers = append(m.Layers, layer(3))
	}
	text := Render(m).Text()
	if lines := strings.Count(text, "\n"); lines != treeLines+1 || !strings.Contains(text, " more lines\n") ||
		!strings.HasSuffix(text, "Bias    [3] f32") {
		t.Errorf("%d lines of a long one\n%s", lines, text)
	}
}

type treeForward struct{ Weight *treeTensor }

func (*treeForward) Forward(x *treeTensor) *treeTensor { return x }

// TestTreesOfValues: a layer is a tree however small it is; lists and maps are trees if they hold many elements.
func TestTreesOfValues(t *testing.T) {
	type named struct {
		Name   string
		Tensor *treeTensor
	}
	small, large := &treeTensor{[]int{2, 3}}, &treeTensor{[]int{10, 20}}
	for _, c := range []struct {
		v    any
		want string
	}{
		{&treeForward{small}, "display.treeForward: 1 tensor, 6 elements, 24 B\n  Weight  [2, 3] f32"},
		{[]*treeTensor{small, large},
			"2 of *display.treeTensor: 2 tensors, 206 elements, 824 B\n  0  [2, 3] f32\n  1  [10, 20] f32"},
		{map[string]any{"b": large, "a": []any{small}},
			"2 of any: 2 tensors, 206 elements, 824 B\n  a    1 of any\n    0  [2, 3] f32\n  b    [10, 20] f32"},
		{map[string]*treeTensor{"a": {[]int{3}}, "b": small}, "   value\na  its elements\nb  [2, 3] f32"},
		{[]named{{"w", small}, {"b", large}}, "   Name  Tensor\n0  w     [2, 3] f32\n1  b     [10, 20] f32"},
	} {
		if got := Render(c.v).Text(); got != c.want {
			t.Errorf("%T\n%s\nwant\n%s", c.v, got, c.want)
		}
	}
}
