package native

import (
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/hip"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// NewDevice makes the device code of a function of Elements. helper finds the source of the newest version of a
// function of the session.
func NewDevice(s Source, helper func(*types.Func) (Source, bool)) (d hip.Source, why *Reason) {
	c := &deviceCode{helper: helper, begun: map[string]bool{}, written: map[string]bool{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Reason:
			d, why = hip.Source{}, r
		default:
			d, why = hip.Source{}, refuse(s.Syntax.Pos(), "the compiler failed: %v", r)
		}
	}()
	c.function(s, "element")
	return c.out.Source(), nil
}

// deviceCode is device code in the making.
type deviceCode struct {
	helper         func(*types.Func) (Source, bool)
	out            hip.Writer
	begun, written map[string]bool // functions of the session, of which each name has one version
}

// function writes a function after those that it calls. It panics with a *Reason for what devices do not have.
func (c *deviceCode) function(s Source, name string) {
	fn, why := s.form()
	if why != nil {
		panic(why)
	}
	var keep []any
	t := &translator{device: c, keep: &keep}
	s.onlyCallsDevice(fn)
	f := s.translate(t, fn)
	f.Promote(true)
	f.Improve()
	f.Improve()
	f.SplitEdges()
	if wrong := f.Wrong(); wrong != "" {
		panic(refuse(s.Syntax.Pos(), "the compiler failed: %s", wrong))
	}
	c.out.Function(name, f, t.callees)
}

// onlyCallsDevice panics with a *Reason for a function of a compiled package that devices do not have.
func (s *Source) onlyCallsDevice(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.StaticCallee() == nil {
				continue
			}
			f, ok := c.Call.StaticCallee().Object().(*types.Func)
			if !ok || f.Pkg() == s.Object.Pkg() {
				continue
			}
			name := f.Pkg().Path() + "." + f.Name()
			if _, isOp := intrinsics[name]; !isOp && hip.Math[name] == "" {
				at := c.Pos()
				if p, ok := s.places()[at]; ok {
					at = p
				}
				if what := defers.Means(f); what != "" {
					panic(refuse(at, "%s, which devices do not have", what))
				}
				panic(refuse(at, "it calls %s.%s, which devices do not have", f.Pkg().Name(), f.Name()))
			}
		}
	}
	for _, literal := range fn.AnonFuncs {
		s.onlyCallsDevice(literal)
	}
}

// deviceCallee is the number of a function that device code calls, which is written first.
func (t *translator) deviceCallee(f *types.Func) int {
	c := t.device
	path := f.Pkg().Path() + "." + f.Name()
	name := hip.Math[path]
	if name == "" {
		name = "go_" + f.Name()
		if !c.written[name] {
			s, ok := c.helper(f)
			switch {
			case c.begun[name]:
				t.no("it calls %s, which calls itself", f.Name())
			case !ok:
				t.no("it calls %s, which takes or returns more than numbers, or has another signature by now", f.Name())
			}
			c.begun[name] = true
			c.function(s, name)
			c.written[name] = true
		}
	}
	t.callees = append(t.callees, name)
	return len(t.callees) - 1
}

// deviceCall translates a call in device code.
func (t *translator) deviceCall(in *ssa.Call, f *types.Func, args []*ir.Value, results []ir.Kind) {
	v := t.add(ir.Call, ir.None, args...)
	v.Proc = t.deviceCallee(f)
	t.values[in] = resultsOf(t.f, t.b, v, results)
}

// onDevice refuses an instruction that devices do not have. What is of other types than numbers is refused where a
// value of them is used.
func (t *translator) onDevice(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.MakeSlice:
		t.no("it makes a slice")
	case *ssa.Slice:
		t.no("it slices a %s", t.typeName(in.X.Type()))
	case *ssa.MakeMap:
		t.no("it makes a map")
	case *ssa.Lookup, *ssa.MapUpdate:
		t.no("it uses a map")
	case *ssa.Range:
		t.no("it has a loop over a %s", t.typeName(in.X.Type()))
	case *ssa.MakeInterface:
		if !onlyPanics(in) {
			t.no("it makes an interface of a %s", t.typeName(in.X.Type()))
		}
	case *ssa.TypeAssert:
		t.no("it has a type assertion")
	case *ssa.Alloc:
		typ := in.Type().Underlying().(*types.Pointer).Elem()
		if hasPointers(typ) || !t.functions().onlyAccessed(in, false, new(bool)) {
			t.no("it takes the address of a %s", t.typeName(typ))
		}
	case *ssa.Convert:
		if isComplex(in.X.Type()) && isComplex(in.Type()) {
			break
		}
		if KindOf(in.X.Type()) == ir.None || KindOf(in.Type()) == ir.None {
			t.no("it converts a %s to a %s", t.typeName(in.X.Type()), t.typeName(in.Type()))
		}
	}
}

func (t *translator) typeName(typ types.Type) string {
	if p, ok := typ.Underlying().(*types.Pointer); ok {
		typ = p.Elem()
	}
	return types.TypeString(typ, func(p *types.Package) string {
		if p == t.s.Object.Pkg() {
			return ""
		}
		return p.Name()
	})
}
