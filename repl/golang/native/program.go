package native

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// Program is what has been compiled of a session. Its functions are compiled by one goroutine at a time.
type Program struct {
	typeOf func(types.Type) reflect.Type // what interpreted code has for a type
	of     map[*types.Func]*Proc
	always bool   // functions of a few operations are worth calling, too: a setting for tests
	host   *Host  // of function values that Go code calls; nil where there are none
	off    string // why functions are not compiled from now on; "" where they are
	plain  bool   // code is not improved: a setting for tests
	stale  bool   // what is pasted counts as replaced: a setting for tests

	instances map[*types.Func][]*instance // of generic functions

	versions map[*remains]bool // of functions, which can still run
	gone     *goneVersions

	procs []*Proc
	byID  atomic.Pointer[[]*Proc] // the same for running code, which is pinned and must not wait for a lock

	freeForeigns []foreignID
	foreignList  []*foreign                 // by their numbers
	foreigns     atomic.Pointer[[]*foreign] // the same for running code
}

// Disabled says why functions are not compiled, "" if they are: where they can be, unless GOROCM_NATIVE is 0.
func Disabled() string {
	if os.Getenv("GOROCM_NATIVE") == "0" {
		return "GOROCM_NATIVE is 0"
	}
	return enter.Unsupported()
}

// New makes an empty program. typeOf gives the run-time type that interpreted code has for a type.
func New(typeOf func(types.Type) reflect.Type) *Program {
	return &Program{typeOf: typeOf, of: map[*types.Func]*Proc{}, instances: map[*types.Func][]*instance{},
		versions: map[*remains]bool{}, gone: &goneVersions{}, always: os.Getenv("GOROCM_NATIVE") == "always"}
}

// SetHost has function values run for a session when Go code calls them. Without it no function that uses one is
// compiled.
func (p *Program) SetHost(h *Host) { p.host = h }

// Off has functions stay interpreted from now on, for a reason, until it is called with "".
func (p *Program) Off(reason string) { p.off = reason }

// Proc is a function of the session under all its versions of the same type. Generated code calls it through its entry.
type Proc struct {
	of    *Program
	entry uint64 // the address of the code; only ever read by generated code
	code  atomic.Pointer[Compiled]
	id    int
	name  atomic.Pointer[string] // of the newest version, in lowered code
	stub  uintptr
	// byAddress is the address of code that takes the receiver by its address, of a method whose receiver is a value;
	// only ever read by generated code. 0 where there is none.
	byAddress uint64
	body      *body // for the place of calls, nil where it is called
	keep      []any // what the code of byAddress refers to

	sig *types.Signature
	in  []part
	out []part

	literal  bool           // it has its closure as the last parameter
	closure  unsafe.Pointer // the function value, of one that captures nothing
	object   reflect.Type   // of the closures of a literal that captures variables: the header, then these
	captured []uintptr      // where they have them

	params, results []reflect.Type // as interpreted code has them

	begins atomic.Pointer[beginning] // of the newest version
}

// part is a word of a parameter or a result.
type part struct {
	value  int // which
	offset uintptr
	kind   ir.Kind
}

// Compiled is the code of a version of a function.
type Compiled struct {
	version *version
	thunk   uintptr
	done    uintptr
	Bytes   int // of the code
	// Worth reports whether interpreted code should call it. A function of a few operations is interpreted in less time
	// than it takes to enter its code.
	Worth bool
	Calls bool // it calls other functions of cells
	// Run runs it with the addresses of parameters and of memory for results. The memory has the types of Proc.Has. used
	// is for Host.Panicking.
	Run func(h *Host, used uintptr, params, results []unsafe.Pointer)
}

// Has reports whether a function has results and parameters of the given types.
func (p *Proc) Has(results, params []reflect.Type) bool {
	return slices.Equal(results, p.results) && slices.Equal(params, p.params)
}

// Unit is a function to compile.
type Unit struct {
	Source
	Name  string      // in lowered code
	Older *types.Func // in whose place it comes if it is of the same type; nil for none
	// Called is what calls refer to: Object, but for a method.
	Called *types.Func
	Loop   *ir.Places // of a function over elements, of which a loop is made
	Once   bool       // only what is compiled with it calls it, and nothing in machine code does
}

// Outcome is what became of a function: Reason is nil where it was compiled.
type Outcome struct {
	Proc   *Proc
	Reason *Reason
}

// work is a function on its way.
type work struct {
	u      Unit
	proc   *Proc
	f      *ir.Func
	why    *Reason
	calls  map[*Proc]token.Pos
	body   *body // for the place of calls, nil where it is called
	fn     *ssa.Function
	noForm *Reason     // why there is none
	gave   bool        // functions that are given literals are in the place of calls
	code   *amd64.Code // of one that byAddress has made

	literals []*work // functions of their own, compiled with it
	values   bool    // it uses function values, which Go code may call

	version *version // with the literals in it; nil for what byAddress makes

	literal *Literal                // it holds a literal of interpreted code, and has no code itself
	names   map[*ast.FuncLit]string // what traces call these
	passed  int                     // how many addresses of variables a loop has as parameters
}

// Plan is what is to become of functions, before the session has them. It changes nothing that runs.
type Plan struct {
	p    *Program
	list []*work
	of   map[*types.Func]*Proc // of the functions; nil for those whose types cannot be passed

	batch map[*Proc]*work
	more  []*work // instances of generic functions that these call
	apart []*work // that hold literals of interpreted code
}

// Compile plans and installs functions.
func (p *Program) Compile(units []Unit) []Outcome { return p.Plan(units).Install() }

// Plan makes typed code of functions that may call each other.
func (p *Program) Plan(units []Unit) *Plan {
	p.sweep()
	pl := &Plan{p: p, list: make([]*work, len(units)), of: map[*types.Func]*Proc{}, batch: map[*Proc]*work{}}
	for i, u := range units {
		w := p.newWork(u)
		pl.list[i] = w
		if w.proc, w.why = p.procOf(u); w.proc != nil {
			pl.batch[w.proc] = w
		}
		if w.why == nil && p.off != "" {
			w.why = &Reason{Pos: u.Syntax.Pos(), What: p.off}
		}
		if len(u.Args) == 0 {
			pl.of[u.Called] = w.proc
		}
	}
	for _, w := range bySize(pl.list) {
		if w.why == nil {
			w.why = pl.translate(w)
		}
	}
	pl.settle(0)
	return pl
}

// settle makes typed code of instances, from the given one on, and gives up what calls functions that are not compiled.
func (pl *Plan) settle(from int) {
	for i := from; i < len(pl.more); i++ {
		if w := pl.more[i]; w.why == nil {
			w.why = pl.translate(w)
		}
	}
	for again := true; again; { // what calls what is not compiled is not compiled
		again = false
		for _, w := range pl.all() {
			for callee, pos := range w.calls {
				b := pl.batch[callee]
				if w.why == nil && (b != nil && b.why != nil || b == nil && callee.code.Load() == nil) {
					w.why, again = refuse(pos, "it calls a function that is not compiled"), true
					if b != nil && len(b.u.Args) > 0 {
						w.why = b.why // of what is not compiled of the instance
					}
				}
			}
		}
	}
}

// all are the functions, the instances that they call, and the literals of interpreted code.
func (pl *Plan) all() []*work { return slices.Concat(pl.list, pl.more, pl.apart) }

// Reason is why a function of the plan will not be compiled, nil if it will.
func (pl *Plan) Reason(i int) *Reason { return pl.list[i].why }

// Install makes machine code of the functions, and has calls of older versions run the new ones. A function whose type
// cannot be passed has no Proc.
func (pl *Plan) Install() []Outcome {
	p := pl.p
	for _, w := range pl.list {
		if w.u.Older != nil {
			delete(p.of, w.u.Older) // nothing that is compiled from now on refers to it
		}
		if w.proc != nil && len(w.u.Args) == 0 && !w.u.Once {
			p.of[w.u.Called] = w.proc
			w.proc.begins.Store(&beginning{w.u.Stack, w.u.Syntax.Pos()})
			name := w.u.Name // a copy: the address of a part would keep all that is known of the cell
			w.proc.name.Store(&name)
		}
	}
	if err := p.install(pl.all()); err != nil {
		for _, w := range pl.all() {
			w.why = refuse(w.u.Syntax.Pos(), "%v", err)
		}
	}
	for _, w := range pl.all() {
		if w.literal != nil {
			w.literal.why = w.why
		}
		if w.why == nil {
			p.versions[w.version.remains] = true
		} else if p.dropForeigns(w.version.remains); w.body != nil {
			atomic.StoreUint64(w.body.older, 1)
		}
		if i := p.instance(w.u.Called, w.u.Args); i != nil {
			if i.stale = false; w.why != nil {
				p.drop(w.u.Called, i)
			}
		}
	}
	var out []Outcome
	for _, w := range pl.list {
		if w.why != nil && w.proc != nil && len(w.u.Args) == 0 {
			w.proc.interpret()
		}
		out = append(out, Outcome{w.proc, w.why})
	}
	return out
}

// procOf finds or makes the Proc of a function.
func (p *Program) procOf(u Unit) (*Proc, *Reason) {
	if t := u.ownType(); t != nil && len(u.Args) > 0 {
		return nil, refuse(t.Pos(), "its instances have types %s of their own", t.Name.Name)
	}
	sig := u.signature()
	if u.Loop != nil {
		sig = loopSignature
	}
	proc := p.of[u.Older]
	if u.Older == nil || proc != nil && !types.Identical(proc.sig, sig) {
		proc = nil
	}
	if i := p.instance(u.Called, u.Args); i != nil {
		if i.stale && !types.Identical(i.proc.sig, sig) {
			p.drop(u.Called, i)
		} else {
			proc = i.proc
		}
	}
	if proc == nil {
		proc = &Proc{of: p, id: len(p.procs), sig: sig}
		var bad types.Type
		if proc.in, bad = parts(sig.Params()); bad == nil {
			proc.out, bad = parts(sig.Results())
		}
		switch {
		case bad != nil:
			return nil, refuse(u.Syntax.Pos(), "it has a parameter or result of type %s", types.TypeString(bad, nil))
		case !fitsParts(proc.in) || !fitsParts(proc.out):
			return nil, refuse(u.Syntax.Pos(), "it has too many parameters or results")
		}
		if why := p.sameLayouts(sig, u.Syntax.Pos()); why != nil {
			return nil, why
		}
		for v := range sig.Params().Variables() {
			proc.params = append(proc.params, p.typeOf(v.Type()))
		}
		for v := range sig.Results().Variables() {
			proc.results = append(proc.results, p.typeOf(v.Type()))
		}
		for _, t := range slices.Concat(proc.params, proc.results) {
			reflect.PointerTo(t) // so that reflect takes no lock when it looks for this type: see newCallOut
		}
		if u.Once { // nothing calls it by its number
			proc.id = -1
			return proc, nil
		}
		procs := append(p.procs, proc)
		p.procs = procs
		p.byID.Store(&procs)
		if len(u.Args) > 0 {
			p.instances[u.Called] = append(p.instances[u.Called], &instance{args: u.Args, proc: proc})
		}
	}
	return proc, nil
}

func parts(t *types.Tuple) (list []part, bad types.Type) {
	for i := range t.Len() {
		w := layout(t.At(i).Type())
		if w == nil {
			return nil, t.At(i).Type()
		}
		for _, s := range w {
			list = append(list, part{i, uintptr(s.At), s.Kind})
		}
	}
	return list, nil
}

func fitsParts(list []part) bool {
	var kinds []ir.Kind
	for _, p := range list {
		kinds = append(kinds, p.kind)
	}
	return fits(kinds)
}

// translate makes the typed code of a function. What has functions that are given literals in the place of calls, and
// cannot be compiled, may be without.
func (pl *Plan) translate(w *work) *Reason {
	why := pl.translateWith(w, true)
	if why != nil && w.gave {
		w.literals, w.calls = nil, map[*Proc]token.Pos{}
		if again := pl.translateWith(w, false); again == nil {
			return nil
		}
	}
	return why
}

func (pl *Plan) translateWith(w *work, gives bool) (why *Reason) {
	p := pl.p
	defer func() {
		if why != nil { // nothing refers to what was made for it
			w.version.keep = nil
			p.dropForeigns(w.version.remains)
		}
	}()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Reason:
			why = r
		default:
			why = refuse(w.u.Syntax.Pos(), "the compiler failed: %v", r)
		}
	}()
	fn, why := w.form()
	if why != nil {
		return why
	}
	t := &translator{p: p, work: w, typeOf: p.typeOf, keep: &w.version.keep, batch: pl.batch, gives: gives,
		moved: map[*ir.Value]moved{}}
	defer func() { w.gave = t.givenSize > 0 }()
	t.resolve = func(at *translator, f *types.Func) (int, *Reason) {
		callee, planned := pl.of[f]
		if !planned {
			callee = p.of[f]
		}
		if callee == nil {
			callee = pl.sourced(&w.u.Source, f)
		}
		if callee == nil || callee.code.Load() == nil && pl.batch[callee] == nil {
			return 0, refuse(w.u.Syntax.Pos(), "not compiled")
		}
		w.calls[callee] = at.place()
		return callee.id, nil
	}
	t.resolveInstance = func(at *translator, f *types.Func, args []types.Type) (int, *Reason) {
		callee := pl.instance(&w.u.Source, f, args)
		if callee == nil {
			return 0, refuse(w.u.Syntax.Pos(), "not compiled")
		}
		w.calls[callee] = at.place()
		return callee.id, nil
	}
	if w.literal != nil {
		return t.functions().separate(fn)
	}
	w.f = w.u.translate(t, fn)
	if w.u.Loop != nil {
		w.f.OverElements(*w.u.Loop)
	}
	return p.complete(w)
}

// complete improves the typed code of a function and makes it what instructions can be made of.
func (p *Program) complete(w *work) *Reason {
	f := w.f
	if !f.Promote(!p.plain) {
		return refuse(w.u.Syntax.Pos(), "the compiler failed: a variable with pointers is in the frame")
	}
	if p.plain {
		f.Order()
	} else {
		f.Improve()
		f.Improve()
		if w.gave {
			f.Improve()
			f.Improve()
		}
	}
	if w.body = bodyOf(w); w.body != nil && p.stale {
		*w.body.older = 1
	}
	if wrong := finish(f); wrong != "" {
		return refuse(w.u.Syntax.Pos(), "the compiler failed: %s", wrong)
	}
	return nil
}

// finish makes typed code what instructions can be made of. It says what is wrong with it, "" for nothing.
func finish(f *ir.Func) (wrong string) {
	f.SplitEdges()
	if wrong := f.Wrong(); wrong != "" {
		return wrong
	}
	addPolls(f)
	f.Fuse()
	return ""
}

// addPolls has every loop look whether the runtime wants the goroutine, and a function that calls others, when it
// begins, or before a cold call where it has no other ones.
func addPolls(f *ir.Func) {
	poll := func(b *ir.Block, imm int64) *ir.Value {
		v := f.New(b, ir.Poll, ir.None)
		v.Imm, v.Site = imm, len(f.Sites)
		site := ir.Site{Code: int(leavePoll), In: b.In}
		if imm == 0 { // traces of a recursion that is stopped begin with the call
			site.Pos = b.Pos
		}
		f.Sites = append(f.Sites, site)
		return v
	}
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			if b.Backward(s) {
				b.Values = append(b.Values, poll(b, 0))
			}
		}
	}
	hot := false
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Values); i++ {
			v := b.Values[i]
			hot = hot || v.Op == ir.Call && !v.Cold
			if v.Op == ir.Call && v.Cold {
				b.Values = slices.Insert(b.Values, i, poll(b, 1))
				i++
			}
		}
	}
	if !hot {
		return
	}
	entry := f.Blocks[0]
	i := 0
	for i < len(entry.Values) && entry.Values[i].Op == ir.Param {
		i++
	}
	entry.Values = slices.Insert(entry.Values, i, poll(entry, 1))
}
