package machine

//lint:file-ignore U1000 fields that nothing reads give the others their places

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// Step is yaegi's bltn: it runs a node in a frame and returns the next one.
type Step func(*Frame) Step

// Node is yaegi's node: a part of the syntax tree, and a place in the graph of what is run.
type Node struct {
	debug      unsafe.Pointer
	Child      []*Node
	Anc        *Node
	param      []unsafe.Pointer
	Start      *Node // the first to run of the subtree
	Tnext      *Node // what follows, or follows when the value is true
	Fnext      *Node // what follows when it is false
	interp     unsafe.Pointer
	index      int64
	Findex     int // where in the frame the value is
	Level      int // how many functions further out the frame is
	nleft      int
	nright     int
	Kind       uint
	Pos        token.Pos
	Sym        *Symbol
	typ        unsafe.Pointer
	recv       unsafe.Pointer
	Types      []reflect.Type // of a function: what its frame holds
	scope      unsafe.Pointer
	action     uint
	Exec       Step
	Gen        func(*Node) // makes Exec, once what follows has one
	Val        any
	Rval       reflect.Value // of constants, and of what Use has given
	Ident      string
	redeclared bool
	meta       any
}

// Symbol is yaegi's symbol: what a name stands for.
type Symbol struct {
	Kind    uint
	typ     unsafe.Pointer
	Node    *Node // of a function
	from    []*Node
	recv    unsafe.Pointer
	Index   int // in the frame, negative for functions
	rval    reflect.Value
	builtin func(*Node)
	Global  bool
}

// Frame is yaegi's frame: a call of a function.
type Frame struct {
	ID        uint64
	Debug     unsafe.Pointer // nil without yaegi's debugger, so free to use
	Root      *Frame
	Anc       *Frame          // the caller's, or the one in which a function literal was evaluated
	Data      []reflect.Value // results, then parameters, then what else the function needs
	mutex     sync.RWMutex
	deferred  [][]reflect.Value
	recovered any
	Done      reflect.SelectCase // what ends channel operations
}

// Scope is yaegi's scope.
type Scope struct {
	anc               *Scope
	Child             []*Scope // every scope that was ever opened in this one; nothing reads them
	def               *Node
	loop, loopRestart *Node
	pkgID, pkgName    string
	types             []reflect.Type
	level             int
	Sym               map[string]*Symbol
	global            bool
	iota              int
}

// Program is yaegi's Program.
type Program struct {
	pkgName string
	Root    *Node
	init    []*Node
}

// header is reflect.Value.
type header struct {
	typ  unsafe.Pointer
	ptr  unsafe.Pointer
	flag uintptr
}

// flagIndir, in a reflect.Value, says that its pointer points to the value and is not the value itself.
const flagIndir = 1 << 7

// flagMethod says that it is a method of the value that it points to.
const flagMethod = 1 << 9

// notInFrame is Node.Findex of what has no place in a frame, globalFrame Node.Level of what is in the root frame.
const notInFrame, globalFrame = -1, -1

// kinds are yaegi's numbers of the kinds of nodes that this package knows.
var kinds struct {
	funcDecl, funcLit, funcType, basicLit, identExpr, parenExpr, binaryExpr, callExpr, deferStmt, goStmt, returnStmt,
	assignStmt, assignXStmt, defineXStmt, defineStmt,
	commClause, selectorExpr, indexExpr, ellipsisExpr, ifStmt0, ifStmt1, ifStmt2, ifStmt3, forStmt2, forStmt3, forStmt5,
	forStmt7 uint
}

// offsets are those of the interpreter's fields, and of the runtime's map in a reflect.MapIter.
var offsets struct{ roots, binPkg, scopes, frame, universe, iterated, entry, iterator uintptr }

// Check compares what this package knows of yaegi with what is there, and says what differs.
var Check = sync.OnceValue(func() (err error) {
	differs := func(format string, args ...any) {
		if err == nil {
			err = fmt.Errorf("yaegi is not as v0.16.1 is: "+format, args...)
		}
	}
	field := func(t reflect.Type, name string) reflect.StructField {
		f, ok := t.FieldByName(name)
		if !ok {
			differs("%s has no field %s", t, name)
			f.Type = reflect.TypeFor[struct{}]()
		}
		return f
	}
	same := func(theirs, ours reflect.Type) {
		if theirs.Size() != ours.Size() {
			differs("%s has %d bytes, not %d", theirs, theirs.Size(), ours.Size())
		}
		for f := range ours.Fields() {
			name := strings.ToLower(f.Name[:1]) + f.Name[1:]
			if f.Name == "ID" {
				name = "id"
			}
			got := field(theirs, name)
			isPointer := f.Type == reflect.TypeFor[unsafe.Pointer]() && got.Type.Kind() == reflect.Pointer
			if got.Offset != f.Offset || got.Type.Kind() != f.Type.Kind() && !isPointer {
				differs("%s.%s is a %s at %d, not a %s at %d", theirs, name, got.Type, got.Offset, f.Type, f.Offset)
			}
		}
	}
	in := reflect.TypeFor[interp.Interpreter]()
	roots, scopes, binPkg, frame, universe := field(in, "roots"), field(in, "scopes"), field(in, "binPkg"),
		field(in, "frame"), field(in, "universe")
	if err != nil {
		return err
	}
	offsets.roots, offsets.scopes, offsets.binPkg, offsets.frame, offsets.universe = roots.Offset, scopes.Offset,
		binPkg.Offset, frame.Offset, universe.Offset
	node := roots.Type.Elem().Elem()
	same(node, reflect.TypeFor[Node]())
	same(frame.Type.Elem(), reflect.TypeFor[Frame]())
	same(field(node, "sym").Type.Elem(), reflect.TypeFor[Symbol]())
	same(scopes.Type.Elem().Elem(), reflect.TypeFor[Scope]())
	same(universe.Type.Elem(), reflect.TypeFor[Scope]())
	same(reflect.TypeFor[interp.Program](), reflect.TypeFor[Program]())
	if err != nil {
		return err
	}
	known := map[string]uint{}
	for i := range uint64(128) {
		v := reflect.New(field(node, "kind").Type).Elem()
		v.SetUint(i)
		known[fmt.Sprint(v.Interface())] = uint(i)
	}
	k := reflect.ValueOf(&kinds).Elem()
	for f, v := range k.Fields() {
		n, ok := known[f.Name]
		if !ok {
			differs("no node is a %s", f.Name)
		}
		*(*uint)(v.Addr().UnsafePointer()) = n
	}
	x := 7
	h := asHeader(reflect.ValueOf(&x).Elem())
	p := asHeader(reflect.ValueOf(&x))
	if unsafe.Sizeof(h) != reflect.TypeFor[reflect.Value]().Size() || h.ptr != unsafe.Pointer(&x) ||
		h.flag&flagIndir == 0 || p.ptr != unsafe.Pointer(&x) || p.flag&flagIndir != 0 {
		differs("reflect.Value holds its values otherwise")
	}
	iter := field(reflect.TypeFor[reflect.MapIter](), "hiter")
	iterated, key, elem := field(iter.Type, "m"), field(iter.Type, "key"), field(iter.Type, "elem")
	if elem.Offset != key.Offset+8 {
		differs("an iterator has its element at %d", elem.Offset)
	}
	for name, offset := range map[string]uintptr{
		"key": unsafe.Offsetof(iterator{}.key), "typ": unsafe.Offsetof(iterator{}.typ),
		"dirIdx": unsafe.Offsetof(iterator{}.index), "group": unsafe.Offsetof(iterator{}.group),
		"entryIdx": unsafe.Offsetof(iterator{}.entry)} {
		if f := field(iter.Type, name); f.Offset != offset || f.Type.Size() != 8 {
			differs("an iterator has its %s at %d", name, f.Offset)
		}
	}
	if err != nil {
		return err
	}
	offsets.iterator, offsets.iterated, offsets.entry = iter.Offset, iter.Offset+iterated.Offset, iter.Offset+key.Offset
	same(iterated.Type.Elem(), reflect.TypeFor[mapHeader]()) // the runtime's, as Go 1.26 has it
	new(literal).learn()
	return err
})

func asHeader(v reflect.Value) header { return *(*header)(unsafe.Pointer(&v)) }

// Root is the tree of what an interpreter has compiled.
func Root(p *interp.Program) *Node { return (*Program)(unsafe.Pointer(p)).Root }

// Roots are the trees of all that an interpreter has evaluated; only yaegi's debugger reads them.
func Roots(in *interp.Interpreter) *[]*Node {
	return (*[]*Node)(unsafe.Add(unsafe.Pointer(in), offsets.roots))
}

// Symbols are what Use has given an interpreter, by import path.
func Symbols(in *interp.Interpreter) interp.Exports {
	return *(*interp.Exports)(unsafe.Add(unsafe.Pointer(in), offsets.binPkg))
}

// Scopes are the scopes of an interpreter's packages.
func Scopes(in *interp.Interpreter) map[string]*Scope {
	return *(*map[string]*Scope)(unsafe.Add(unsafe.Pointer(in), offsets.scopes))
}

// Grow gives the root frame the places that what was compiled needs, and room for more: yaegi copies the whole frame
// for every cell.
func Grow(in *interp.Interpreter) {
	types := (*(**Scope)(unsafe.Add(unsafe.Pointer(in), offsets.universe))).types
	root := *(**Frame)(unsafe.Add(unsafe.Pointer(in), offsets.frame))
	data := root.Data
	for _, t := range types[min(len(data), len(types)):] {
		data = append(data, reflect.New(t).Elem())
	}
	if len(data) > len(root.Data) {
		root.Data = data
	}
}

// IsFunction reports whether a node is a function with a body.
func (n *Node) IsFunction() bool {
	return (n.Kind == kinds.funcDecl || n.Kind == kinds.funcLit) && len(n.Child) > 3 && n.Child[3].Start != nil
}

// IsDeclared reports whether a function has a name of its own.
func (n *Node) IsDeclared() bool { return n.Kind == kinds.funcDecl }

// Signature is what the frame of a declared function begins with: its results and its parameters.
func Signature(fn *Node) (results, params []reflect.Type, ok bool) {
	d, ok := fn.meta.(*function)
	if !ok || d.params < 0 || d.variadic || len(fn.Types) < d.results+d.params {
		return nil, nil, false
	}
	return fn.Types[:d.results], fn.Types[d.results : d.results+d.params], true
}
