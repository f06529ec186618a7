// Package hip writes typed code (package ir) that computes with numbers as functions in the C++ of package kernels, for
// GPUs.
//
// A function has the parameters of its Go function and one more, by which it says that it has panicked: who calls it
// stops then. Which panic it is nobody needs to know, because the host computes the element once more. Blocks become
// labels and gotos, and all values are variables that are declared at the start of the function, because C++ allows no
// goto past an initialisation. Integers have the types of Go, and the functions of element.h do with them what Go does.
package hip

import (
	"fmt"
	"math"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// Source is what a Writer has written: functions, and what they need.
type Source struct {
	Text     string
	MayFail  bool // a function may panic
	UsesMath bool // one calls functions of math.h and functions.h
}

// Writer writes functions, each after those that it calls.
type Writer struct {
	text     strings.Builder
	tuples   map[string]bool // the functions with none or several results, which are structs
	mayFail  bool
	usesMath bool
}

// Source returns what has been written so far.
func (w *Writer) Source() Source { return Source{w.text.String(), w.mayFail, w.usesMath} }

var types = [...]string{ir.Bool: "bool", ir.Int8: "i8", ir.Int16: "i16", ir.Int32: "i32", ir.Int64: "i64",
	ir.Uint8: "u8", ir.Uint16: "u16", ir.Uint32: "u32", ir.Uint64: "u64", ir.Float32: "f32", ir.Float64: "f64"}

// Type is the type of values of a kind.
func Type(k ir.Kind) string { return types[k] }

// Function writes a function. callees are the names of the functions that it calls, by the Proc of calls. It panics
// with a string for what is not written.
func (w *Writer) Function(name string, f *ir.Func, callees []string) {
	p := &printer{w: w, f: f, callees: callees, result: name + "_result", labels: map[*ir.Block]int{}}
	for i, b := range f.Blocks {
		p.labels[b] = i
	}
	if len(f.Results) == 1 {
		p.result = types[f.Results[0]]
	} else {
		if w.tuples == nil {
			w.tuples = map[string]bool{}
		}
		w.tuples[name] = true
		fmt.Fprintf(&w.text, "struct %s {", p.result)
		for i, k := range f.Results {
			fmt.Fprintf(&w.text, " %s r%d;", types[k], i)
		}
		w.text.WriteString(" };\n")
	}
	fmt.Fprintf(&w.text, "DEV %s %s(", p.result, name)
	for i, k := range f.Params {
		fmt.Fprintf(&w.text, "%s p%d, ", types[k], i)
	}
	w.text.WriteString("bool& failed) {\n")
	p.declare()
	for _, b := range f.Blocks {
		p.block(b)
	}
	w.text.WriteString("}\n")
}

// printer writes one function.
type printer struct {
	w       *Writer
	f       *ir.Func
	callees []string
	result  string
	labels  map[*ir.Block]int
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.w.text, "  "+format+"\n", args...) }

// declare declares the variables.
func (p *printer) declare() {
	if p.f.Memory > 0 {
		p.line("alignas(8) u8 frame[%d];", p.f.Memory)
	}
	for _, b := range p.f.Blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == ir.Call && p.w.tuples[p.callees[v.Proc]]:
				p.line("%s_result v%d;", p.callees[v.Proc], v.ID)
			case v.Op == ir.Call && len(callResults(v, b)) == 1:
				p.line("%s v%d;", types[callResults(v, b)[0].Kind], v.ID)
			case v.Kind != ir.None:
				p.line("%s v%d;", types[v.Kind], v.ID)
			}
		}
	}
}

// callResults are the results of a call that are used. They follow it.
func callResults(call *ir.Value, b *ir.Block) (list []*ir.Value) {
	for _, v := range b.Values {
		if v.Op == ir.Result && v.Args[0] == call {
			list = append(list, v)
		}
	}
	return list
}

func (p *printer) block(b *ir.Block) {
	fmt.Fprintf(&p.w.text, "b%d:\n", p.labels[b])
	for _, v := range b.Values {
		p.value(v, b)
	}
	switch b.Kind {
	case ir.Jump:
		p.edge(b, b.Succs[0])
	case ir.If:
		p.line("if (%s) goto b%d;", p.operand(b.Control), p.labels[b.Succs[0]])
		p.line("goto b%d;", p.labels[b.Succs[1]])
	case ir.Return:
		var list []string
		for _, r := range b.Results {
			list = append(list, p.operand(r))
		}
		if len(list) == 1 {
			p.line("return %s;", list[0])
		} else {
			p.line("return {%s};", strings.Join(list, ", "))
		}
	case ir.Dead:
		p.fail()
	}
}

// edge gives the phis of the next block their values, all at once, and goes there.
func (p *printer) edge(b, next *ir.Block) {
	way := 0
	for next.Preds[way] != b {
		way++
	}
	var phis []*ir.Value
	for _, v := range next.Values {
		if v.Op == ir.Phi && v.Args[way] != v {
			phis = append(phis, v)
		}
	}
	switch len(phis) {
	case 0:
		p.line("goto b%d;", p.labels[next])
		return
	case 1:
		p.line("v%d = %s;", phis[0].ID, p.operand(phis[0].Args[way]))
		p.line("goto b%d;", p.labels[next])
		return
	}
	p.line("{")
	for i, v := range phis {
		p.line("  const %s t%d = %s;", types[v.Kind], i, p.operand(v.Args[way]))
	}
	for i, v := range phis {
		p.line("  v%d = t%d;", v.ID, i)
	}
	p.line("  goto b%d;", p.labels[next])
	p.line("}")
}

// fail leaves the function, which has panicked.
func (p *printer) fail() {
	p.w.mayFail = true
	p.line("failed = true;")
	p.line("return %s();", p.result)
}

// operand spells a value.
func (p *printer) operand(v *ir.Value) string {
	if v.Op != ir.Const {
		return fmt.Sprintf("v%d", v.ID)
	}
	switch v.Kind {
	case ir.Bool:
		return []string{"false", "true"}[v.Imm&1]
	case ir.Float32:
		return float32Text(math.Float32frombits(uint32(v.Imm)))
	case ir.Float64:
		return float64Text(math.Float64frombits(uint64(v.Imm)))
	}
	if v.Kind == ir.Ptr {
		panic("an address in device code")
	}
	return fmt.Sprintf("(%s)0x%xull", types[v.Kind], uint64(v.Imm))
}

func float32Text(f float32) string {
	if f != f || math.IsInf(float64(f), 0) {
		return fmt.Sprintf("bitcast<f32>(0x%xu)", math.Float32bits(f))
	}
	return fmt.Sprintf("%xf", f)
}

func float64Text(f float64) string {
	if f != f || math.IsInf(f, 0) {
		return fmt.Sprintf("bitcast<f64>(0x%xull)", math.Float64bits(f))
	}
	return fmt.Sprintf("%x", f)
}
