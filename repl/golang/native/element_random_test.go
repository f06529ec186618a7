package native

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

var randomElements = flag.Int("elements", 16,
	"how many random functions of numbers TestRandomElements runs as compiled Go, machine code and a kernel")

// elementsAtOnce is how many random functions become one kernel, because compilers take a second for each.
const elementsAtOnce = 8

// elementSource are random functions of numbers, and one that calls them by their number.
func elementSource(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 2)), numbers: true}
	for i := range elementsAtOnce {
		g.calls, g.loops, g.depth = i, 0, 1
		g.vars = []variable{{"total", "int"}, {"a", "int"}, {"b", "int32"}, {"x", "float64"}, {"y", "float32"}}
		g.reads = []variable{{"b8", "int"}}
		fmt.Fprintf(&g.out, "func f%d(a int, b int32, x float64, y float32) uint64 {\n", i)
		g.line("total, b8, is := 0, int(b&7), [4]int{3, -1, 1 << 40}")
		for range 4 + g.r.IntN(8) {
			g.statement()
		}
		g.line("if x != x { x = 0.25 }") // whose bits differ
		g.line("if y != y { y = 0.5 }")
		g.line("return uint64(total+b8+is[0]+is[1]+is[2]) + 3*uint64(a) + 5*uint64(b) ^ math.Float64bits(x) + " +
			"uint64(math.Float32bits(y))<<7")
		fmt.Fprintf(&g.out, "}\n\n")
	}
	fmt.Fprintf(&g.out, "func element(which uint8, a int, b int32, x float64, y float32, k int16) uint64 {\n\tswitch which {\n")
	for i := range elementsAtOnce {
		fmt.Fprintf(&g.out, "\tcase %d:\n\t\treturn f%d(a+int(k), b, x, y)\n", i, i)
	}
	fmt.Fprintf(&g.out, "\t}\n\treturn 0\n}\n")
	return "import \"math\"\n" + g.out.String()
}

// elementFunction makes of the function element of a file what a session does; the last parameter stands for a captured
// variable.
func elementFunction(t testing.TB, src string, typ reflect.Type, captured int16) *element.Function {
	t.Helper()
	f, why := elementOf(t, src, typ, captured)
	if why != "" {
		t.Fatalf("%s\n%s", why, src)
	}
	return f
}

// elementOf is elementFunction, or says why the function is not compiled.
func elementOf(t testing.TB, src string, typ reflect.Type, captured int16) (f *element.Function, refused string) {
	t.Helper()
	p := New(plainType)
	list := sourcesOf(t, src)
	sources := map[*types.Func]Source{}
	var units []Unit
	code := &element.Code{}
	f = &element.Function{Code: code, Captured: []uint64{uint64(captured)}, Func: reflect.MakeFunc(typ,
		func([]reflect.Value) []reflect.Value { panic("interpreted") })}
	var e Source
	for _, s := range list {
		sources[s.Object] = s
		units = append(units, Unit{Source: s, Name: s.Object.Name(), Called: s.Object})
		e = s // the last one
	}
	outcomes := p.Compile(units)
	proc, why := p.CompileLoop(e, 1)
	if why != nil {
		refused = fmt.Sprint(why, " at ", e.Fset.Position(why.Pos))
		for _, o := range outcomes {
			if o.Reason != nil {
				refused += fmt.Sprint("; ", o.Reason, " at ", e.Fset.Position(o.Reason.Pos))
			}
		}
		return nil, refused
	}
	code.Loop = func(b *element.Block) { proc.Code().RunLoop(testHost(), 0, b) }
	code.Try = func(b *element.Block, _ func() bool) (ok bool) {
		defer func() { ok = recover() == nil }()
		code.Loop(b)
		return
	}
	d, why := NewDevice(e, func(f *types.Func) (Source, bool) { s, ok := sources[f]; return s, ok })
	if why != nil {
		return nil, fmt.Sprint(why, " at ", e.Fset.Position(why.Pos))
	}
	code.Device = func() (*element.Device, *element.Reason) {
		return &element.Device{Source: d.Text, MayFail: d.MayFail, UsesMath: d.UsesMath, Captured: []string{"i16"},
			Operation: "random.hip"}, nil
	}
	return f, ""
}

// TestRandomElements compares random functions over elements as compiled Go, as machine code, and as a kernel of the
// emulated GPU: their results, and the texts of their panics.
func TestRandomElements(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs and kernels")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	if why := enter.Unsupported(); why != "" {
		t.Skip(why)
	}
	host := []*tensor.Device{tensor.CPU(), kernelDevice(t)}
	for first := 0; first < *randomElements; first += elementsAtOnce {
		seed := *randomSeed + uint64(first)
		src := elementSource(seed)
		want := elementsCompiled(t, src)
		f, why := elementOf(t, src, reflect.TypeFor[func(uint8, int, int32, float64, float32) uint64](), -2)
		if mayRefuse.MatchString(why) {
			t.Logf("seed %d: %s", seed, why)
			continue
		}
		if why != "" {
			t.Fatalf("seed %d: %s\n%s", seed, why, src)
		}
		for which := range elementsAtOnce {
			for k, in := range randomInputs {
				key := fmt.Sprint(which, " ", k)
				for _, dev := range host {
					got := oneElement(dev, f, which, in.a, in.b, in.x)
					if got != want[key] {
						t.Errorf("seed %d: f%d%v on %s\ngot  %s\nwant %s", seed, which, in, dev.Location(), got, want[key])
					}
				}
			}
		}
	}
}

func oneElement(dev *tensor.Device, f *element.Function, which, a int, b int32, x float64) (s string) {
	defer func() {
		if v := recover(); v != nil {
			s = fmt.Sprint("panic: ", v)
			if e, ok := v.(*tensor.Error); ok {
				s += strings.Join(e.Notes, "\n")
			}
		}
	}()
	y := tensor.Map(f, dev.New([]uint8{uint8(which)}), dev.New([]int{a}), dev.New([]int32{b}), dev.New([]float64{x}),
		dev.New([]float32{float32(x)}))
	return fmt.Sprint(tensor.ToVec1[uint64](y)[0])
}

// kernelDevice is the emulated GPU, where a compiler for it is on this machine.
func kernelDevice(t *testing.T) *tensor.Device {
	t.Helper()
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	gpu, err := rocm.Open("rocm")
	if err == nil {
		_, err = gpu.Compile("nothing.hip", `extern "C" __attribute__((global)) void nothing(int *x) { x[0] = 1; }`)
	}
	if errors.Is(err, rocm.ErrNoLibrary) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return dev
}

// elementsCompiled builds the functions with the go command and runs them.
func elementsCompiled(t *testing.T, src string) map[string]string {
	t.Helper()
	var main strings.Builder
	main.WriteString("package main\n\nimport \"fmt\"\n" + src + `
func one(which uint8, a int, b int32, x float64) (s string) {
	defer func() {
		if v := recover(); v != nil {
			s = fmt.Sprint("panic: ", v)
		}
	}()
	return fmt.Sprint(element(which, a, b, x, float32(x), -2))
}

func main() {
`)
	for which := range elementsAtOnce {
		for k, in := range randomInputs {
			fmt.Fprintf(&main, "\tfmt.Println(\"%d %d\\t\" + one(%d, %d, %d, %v))\n", which, k, which, in.a, in.b, in.x)
		}
	}
	main.WriteString("}\n")
	r := map[string]string{}
	for line := range bytes.Lines(runProgram(t, main.String())) {
		k, v, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		r[k] = v
	}
	return r
}
