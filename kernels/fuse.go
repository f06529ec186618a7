package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// Fused describes a kernel that fuses a chain of elementwise operations, optionally closed by a reduction. Every step
// rounds as its own kernel does, so the result is bit-identical; only the last step writes to memory. The zero values
// of Rank and Pack mean that all inputs are dense, and one element at a time.
type Fused struct {
	Inputs []FusedInput
	// the types of the numbers that are arguments: of the operand that a number replaces, F64 or I64 for parameters
	Numbers []DType
	Steps   []FusedStep
	Rank    int  // dims of the layout of strided inputs, up to MaxDims; 0 if none is strided
	Wide    bool // counts and offsets need 64 bits
	Pack    int  // elements that are read and written at once; 0 or 1 if an input prevents packs
	Close   FusedClose
}

// FusedInput is an operand in memory.
type FusedInput struct {
	Type DType
	Walk FusedWalk
}

// FusedWalk is the layout of an input.
type FusedWalk uint8

// The layouts of inputs.
const (
	FusedDense    FusedWalk = iota // element i of the result depends on element i
	FusedStrided                   // along the dims of the layout; the elements of a pack are contiguous
	FusedRepeated                  // the same for all elements of a pack
)

// FusedStep is one operation. Its operands are earlier steps, inputs and numbers.
type FusedStep struct {
	Kind   FusedKind
	Op     string // the row of the table; empty for kinds without one
	In     DType  // of the operands, where of the first
	Out    DType
	Args   [3]FusedRef
	Params [2]uint8 // which numbers are the parameters
}

// FusedKind names the table of a step's row.
type FusedKind uint8

// The kinds of steps.
const (
	FusedUnary   FusedKind = iota
	FusedParam             // one parameter, of F64
	FusedAffine            // two parameters, of F64 or I64
	FusedCast              // from In to Out
	FusedBinary            //
	FusedCompare           // Out is U8
	FusedWhere             // In is the type of the condition, Out that of the others
)

// FusedRef is an operand of a step.
type FusedRef struct {
	From  FusedFrom
	Index uint8
}

// FusedFrom is the kind of an operand.
type FusedFrom uint8

// The kinds of operands.
const (
	FromInput FusedFrom = iota
	FromStep
	FromNumber
)

// Operands is the number of operands of a step of the kind.
func (k FusedKind) Operands() int {
	switch k {
	case FusedBinary, FusedCompare:
		return 2
	case FusedWhere:
		return 3
	}
	return 1
}

// Params is the number of parameters of a step of the kind.
func (k FusedKind) Params() int {
	switch k {
	case FusedParam:
		return 1
	case FusedAffine:
		return 2
	}
	return 0
}

// name is the step's part of the kernel's name.
func (s *FusedStep) name() string {
	switch s.Kind {
	case FusedAffine:
		return "affine"
	case FusedCast:
		return s.Out.String()
	case FusedWhere:
		return "where"
	}
	return s.Op
}

// AppendKey appends a short encoding that identifies the kernel to key.
func (f *Fused) AppendKey(key []byte) []byte {
	wide := byte(0)
	if f.Wide {
		wide = 1
	}
	key = append(key, byte(f.Rank), wide, byte(f.Pack), byte(len(f.Inputs)), byte(len(f.Numbers)))
	for _, in := range f.Inputs {
		key = append(key, byte(in.Type), byte(in.Walk))
	}
	for _, t := range f.Numbers {
		key = append(key, byte(t))
	}
	for i := range f.Steps {
		s := &f.Steps[i]
		key = append(key, byte(s.Kind), byte(s.In), byte(s.Out))
		key = append(key, s.Op...)
		key = append(key, 0)
		for _, a := range s.Args[:s.Kind.Operands()] {
			key = append(key, byte(a.From), a.Index)
		}
		key = append(key, s.Params[:s.Kind.Params()]...)
	}
	return f.Close.appendKey(key)
}

// fusedNames is the number of steps spelled out in a kernel's name.
const fusedNames = 8

// Symbol returns the kernel's name: fused_mul_add_tanh, fused_sub_sqr_mean with a closing reduction; add_f32 for a
// single operation.
func (f *Fused) Symbol() string {
	if len(f.Steps) == 1 && !f.closed() {
		switch s := &f.Steps[0]; s.Kind {
		case FusedCast:
			return fmt.Sprintf("cast_%v_%v", s.In, s.Out)
		case FusedWhere:
			return fmt.Sprintf("where_%v_%v", s.In, s.Out)
		default:
			return symbol(s.name(), s.In)
		}
	}
	var b strings.Builder
	b.WriteString("fused")
	for i := range f.Steps {
		if i == fusedNames-1 && len(f.Steps) > fusedNames {
			fmt.Fprintf(&b, "_and_%d_more", len(f.Steps)-i)
			break
		}
		b.WriteString("_" + f.Steps[i].name())
	}
	if f.closed() {
		b.WriteString("_" + f.Close.Op)
	}
	return b.String()
}

// Strided is the number of inputs that are not dense: the layout has strides of those.
func (f *Fused) Strided() int {
	n := 0
	for _, in := range f.Inputs {
		if in.Walk != FusedDense {
			n++
		}
	}
	return n
}

// Out is the element type of the result.
func (f *Fused) Out() DType { return f.Steps[len(f.Steps)-1].Out }

// Source returns the translation unit with the kernel. Its arguments are the inputs in their order, the dense out, the
// layout if there are strided inputs, the count of elements (u32, or u64 if Wide), and the numbers, eight
// bytes each. The layout has Rank dims and then, for each strided input, as many strides, all of them u32, or u64 if
// Wide. With a closing reduction the count is omitted, and the arguments of the reduction's own kernel follow the
// numbers: parts, counters, a Layout1 of the chain's result, rows, cols and part.
func (f *Fused) Source() (string, error) {
	headers := slices.Concat(rowHeaders, []string{"cast.h", "fuse.h"})
	if f.closed() {
		headers = append(headers, "sum.h", "rows.h", "finish.h", "reduce.h")
	}
	return translationUnit(f.Symbol(), headers, f.lines())
}

// lines renders the functors of the steps, their chain, and the kernel.
func (f *Fused) lines() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	seen := map[string]bool{}
	for i := range f.Steps {
		if line := f.Steps[i].functor(); line != "" && !seen[line] {
			seen[line] = true
			add("%s", line)
		}
	}
	add("struct Chain {")
	for i, t := range f.Numbers {
		add("  %s n%d;", numberType(t, f.isParam(i)), i)
	}
	params := make([]string, len(f.Inputs))
	for i, in := range f.Inputs {
		params[i] = fmt.Sprintf("%v x%d", in.Type, i)
	}
	add("  DEV %v operator()(%s) const {", f.Out(), strings.Join(params, ", "))
	for i := range f.Steps {
		add("    const %v s%d = %s;", f.Steps[i].Out, i, f.value(&f.Steps[i]))
	}
	add("    return s%d;", len(f.Steps)-1)
	add("  }")
	add("};")
	if f.closed() {
		return append(lines, f.closing()...)
	}
	return append(lines, f.kernel())
}

// isParam reports whether a number is a parameter of a step and not an operand.
func (f *Fused) isParam(n int) bool {
	for i := range f.Steps {
		s := &f.Steps[i]
		for _, p := range s.Params[:s.Kind.Params()] {
			if int(p) == n {
				return true
			}
		}
	}
	return false
}

// numberType is the declared type of a number: an operand is passed as its bits.
func numberType(t DType, param bool) string {
	if param {
		return t.String()
	}
	return fmt.Sprintf("Number<%v>", t)
}

// functor is the macro call that defines the step's functor, if it needs one.
func (s *FusedStep) functor() string {
	if s.storedArith() {
		return ""
	}
	macro, c := "", ""
	switch s.Kind {
	case FusedUnary:
		macro, c = "UNARY_OP", rowOf(Unary, s.Op, func(r *UnaryOp) string { return r.Name }).C
	case FusedParam:
		macro, c = "PARAM_OP", rowOf(Params, s.Op, func(r *ParamOp) string { return r.Name }).C
	case FusedBinary:
		macro, c = "BINARY_OP", rowOf(Binary, s.Op, func(r *BinaryOp) string { return r.Name }).C
	case FusedCompare:
		macro, c = "COMPARE_OP", rowOf(Compare, s.Op, func(r *CompareOp) string { return r.Name }).C
	default:
		return ""
	}
	return fmt.Sprintf("%s(%s, %v, %s)", macro, s.Op, s.In, c)
}

func rowOf[R any](rows []R, name string, nameOf func(*R) string) *R {
	for i := range rows {
		if nameOf(&rows[i]) == name {
			return &rows[i]
		}
	}
	return new(R)
}

// value is the expression of a step: operands are loaded and the result is stored as if both were in memory.
func (f *Fused) value(s *FusedStep) string {
	stored := func(k int) string {
		a := s.Args[k]
		switch a.From {
		case FromStep:
			return fmt.Sprintf("s%d", a.Index)
		case FromNumber:
			return fmt.Sprintf("n%d.value()", a.Index)
		}
		return fmt.Sprintf("x%d", a.Index)
	}
	loaded := func(k int) string { return fmt.Sprintf("Element<%v>::load(%s)", s.In, stored(k)) }
	c := fmt.Sprintf("Compute<%v>", s.In)
	var value string
	switch s.Kind {
	case FusedUnary:
		value = fmt.Sprintf("%s_%v_op()(%s)", s.Op, s.In, loaded(0))
	case FusedParam:
		value = fmt.Sprintf("%s_%v_op{(%s)n%d}(%s)", s.Op, s.In, c, s.Params[0], loaded(0))
	case FusedAffine:
		value = fmt.Sprintf("Affine<%s>{(%s)n%d, (%s)n%d}(%s)", c, c, s.Params[0], c, s.Params[1], loaded(0))
	case FusedBinary:
		if s.storedArith() {
			return fmt.Sprintf("stored_%s(%s, %s)", s.Op, stored(0), stored(1))
		}
		value = fmt.Sprintf("%s_%v_op()(%s, %s)", s.Op, s.In, loaded(0), loaded(1))
	case FusedCompare:
		return fmt.Sprintf("%s_%v_op()(%s, %s)", s.Op, s.In, loaded(0), loaded(1))
	case FusedCast:
		return fmt.Sprintf("Cast<%v, %v>::of(%s)", s.In, s.Out, stored(0))
	case FusedWhere:
		return fmt.Sprintf("%s ? %s : %s", stored(0), stored(1), stored(2))
	}
	return fmt.Sprintf("stored<%v>(%s)", s.Out, value)
}

// storedArith reports whether fuse.h computes the step in the storage type.
func (s *FusedStep) storedArith() bool {
	return s.Kind == FusedBinary && (s.In == F16 || s.In == BF16) && (s.Op == "add" || s.Op == "sub" || s.Op == "mul")
}

// kernel renders the loop, in packs where inputs have them.
func (f *Fused) kernel() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	index := f.index()
	b.WriteString(f.head(f.Out().String()))
	fmt.Fprintf(&b, ", %s n", index)
	numbers, names := f.numberParams()
	line("%s) {", numbers)
	line("  const Chain chain = {%s};", names)
	line("  %s done = 0;", index)
	if f.Pack > 1 {
		line("  const int V = %d;", f.Pack)
		line("  const u32 U = %d;  // packs under way", f.underWay())
		line("  for (%s first_pack = (%s)first(); first_pack < n / V; first_pack += U * (%s)stride()) {", index, index,
			index)
		for i, in := range f.Inputs {
			line("    Pack<%v, V> x%d[U];", in.Type, i)
		}
		each := func(body func()) {
			line("#pragma unroll")
			line("    for (u32 u = 0; u < U; u++) {")
			line("      const %s i = first_pack + u * (%s)stride();", index, index)
			line("      if (u > 0 && i >= n / V) break;")
			body()
			line("    }")
		}
		each(func() { f.reads(line, true, index) })
		each(func() {
			line("      Pack<%v, V> y;", f.Out())
			line("#pragma unroll")
			line("      for (int j = 0; j < V; j++) y.at[j] = chain(%s);", f.each("x%d[u].at[j]"))
			line("      put_pack(out, i, y);")
		})
		line("  }")
		line("  done = n / V * V;")
	}
	line("  for (%s i = done + (%s)first(); i < n; i += (%s)stride()) {", index, index, index)
	f.reads(line, false, index)
	line("    out[i] = chain(%s);", f.each("x%d"))
	line("  }")
	b.WriteString("}")
	return b.String()
}

// index is the type of offsets and counts.
func (f *Fused) index() string {
	if f.Wide {
		return "u64"
	}
	return "u32"
}

// head renders the beginning of a kernel's signature: its name, inputs, result and layout.
func (f *Fused) head(out string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "KERNEL %s(", f.Symbol())
	for i, in := range f.Inputs {
		fmt.Fprintf(&b, "const %v* __restrict__ p%d, ", in.Type, i)
	}
	fmt.Fprintf(&b, "%s* __restrict__ out", out)
	if f.Strided() > 0 {
		fmt.Fprintf(&b, ", %s w", f.walk())
	}
	return b.String()
}

// walk is the type of the layout.
func (f *Fused) walk() string { return fmt.Sprintf("Walk<%d, %d, %s>", f.Strided(), f.Rank, f.index()) }

// numberParams declares the numbers as arguments, each after a comma, and lists their names.
func (f *Fused) numberParams() (params, names string) {
	list := make([]string, len(f.Numbers))
	for i, t := range f.Numbers {
		list[i] = fmt.Sprintf("n%d", i)
		params += fmt.Sprintf(", %s n%d", numberType(t, f.isParam(i)), i)
	}
	return params, strings.Join(list, ", ")
}

// underWay is the number of packs that a thread reads before it writes one. With little computation, one is not enough
// to keep the memory busy; with much, more would only enlarge the code.
func (f *Fused) underWay() int {
	if f.Long() && len(f.Steps)*f.Pack > 4 {
		return 1
	}
	return 2
}

// Long reports whether an element needs much computation.
func (f *Fused) Long() bool {
	return len(f.Steps) > 4 || slices.ContainsFunc(f.Steps,
		func(s FusedStep) bool { return s.Kind == FusedUnary || s.Kind == FusedParam })
}

// reads renders the loads of the inputs of element i, or of pack i.
func (f *Fused) reads(line func(format string, args ...any), packed bool, index string) {
	k, of := 0, "i"
	if packed {
		of = "i * V"
	}
	if n := f.Strided(); n > 0 {
		line("    %s at[%d];", index, n)
		line("    w.places(%s, at);", of)
	}
	for i, in := range f.Inputs {
		place := "i"
		if in.Walk != FusedDense {
			place = fmt.Sprintf("at[%d]", k)
			k++
		}
		switch {
		case !packed:
			line("    const %v x%d = p%d[%s];", in.Type, i, i, place)
		case in.Walk == FusedDense:
			line("      x%d[u] = pack_at<V>(p%d, i);", i, i)
		case in.Walk == FusedStrided:
			line("      x%d[u] = pack_of<V>(p%d + %s, DENSE);", i, i, place)
		default:
			line("      x%d[u] = pack_of<V>(p%d + %s, ONE_VALUE);", i, i, place)
		}
	}
}

// each lists something for every input.
func (f *Fused) each(format string) string {
	list := make([]string, len(f.Inputs))
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ", ")
}
