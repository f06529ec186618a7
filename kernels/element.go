package kernels

import (
	"fmt"
	"strings"
)

// Element describes a kernel that calls a function of a program for every element. See package internal/element.
type Element struct {
	Source   string // declares DEV Out element(inputs, captured, bool& failed), with what it calls
	Inputs   []FusedInput
	Captured []string // the types of the arguments that are the same for all elements
	Out      DType
	Rank     int  // dims of the layout of strided inputs, up to MaxDims; 0 if none is strided
	Wide     bool // counts and offsets need 64 bits
	UsesMath bool // the function calls functions of math.h and functions.h
	MayFail  bool // it may set failed
}

// ElementSymbol is the name of the kernels of Element.
const ElementSymbol = "map_elements"

// Unit returns the translation unit with the kernel. Its arguments are the inputs in their order, the dense out, the
// layout if there are strided inputs (see Fused), the count of elements (u32, or u64 if Wide), the captured values,
// eight bytes each, and if the function may fail the word of fault.h for the first element for which it has.
func (e *Element) Unit() (string, error) {
	headers := []string{"arith.h", "integers.h", "element.h", "fault.h", "fuse.h"}
	if e.UsesMath {
		headers = []string{"arith.h", "integers.h", "math32.h", "math64.h", "angle.h", "math.h", "functions.h",
			"special.h", "element.h", "fault.h", "fuse.h"}
	}
	return translationUnit(ElementSymbol, headers, []string{e.Source, e.kernel()})
}

func (e *Element) kernel() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	f := Fused{Inputs: e.Inputs, Rank: e.Rank, Wide: e.Wide}
	index := f.index()
	fmt.Fprintf(&b, "KERNEL %s(", ElementSymbol)
	var args []string
	for i, in := range e.Inputs {
		fmt.Fprintf(&b, "const %s* __restrict__ p%d, ", in.Type.Stored(), i)
		args = append(args, fmt.Sprintf("x%d", i)) // a byte of Bool becomes a bool
	}
	fmt.Fprintf(&b, "%s* __restrict__ out", e.Out.Stored())
	if f.Strided() > 0 {
		fmt.Fprintf(&b, ", %s w", f.walk())
	}
	fmt.Fprintf(&b, ", %s n", index)
	for i, t := range e.Captured {
		fmt.Fprintf(&b, ", Number<%s> c%d", t, i)
		args = append(args, fmt.Sprintf("c%d.value()", i))
	}
	if e.MayFail {
		b.WriteString(", u64* fault")
	}
	line(") {")
	line("  for (%s i = (%s)first(); i < n; i += (%s)stride()) {", index, index, index)
	f.reads(line, false, index)
	line("    bool failed = false;")
	line("    out[i] = element(%s, failed);", strings.Join(args, ", "))
	if e.MayFail {
		line("    if (failed) report(fault, i);")
	}
	line("  }")
	b.WriteString("}")
	return b.String()
}
