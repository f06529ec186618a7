package repl

import (
	"context"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
	"github.com/gorocm/gorocm/repl/golang"
)

// TestTensors: %tensors shows variables and devices in one display, as text and as HTML.
func TestTensors(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(code string) (shown display.Bundle) {
		t.Helper()
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) {
			if e.Kind == Display || e.Kind == Result {
				shown = e.Data
			}
		})
		if r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
		return shown
	}
	if b := run("%tensors"); !strings.HasPrefix(b.Text(), "no variable holds a tensor") {
		t.Errorf("an empty session: %s", b.Text())
	}
	run("dev := Device(\"rocm\")\nx := dev.Zeros(tensor.F32, 2, 3)\np := x.PinMemory()")
	b := run("%tensors")
	for _, want := range []string{"x  [2 3]  f32  rocm:0       24 B\n", "p  [2 3]  f32  cpu, pinned  24 B\n",
		"rocm:0: ", " in use, ", "4.0 KiB of the host's pinned"} {
		if !strings.Contains(b.Text(), want) {
			t.Errorf("no %q in %s", want, b.Text())
		}
	}
	for _, want := range []string{"<code>x</code>", "<code>[2 3]</code>", "display:flex", "min-width:2px"} {
		if !strings.Contains(b[display.MIMEHTML], want) {
			t.Errorf("no %q in %s", want, b[display.MIMEHTML])
		}
	}
	if b := run("dev"); !strings.HasPrefix(b.Text(), "rocm:0: ") ||
		!strings.Contains(b[display.MIMEHTML], "display:flex") {
		t.Errorf("a device: %v", b)
	}
}

// TestHeldTensors: tensors inside of structs, slices and maps are listed, each once.
func TestHeldTensors(t *testing.T) {
	s := newSession(t)
	if !golang.Alone() {
		t.Skip("a goroutine of another test's session still runs: then no map is read")
	}
	mustRun(t, s, `x := tensor.Of(1, 2)
type net struct { first, second *nn.Linear; parts []*tensor.Tensor; self *net }
p := nn.NewParams(tensor.F32, tensor.CPU())
m := &net{first: nn.NewLinear(3, 2, p.At("a")), parts: []*tensor.Tensor{x, tensor.Of(3)}}
m.self, m.second = m, m.first
byName := map[string]any{"b": tensor.Of(4), "n": 5}
var none *net
long := make([]*tensor.Tensor, 20)
for i := range long { long[i] = tensor.Of(float64(i)) }
`)
	var names []string
	for _, r := range s.tensorRows() {
		names = append(names, r[0])
	}
	got := strings.Join(names, " ")
	want := `x byName["b"] long[0] long[1]`
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	want = "long[15] long … m.first.Weight m.first.Bias m.parts[1]"
	if !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCapturedTensors: what function literals keep alive is listed, by its shortest name, until they are dropped.
func TestCapturedTensors(t *testing.T) {
	s := newSession(t)
	if !golang.Alone() {
		t.Skip("a goroutine of another test's session still runs: then no function is looked into")
	}
	mustRun(t, s, `type cfg struct { w *tensor.Tensor; any any }
c := &cfg{tensor.Of(1), nil}
c.any = map[string]any{"k": []any{tensor.Of(2)}}
var e any = tensor.Of(3)
p := &e
func outer(n float64) func() float64 {
	z := []*tensor.Tensor{tensor.Of(n)}
	calls := 0.0
	return func() float64 { calls++; return z[0].Sum().Float64s()[0] * calls }
}
mk := func() func() *tensor.Tensor { z := tensor.Of(4); return func() *tensor.Tensor { return z } }
g, h := mk(), outer(5)
s := []struct{ f func() float64 }{{outer(6)}}
nested := func() func() float64 { inner := outer(7); return func() float64 { return inner() } }()
`)
	mustRun(t, s, `var loop func()
loop = func() { loop() }`)
	mustRun(t, s, `h() + s[0].f() + nested()`)
	check := func(want string) {
		t.Helper()
		var names []string
		for _, r := range s.tensorRows() {
			names = append(names, r[0])
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	check(`e, c.w, c.any["k"][0], g (captured), h (captured), s[0].f (captured), nested (captured) (captured)`)
	mustRun(t, s, `mk, g, h, s, nested = nil, nil, nil, nil, nil`)
	check(`e, c.w, c.any["k"][0]`)
}
