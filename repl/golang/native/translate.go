package native

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// translator makes the typed code of one function.
type translator struct {
	*scope
	p       *Program
	f       *ir.Func
	b       *ir.Block // where values are added
	work    *work
	resolve func(at *translator, f *types.Func) (int, *Reason) // see proc
	// resolveInstance does the same for an instance.
	resolveInstance func(at *translator, f *types.Func, args []types.Type) (int, *Reason)
	keep            *[]any                        // what the code refers to
	at              token.Pos                     // of the instruction in work
	typeOf          func(types.Type) reflect.Type // what interpreted code has for a type
	left            int                           // how many instructions may still be translated
	device          *deviceCode                   // device code is to be made; nil for machine code
	batch           map[*Proc]*work               // functions that are compiled together
	pastedValues    int                           // of functions whose code is in the place of their calls
	callees         []string                      // in device code, what calls call by their Proc
	gives           bool                          // functions that are given literals may be in the place of calls
	givenSize       int                           // of these
	moved           map[*ir.Value]moved           // variables of the frame that may be on the heap at times
}

// origin is the source of what is in work.
type origin struct {
	s        *Source
	places   map[token.Pos]token.Pos
	called   map[token.Pos]token.Pos // see calledAt
	literals map[*ast.FuncLit]string // what traces call them
}

// scope is what is known of the function in work: the one that is compiled, or a literal in the place of a call.
type scope struct {
	*origin
	fn      *ssa.Function
	in      *ir.Inlined // nil for the function itself
	inlined bool        // it is in the place of a call
	blocks  map[*ssa.BasicBlock]*ir.Block
	last    map[*ssa.BasicBlock]*ir.Block // where the code of a block ends
	values  map[ssa.Value][]*ir.Value
	addrs   map[ssa.Value]address
	listed  map[ssa.Value]*listing      // by the slice that is appended
	unmade  map[ssa.Instruction]bool    // what makes it
	tables  map[ssa.Value]*ir.Value     // arrays of constants, by what loads them
	larges  map[*ssa.UnOp]bool          // loads of large values: whether they are copied where they are loaded
	arrays  map[ssa.Value]address       // these copies
	texts   map[ssa.Value]textRange     // by the loop
	nexts   map[ssa.Value][][]*ir.Value // the parts of what a loop comes to
	returns []returned                  // of a literal
	found   mapElement                  // what was looked up last in a map

	from     *scope                  // of the call whose place it is in
	known    map[ssa.Value]*known    // function values, and variables that have one, by their addresses
	wanted   bool                    // the function value that is the result is to be known
	result   *known                  // which is
	compiled map[*ssa.Function]*Proc // literals that are functions of their own
}

// returned is a block that ends with a return.
type returned struct {
	b       *ir.Block
	results []*ir.Value
}

func newScope(fn *ssa.Function, in *ir.Inlined, from *origin) *scope {
	return &scope{origin: from, fn: fn, in: in, known: map[ssa.Value]*known{}, compiled: map[*ssa.Function]*Proc{},
		blocks: map[*ssa.BasicBlock]*ir.Block{}, last: map[*ssa.BasicBlock]*ir.Block{},
		values: map[ssa.Value][]*ir.Value{}, addrs: map[ssa.Value]address{}, listed: map[ssa.Value]*listing{},
		unmade: map[ssa.Instruction]bool{}, tables: map[ssa.Value]*ir.Value{}, larges: map[*ssa.UnOp]bool{}, arrays: map[ssa.Value]address{}, texts: map[ssa.Value]textRange{},
		nexts: map[ssa.Value][][]*ir.Value{}}
}

// address is a place in memory.
type address struct {
	base, index *ir.Value
	scale       uint8
	offset      int64
}

// translate makes the code of a function. It panics with a *Reason for what is not compiled.
func (s *Source) translate(t *translator, fn *ssa.Function) *ir.Func {
	t.f, t.at, t.left = &ir.Func{Name: s.Object.Name()}, s.Syntax.Pos(), maxInstructions
	t.scope = newScope(fn, nil, &origin{s, s.places(), s.calledAt(), s.literalNames()})
	t.body(func() { t.parameters() })
	return t.f
}

// body makes the code of the function in work. first adds what comes before it.
func (t *translator) body(first func()) {
	for _, b := range t.fn.Blocks {
		if t.left -= len(b.Instrs); t.left < 0 {
			t.no("it is too long")
		}
		t.blocks[b] = t.f.NewBlock()
		t.blocks[b].In = t.in
	}
	t.findListings()
	t.functions().findTables()
	t.functions().findCopies()
	t.b = t.blocks[t.fn.Blocks[0]]
	first()
	t.eachPhi(func(phi *ssa.Phi) {
		t.values[phi] = nil
		for _, k := range t.words(phi.Type()) {
			t.values[phi] = append(t.values[phi], t.add(ir.Phi, k))
		}
	})
	for _, b := range t.fn.DomPreorder() {
		t.b = t.blocks[b]
		for _, in := range b.Instrs {
			if t.unmade[in] {
				t.functions().loadLarge(in)
				continue
			}
			if p := in.Pos(); p.IsValid() {
				t.at = p
			}
			t.instruction(in)
		}
		t.last[b] = t.b
		t.b.Pos = t.place()
	}
	t.edges()
	t.eachPhi(t.operands)
}

// edges joins the blocks.
func (t *translator) edges() {
	for _, b := range t.fn.Blocks {
		for _, p := range b.Preds {
			t.blocks[b].Preds = append(t.blocks[b].Preds, t.last[p])
		}
		if t.last[b].Kind == ir.Dead {
			continue
		}
		for _, n := range b.Succs {
			t.last[b].Succs = append(t.last[b].Succs, t.blocks[n])
		}
	}
}

// eachPhi calls do with the phis of all blocks.
func (t *translator) eachPhi(do func(*ssa.Phi)) {
	for _, b := range t.fn.Blocks {
		t.b = t.blocks[b]
		for _, in := range b.Instrs {
			if phi, ok := in.(*ssa.Phi); ok {
				do(phi)
			}
		}
	}
}

// operands gives a phi its operands.
func (t *translator) operands(phi *ssa.Phi) {
	for _, e := range phi.Edges {
		for i, v := range t.value(e) {
			x := t.values[phi][i]
			x.Args = append(x.Args, v)
		}
	}
}

// proc is the number of a function of the session that is called.
func (t *translator) proc(f *types.Func) (int, *Reason) { return t.resolve(t, f) }

func (t *translator) no(format string, args ...any) {
	panic(refuse(t.place(), format, args...))
}

// place is where errors show the instruction in work.
func (t *translator) place() token.Pos {
	if t.s.Hidden {
		return token.NoPos
	}
	if p, ok := t.places[t.at]; ok {
		return p
	}
	return t.at
}

func (t *translator) words(typ types.Type) []ir.Kind {
	w := words(typ)
	if w == nil || t.device != nil && slices.Contains(w, ir.Ptr) {
		t.no("it has a value of type %s", types.TypeString(typ, func(p *types.Package) string { return p.Name() }))
	}
	return w
}

func (t *translator) kind(typ types.Type) ir.Kind {
	w := t.words(typ)
	if len(w) != 1 {
		t.no("it has an operation of type %s that is not compiled", typ)
	}
	return w[0]
}

func (t *translator) add(op ir.Op, k ir.Kind, args ...*ir.Value) *ir.Value {
	return t.b.Add(t.f, op, k, args...)
}

func (t *translator) int(n int64) *ir.Value { return t.f.Int(ir.Int64, n) }

// parameters makes values of the parameters, and of the results their kinds.
func (t *translator) parameters() {
	sig := t.fn.Signature
	params, first, bad := tupleWords(sig.Params())
	if bad != nil {
		t.no("it has a parameter of type %s", bad)
	}
	var results []ir.Kind
	if results, _, bad = tupleWords(sig.Results()); bad != nil {
		t.no("it has a result of type %s", bad)
	}
	if !fits(params) || !fits(results) {
		t.no("it has too many parameters or results")
	}
	if t.work != nil && t.work.proc.literal {
		for range t.work.passed {
			params = append(params, ir.Ptr)
		}
		params = append(params, ir.Ptr)
		if !fits(params) {
			t.no("it has too many parameters or results")
		}
	}
	t.f.Params, t.f.Results = params, results
	class := [2]int{}
	var list []*ir.Value
	for _, k := range params {
		c := 0
		if k.IsFloat() {
			c = 1
		}
		v := t.add(ir.Param, k)
		v.Imm = int64(class[c])
		class[c]++
		list = append(list, v)
	}
	for i, p := range t.fn.Params {
		t.values[p] = list[first[i]:first[i+1]]
	}
}

// value are the values that one of package ssa is.
func (t *translator) value(v ssa.Value) []*ir.Value {
	if c, ok := v.(*ssa.Const); ok {
		return t.constant(c)
	}
	if list, ok := t.values[v]; ok {
		return list
	}
	if a, ok := t.addrs[v]; ok {
		return []*ir.Value{t.pointer(a)}
	}
	if g, ok := v.(*ssa.Global); ok {
		return []*ir.Value{t.global(g)}
	}
	if fn, ok := v.(*ssa.Function); ok {
		return []*ir.Value{t.functions().functionValue(fn)}
	}
	if k := t.functions().known(v); k != nil {
		return []*ir.Value{t.functions().closure(k)}
	}
	if _, ok := v.Type().Underlying().(*types.Signature); ok {
		t.no("it uses a function as a value")
	}
	t.no("it uses %s, which is not compiled", v.Name())
	return nil
}

func (t *translator) one(v ssa.Value) *ir.Value {
	list := t.value(v)
	if len(list) != 1 {
		t.no("it has an operation of type %s that is not compiled", v.Type())
	}
	return list[0]
}

// pointer computes an address.
func (t *translator) pointer(a address) *ir.Value {
	if a.base.Op == ir.Frame {
		t.no("it takes the address of a variable")
	}
	p := a.base
	if a.index != nil {
		p = t.add(ir.Add, ir.Ptr, p, t.add(ir.Mul, ir.Int64, a.index, t.int(int64(a.scale))))
	}
	if a.offset != 0 {
		p = t.add(ir.Add, ir.Ptr, p, t.int(a.offset))
	}
	return p
}

// address is where a pointer points to. It is checked that a pointer that may be nil is not.
func (t *translator) address(v ssa.Value) address {
	if a, ok := t.addrs[v]; ok {
		return a
	}
	switch v := v.(type) {
	case *ssa.Global:
		return address{base: t.global(v)}
	case *ssa.FieldAddr:
		if isOnTheWay(v) {
			return t.functions().fieldAddress(v)
		}
	case *ssa.IndexAddr:
		if isOnTheWay(v) {
			return t.functions().elementAddress(v)
		}
	}
	p := t.one(v)
	t.check(ir.NilTest, site{code: leaveNil}, p)
	return address{base: p}
}

// global is the address of a variable of the session, which stays where it is.
func (t *translator) global(g *ssa.Global) *ir.Value {
	v, ok := g.Object().(*types.Var)
	if !ok {
		t.no("it uses the variable %s", g.Name())
	}
	if t.device != nil {
		if KindOf(v.Type()) == ir.None {
			t.no("it uses the variable %s, which is not its own", g.Name())
		}
		t.no("it uses the variable %s, which is not its own: pass it as a parameter", g.Name())
	}
	p := t.s.Variable(v)
	if bad := sameLayout(v.Type(), p.Type().Elem()); bad != nil {
		t.no("it uses the variable %s, of a type that is not compiled", v.Name())
	}
	*t.keep = append(*t.keep, p)
	return t.f.Int(ir.Ptr, int64(p.Pointer()))
}

// site is what Go code does at a place at which generated code is left.
type site struct {
	code leaveCode
	aux  any
	do   quick.Func // does it, if it can, while the goroutine is pinned
}

// newSite notes a place of the source.
func (t *translator) newSite(s site) int {
	x := ir.Site{Pos: t.place(), Code: int(s.code), Aux: s.aux, In: t.in}
	if s.do == nil {
		s.do = s.code.quick(s.aux)
	}
	if s.do != nil && t.device == nil {
		x.Do = s.do.Address()
		*t.keep = append(*t.keep, s.do)
	}
	t.f.Sites = append(t.f.Sites, x)
	return len(t.f.Sites) - 1
}

func (t *translator) check(test ir.Test, s site, args ...*ir.Value) {
	v := t.add(ir.Check, ir.None, args...)
	v.Test, v.Site = test, t.newSite(s)
}

// leave has Go code do something, which has results of the given kinds.
func (t *translator) leave(s site, results []ir.Kind, args ...*ir.Value) (list []*ir.Value) {
	if t.device != nil && s.code != leavePanic {
		t.no("it has an operation that devices do not have")
	}
	v := t.add(ir.Leave, ir.None, args...)
	v.Site = t.newSite(s)
	for i, k := range results {
		r := t.add(ir.Result, k, v)
		r.Imm = int64(i)
		list = append(list, r)
	}
	return list
}

// load reads a value of a type.
func (t *translator) load(a address, typ types.Type) (list []*ir.Value) {
	kinds := t.words(typ)
	if m, ok := t.moved[a.base]; ok {
		return t.functions().whereMoved(a, m, kinds, func(a address) (list []*ir.Value) {
			for _, s := range layout(typ) {
				list = append(list, t.memory(ir.Load, s.Kind, a, s.At, nil))
			}
			return list
		})
	}
	for _, s := range layout(typ) {
		list = append(list, t.memory(ir.Load, s.Kind, a, s.At, nil))
	}
	return list
}

// maxOffset is how far from its start a part of a variable may be: instructions have 32 bits for it.
const maxOffset = 1 << 30

// memory reads or writes a word of a value.
func (t *translator) memory(op ir.Op, k ir.Kind, a address, offset int64, x *ir.Value) *ir.Value {
	args := []*ir.Value{a.base}
	if a.index != nil {
		args = append(args, a.index)
	}
	if x != nil {
		args = append(args, x)
	}
	v := t.f.New(t.b, op, k, args...)
	v.Scale, v.Imm = a.scale, a.offset+offset
	if v.Imm > maxOffset {
		t.no("it uses a variable that is larger than a gigabyte")
	}
	if a.index == nil {
		v.Scale = 0
	}
	t.b.Values = append(t.b.Values, v)
	return v
}

// store writes a value of a type. While the collector marks, Go code writes pointers.
func (t *translator) store(a address, typ types.Type, list []*ir.Value) {
	slots := layout(typ)
	all := func() {
		for i, s := range slots {
			t.memory(ir.Store, s.Kind, a, s.At, list[i])
		}
	}
	if m, ok := t.moved[a.base]; ok {
		t.functions().whereMoved(a, m, nil, func(at address) []*ir.Value {
			if at.base == a.base {
				all()
			} else {
				t.store(at, typ, list)
			}
			return nil
		})
		return
	}
	if a.base.Op == ir.Frame || !slices.ContainsFunc(slots, func(s layouts.Slot) bool { return s.Kind == ir.Ptr }) {
		all()
		return
	}
	barrier := address{base: t.f.Int(ir.Ptr, int64(uintptr(enter.Barrier())))}
	marks := t.add(ir.Ne, ir.Bool, t.memory(ir.Load, ir.Uint32, barrier, 0, nil), t.f.Int(ir.Uint32, 0))
	from, slow, fast, next := t.b, t.f.NewBlock(), t.f.NewBlock(), t.f.NewBlock()
	slow.In, fast.In, next.In, slow.Cold = t.in, t.in, t.in, true
	from.Kind, from.Control, from.Succs = ir.If, marks, []*ir.Block{slow, fast}
	slow.Preds, fast.Preds = []*ir.Block{from}, []*ir.Block{from}
	t.b = slow
	for i, s := range slots {
		if s.Kind != ir.Ptr {
			t.memory(ir.Store, s.Kind, a, s.At, list[i])
			continue
		}
		at := a
		at.offset += s.At
		t.leave(site{code: leavePointer}, nil, t.pointer(at), list[i])
	}
	t.b.Kind, t.b.Succs = ir.Jump, []*ir.Block{next}
	t.b = fast
	all()
	t.b.Kind, t.b.Succs = ir.Jump, []*ir.Block{next}
	next.Preds = []*ir.Block{slow, fast}
	t.b = next
}

// fits reports whether values can be passed in registers of the session's own functions.
func fits(kinds []ir.Kind) bool { return fitIn(kinds, maxInts, maxFloats) }

// fitIn reports whether so many registers are enough for values.
func fitIn(kinds []ir.Kind, ints, floats int) bool {
	n := 0
	for _, k := range kinds {
		if k.IsFloat() {
			n++
		}
	}
	return len(kinds)-n <= ints && n <= floats && len(kinds) <= maxWords
}
