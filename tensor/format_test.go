package tensor_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/tensor"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shown are the tensors whose text and HTML forms are kept in testdata/format.golden.
func shown() []struct {
	name string
	t    *tensor.Tensor
} {
	cpu := tensor.CPU()
	range3 := cpu.Arange(tensor.F32, 24).Reshape(2, 3, 4)
	return []struct {
		name string
		t    *tensor.Tensor
	}{
		{"scalar", cpu.Full(tensor.F32, -1.5)},
		{"vector", tensor.Of(0.1234567, 1, -1.2, math.NaN(), math.Inf(-1))},
		{"longer vector", cpu.Arange(tensor.I32, 23)},
		{"whole numbers", tensor.Of(1, 20, -300)},
		{"exponents", tensor.Of(1e-7, 1, 1e9)},
		{"zeros", cpu.Zeros(tensor.F64, 2, 2)},
		{"half", tensor.Of(1.0/3, 1000.5).To(tensor.F16)},
		{"brain float", tensor.Of(1.0/3, 1000.5).To(tensor.BF16)},
		{"integers", cpu.New([][]int64{{1, -20}, {math.MaxInt64, math.MinInt64}})},
		{"bytes", tensor.Of(1, 2, 3).Gt(2)},
		{"matrix", tensor.Of(1, 2.5, 3, 4, 5, 6).Reshape(2, 3).T()},
		{"rank 3", range3},
		{"empty", cpu.Zeros(tensor.F32, 0, 3)},
		{"large", cpu.Arange(tensor.I32, 10000).Reshape(100, 100)},
		{"large, one long dim", cpu.Arange(tensor.I32, 3000).Reshape(1000, 3)},
		{"large vector", cpu.Arange(tensor.F32, 3000)},
		{"large rank 3", cpu.Arange(tensor.U32, 16000).Reshape(20, 2, 400).Transpose(0, 1)},
	}
}

func TestFormatGolden(t *testing.T) {
	const file = "testdata/format.golden"
	var b strings.Builder
	for _, c := range shown() {
		fmt.Fprintf(&b, "-- %s\n%v\n%#v\n", c.name, c.t, c.t)
	}
	b.WriteString("\n== HTML\n")
	for _, c := range shown() {
		if c.t.ElemCount() <= 24 || c.name == "large" || c.name == "large rank 3" {
			// One tag a line, without the styles, which TestHTMLStyles looks at.
			html := c.t.HTML()
			for _, tag := range []string{"<table", "<tr", "</table"} {
				html = strings.ReplaceAll(html, tag, "\n"+tag)
			}
			for {
				before, rest, ok := strings.Cut(html, ` style="`)
				if !ok {
					break
				}
				_, after, _ := strings.Cut(rest, `"`)
				html = before + after
			}
			fmt.Fprintf(&b, "-- %s\n%s\n", c.name, html)
		}
	}
	if *update {
		must(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if got := b.String(); got != string(want) {
		t.Errorf("the forms changed; go test -run Golden -update rewrites %s:\n%s", file,
			firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// TestHTMLStyles checks that tables suit light and dark themes: no opaque colours.
func TestHTMLStyles(t *testing.T) {
	html := tensor.Of(1, 2).HTML()
	if !strings.Contains(html, `style="`) || strings.Contains(html, "background") || strings.Contains(html, "color:#") {
		t.Errorf("styles: %s", html)
	}
}

// TestOptions: display.Set changes how tensors are shown, and gives back what was.
func TestOptions(t *testing.T) {
	old := display.Set(display.Options{Precision: 2, Threshold: 4, EdgeItems: 1, LineWidth: 20})
	defer display.Set(old)
	if got, want := tensor.Of(1.23456, 2, 3, 4, 5).String(), "[1.23, ..., 5.00]\nTensor[[5], f32]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	display.Set(display.Options{Threshold: 100, Precision: -1})
	if got, want := tensor.Of(1.25, 2.5, 3.75, 4, 5, 6, 7, 8, 9, 10).String(),
		"[ 1,  2,  4,  4,  5,\n  6,  7,  8,  9, 10]\nTensor[[10], f32]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	display.Set(old)
	if got, want := tensor.Of(1.23456).String(), "[1.2346]\nTensor[[1], f32]"; got != want {
		t.Errorf("after setting back: got %q, want %q", got, want)
	}
}

// TestLineWidth: no line is wider than the options say, with its brackets and comma, and none ends early.
func TestLineWidth(t *testing.T) {
	old := display.Set(display.Options{LineWidth: 80})
	defer display.Set(old)
	for _, columns := range []int{20, 40, 80, 160} {
		display.Set(display.Options{LineWidth: columns})
		for _, shape := range [][]int{{60}, {6, 10}, {10, 6}, {2, 3, 10}, {1, 1, 1, 60}, {2000}, {50, 50}, {1500, 2}} {
			x := tensor.CPU().Arange(tensor.F32, 0, float64(tensor.CPU().Ones(tensor.F32, shape...).ElemCount())).
				Reshape(shape...).Div(7)
			text := x.String()
			lines := strings.Split(text, "\n")
			for i, line := range lines {
				if n := utf8.RuneCountInString(line); n > columns && !strings.HasPrefix(line, "Tensor") {
					t.Fatalf("%d columns of %d, shape %v:\n%s", n, columns, shape, text)
				}
				if i+1 == len(lines) || !strings.HasSuffix(line, ",") || strings.HasSuffix(line, "],") {
					continue
				}
				next, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), ",")
				if n := len(line) + 1 + len(next) + len(shape) - 1; n < columns && next != "..." {
					t.Fatalf("line %d has room for another element, shape %v, %d columns:\n%s", i+1, shape, columns, text)
				}
			}
		}
	}
	display.Set(display.Options{LineWidth: 40})
	got := tensor.CPU().Linspace(tensor.F32, 0, 1, 12).Reshape(2, 6).String()
	want := "[[0.0000, 0.0909, 0.1818, 0.2727,\n  0.3636, 0.4545],\n [0.5455, 0.6364, 0.7273, 0.8182,\n  0.9091, 1.0000]]\nTensor[[2, 6], f32]"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFormatVerbs: the verbs of package fmt are those of the elements.
func TestFormatVerbs(t *testing.T) {
	cpu := tensor.CPU()
	x := tensor.Of(1, 2.5, -30, 4).Reshape(2, 2)
	for _, c := range []struct {
		format string
		t      *tensor.Tensor
		want   string
	}{
		{"%.2f", tensor.Of(1, 2.5), "[1.00, 2.50]"},
		{"%.1f", x, "[[  1.0,   2.5],\n [-30.0,   4.0]]"},
		{"%8.1e", tensor.Of(1500), "[ 1.5e+03]"},
		{"%g", tensor.Of(0.25, 1e30), "[ 0.25, 1e+30]"},
		{"%d", cpu.New([]int{7, -12}), "[  7, -12]"},
		{"%04x", cpu.New([]uint8{255, 3}), "[00ff, 0003]"},
		{"%t", x.Gt(2).Get(0), "[false,  true]"},
		{"%.1f", cpu.FromSlice([]complex128{1 - 2i}, 1), "[(1.0-2.0i)]"},
		{"%.3f", cpu.Full(tensor.F32, 1.0/3), "0.333"},
		{"%v", cpu.Full(tensor.F32, 0.1), "0.1"},
		{"%v", cpu.Full(tensor.F64, 0.1), "0.1"},
		{"%v", cpu.Full(tensor.I64, int64(1<<53+2)), "9007199254740994"},
		{"%v", cpu.FromSlice([]complex64{0.1 + 2i}), "0.1+2i"},
		{"%s", tensor.Of(1).Get(0).Gt(0), "true"},
		{"%d", tensor.Of(1.5), "[%!d(float32=1.5)]"},
		{"%#v", tensor.Of(1.5), "tensor.Tensor[[1], f32]"},
	} {
		if got := fmt.Sprintf(c.format, c.t); got != c.want {
			t.Errorf("%s: %q, want %q", c.format, got, c.want)
		}
	}
	large := fmt.Sprintf("%.1f", cpu.Zeros(tensor.F32, 5000))
	if large != "[0.0, 0.0, 0.0, ..., 0.0, 0.0, 0.0]" {
		t.Error(large)
	}
}
