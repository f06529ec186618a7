package run

import (
	"go/ast"
	"go/token"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// panicTrace is where a panic has been: the places of interpreted functions that it has left, innermost first. The
// value of the panic itself stays as it is, because compiled code may recover it.
type panicTrace struct {
	value  [2]uintptr // the words of the panic's value; it is not kept alive
	used   uintptr    // the stack in use where the last function was called
	points []tracePoint
	stack  goStack // once something has taken it

	earlier []earlierPanic // those that deferred calls were running for when this one began
}

// earlierPanic is a panic in whose deferred calls another began.
type earlierPanic struct {
	value     any
	recovered bool // before that one began
}

// follows notes that the panic of t began while another was on its way, or had been recovered.
func (t *panicTrace) follows(before *panicTrace, p earlierPanic) {
	t.earlier = slices.Concat(before.earlier, []earlierPanic{p}, t.earlier)
}

// panicTraces are the panics of goroutines.
type panicTraces struct {
	mu sync.Mutex
	by map[uintptr]*panicTrace
}

func interfaceWords(v any) [2]uintptr { return *(*[2]uintptr)(unsafe.Pointer(&v)) }

// maxPlaces is how many places of a panic are kept: the innermost and the outermost.
const maxPlaces = 64

// add adds a point to the trace of a goroutine's panic. A panic that compiled code has recovered leaves a trace behind:
// the next one has another value, or begins deeper in the stack than that one had come. It reports whether the point is
// the first.
func (t *panicTraces) add(g, used uintptr, v any, at tracePoint) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.by[g]
	if r == nil || r.value != interfaceWords(v) || used > r.used {
		r, first = &panicTrace{value: interfaceWords(v)}, true
		if t.by == nil {
			t.by = map[uintptr]*panicTrace{}
		}
		t.by[g] = r
	}
	r.used = used
	if len(r.points) < maxPlaces {
		r.points = append(r.points, at)
		return first
	}
	copy(r.points[maxPlaces/2:], r.points[maxPlaces/2+1:])
	r.points[maxPlaces-1] = at
	return first
}

// take removes the trace of a goroutine's panic and returns it.
func (t *panicTraces) take(g uintptr, v any) *panicTrace {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.by[g]
	delete(t.by, g)
	if r == nil || v != nil && r.value != interfaceWords(v) {
		return &panicTrace{}
	}
	return r
}

// put gives a goroutine's panic its trace back.
func (t *panicTraces) put(g uintptr, v any, r *panicTrace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.value = interfaceWords(v)
	if t.by == nil {
		t.by = map[uintptr]*panicTrace{}
	}
	t.by[g] = r
}

// chunk is a piece of lowered code that yaegi was given. No place is in two of them.
type chunk struct {
	from, to token.Pos
	regions  []region
	cells    []*token.File // where the regions come from
	gone     *atomic.Bool  // nothing can run it any more
	funcs    []placedFunc  // that function values may be of
	literals []Func        // of a cell's statements
}

// chunks are what yaegi was given and may still run. Goroutines look at them while a cell is compiled.
type chunks struct {
	p atomic.Pointer[[]chunk]
	// gone is how many pieces of code are since it was looked at, some of them not in the list. It is apart, because
	// what follows them must not keep the session.
	gone *atomic.Int32
}

func (cs *chunks) list() []chunk {
	if p := cs.p.Load(); p != nil {
		return *p
	}
	return nil
}

// add is called by one goroutine at a time. Once many chunks are gone it removes them, and returns them.
func (cs *chunks) add(c chunk) (gone []chunk) {
	all := cs.list()
	if n := int(cs.gone.Load()); n >= manyGone && n >= len(all)/8 {
		cs.gone.Store(0) // those that are noted meanwhile are found the next time
		keep := make([]chunk, 0, len(all)/2)
		for _, x := range all {
			if x.gone.Load() {
				gone = append(gone, x)
			} else {
				keep = append(keep, x)
			}
		}
		all = keep
	}
	all = append(all, c)
	cs.p.Store(&all)
	return gone
}

// manyGone is how many chunks are worth looking for among the others.
const manyGone = 32

// follow notes when the last node of a chunk's tree has been collected: all that runs the chunk, or may, has one.
func (cs *chunks) follow(root *machine.Node) *atomic.Bool {
	if cs.gone == nil {
		cs.gone = new(atomic.Int32)
	}
	count, gone := cs.gone, new(atomic.Bool)
	runtime.AddCleanup(root, func(gone *atomic.Bool) {
		gone.Store(true)
		count.Add(1)
	}, gone)
	return gone
}

// region is a statement or expression of lowered code that comes from one of a cell, or the body of a function.
type region struct {
	from, to token.Pos
	origin   token.Pos
	fn       *string // of a body: the function as users call it
	end      bool    // it runs what a function has deferred
}

// Trees are the lowered trees of a chunk, and where they come from.
type Trees struct {
	Decls  map[string]*ast.FuncDecl   // what was printed
	Origin map[ast.Node]token.Pos     // of lowered statements and expressions
	Ends   map[ast.Stmt]bool          // the statements that run a function's body and then what it has deferred
	Bodies map[*ast.BlockStmt]*string // of functions: their names as users call them
	Funcs  map[*ast.BlockStmt]Func    // the same for function values
	// Literals are the function literals of a cell's statements, with their names.
	Literals []Func
	Made     map[string]Func // what functions return that lowering has made, by their names
}

func NewTrees() *Trees {
	return &Trees{Decls: map[string]*ast.FuncDecl{}, Origin: map[ast.Node]token.Pos{}, Ends: map[ast.Stmt]bool{},
		Bodies: map[*ast.BlockStmt]*string{}, Funcs: map[*ast.BlockStmt]Func{}, Made: map[string]Func{}}
}

// Names of the bodies of literals that lowering makes: of one that stands for a piece of its function, and of one
// around a call. The end of a function is where it runs what it has deferred.
var Inlined, Around, ending = "inlined", "around", "ending"

// Locate notes what the statements and expressions of a chunk come from. The lowered trees have no positions; what was
// parsed of their print has the same nodes in the same order.
func Locate(rt *Runtime, f *Declared, l *Trees) {
	t := rt.Traces
	c := chunk{from: f.file.Pos(), to: f.file.End(), gone: f.gone, literals: l.Literals}
	for _, d := range f.file.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if f, ok := l.Made[fd.Name.Name]; ok {
			c.addMade(fd, f)
		}
		printed, lowered := nodes(fd), nodes(l.Decls[fd.Name.Name])
		if !alike(printed, lowered) {
			continue
		}
		for i, n := range lowered {
			s, _ := n.(ast.Stmt)
			r := region{from: printed[i].Pos(), to: printed[i].End(), origin: l.Origin[n], end: l.Ends[s]}
			if b, ok := n.(*ast.BlockStmt); ok {
				r.fn = l.Bodies[b]
				if f, ok := l.Funcs[b]; ok {
					c.funcs = append(c.funcs, placedFunc{r.from, f})
				}
			}
			if r.origin.IsValid() || r.fn != nil {
				c.regions = append(c.regions, r)
			}
			c.comesFrom(t.scope.Fset, r.origin)
		}
	}
	for _, x := range t.chunks.add(c) {
		forgetFile(rt, x.from)
	}
}

// comesFrom notes the file of a place, if there is one.
func (c *chunk) comesFrom(fset *token.FileSet, p token.Pos) {
	for _, f := range c.cells {
		if int(p) >= f.Base() && int(p) <= f.Base()+f.Size() {
			return
		}
	}
	if f := fset.File(p); f != nil {
		c.cells = append(c.cells, f)
	}
}

// hold tells where the code that may still run comes from.
func (t *Traces) hold(hold func(token.Pos)) {
	for _, c := range t.chunks.list() {
		if c.gone.Load() {
			continue
		}
		for _, f := range c.cells {
			hold(f.Pos(0))
		}
	}
}

// nodes lists the nodes of a function, outer ones first, without parentheses, which printing adds and removes.
func nodes(fd *ast.FuncDecl) (list []ast.Node) {
	if fd == nil {
		return nil
	}
	ast.Inspect(fd, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.ParenExpr:
			return true
		case *ast.UnaryExpr:
			if _, ok := n.X.(*ast.BasicLit); ok { // lowered, a negative number is one literal
				return true
			}
		}
		list = append(list, n)
		return true
	})
	return list
}

func alike(a, b []ast.Node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if reflect.TypeOf(a[i]) != reflect.TypeOf(b[i]) {
			return false
		}
	}
	return true
}

// sourceAt is sourceOf for a point of a trace.
func (t *Traces) sourceAt(p tracePoint) (pos token.Position, fn string, made *string) {
	if p.source.IsValid() {
		name, isPiece := strings.CutPrefix(p.name, native.Piece)
		if isPiece || name == "" { // a loop of a function or of a cell, which comes next
			made = &Inlined
		} else if p.ends {
			made = &ending
		}
		return t.scope.Fset.Position(p.source), name, made
	}
	return t.sourceOf(p.position())
}

// sourceOf finds where a place of lowered code comes from, and in which function: the innermost statement and body
// there. made says that it is in a literal that lowering has made.
func (t *Traces) sourceOf(at token.Pos) (pos token.Position, fn string, made *string) {
	chunks := t.chunks.list()
	i := sort.Search(len(chunks), func(i int) bool { return chunks[i].to > at })
	if i == len(chunks) {
		return pos, "", nil
	}
	for _, r := range chunks[i].regions { // outer ones come first
		if at < r.from || at >= r.to {
			continue
		}
		if r.origin.IsValid() {
			pos = t.scope.Fset.Position(r.origin)
		}
		if r.end {
			made = &ending
		}
		switch r.fn {
		case nil:
		case &Inlined, &Around:
			made = r.fn
		default:
			fn, made = *r.fn, nil
		}
	}
	return pos, fn, made
}

// maxFrames is how many frames of a failure are told: the innermost, and the cell's.
const maxFrames = 12

// frames tells where a panic came from.
func (t *Traces) frames(places []tracePoint) []check.Frame {
	var fs []check.Frame
	skip := false // the call of a literal that the one before was in
	for _, p := range places {
		pos, fn, made := t.sourceAt(p)
		was := skip
		if skip = made == &Inlined; was || made == &Around || !pos.IsValid() {
			continue
		}
		f := t.scope.Frame(pos, fn)
		if n := len(fs); n > 0 && (fs[n-1] == f || made == &ending && fs[n-1].Func == fn && fs[n-1].Cell == f.Cell) {
			continue // of a recursion, or of the body that the function ran
		}
		fs = append(fs, f)
	}
	if own := slices.DeleteFunc(slices.Clone(fs),
		func(f check.Frame) bool { return !t.scope.Sources.Has(f.Cell) }); len(own) > 0 {
		fs = own // nobody looks for a mistake in the standard library
	}
	if n := len(fs); n > maxFrames {
		fs = append(fs[:maxFrames-1], fs[n-1])
	}
	return fs
}

// LiteralFn is the name of a function literal in a cell's statements.
const LiteralFn = native.LiteralFn

// Traces tell where in the cells lowered code comes from, and which functions a goroutine is in.
type Traces struct {
	scope        *check.Scope
	chunks       chunks
	packageFiles sync.Map // of packages from source: the name of a file to the package's path
	origins      sync.Map // of cells of scripts: the cell's name to its place in a file
}
