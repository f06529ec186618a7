package golang

import (
	"cmp"
	"context"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/library"
)

// TestGenericLibrary: cells have every generic function, type and method of the packages that they can import, with the
// session's own types as arguments.
func TestGenericLibrary(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	eval := func(name, code string) {
		t.Helper()
		n++
		if out := e.Eval(context.Background(), n, code); out.Failure != nil {
			t.Errorf("%s: %s: %s", name, code, out.Failure.Message)
		}
	}
	eval("type", "type Num int")
	num := e.scope.Bindings["Num"].Object.Type()
	for _, o := range generics(t, e.scope.Library) {
		name := o.Pkg().Path() + "." + o.Name()
		if why := e.scope.Unavailable(o); why != "" {
			t.Error(why)
			continue
		}
		args := typeArgs(t, e.scope.Library, o, num)
		var text []string
		for _, a := range args {
			text = append(text, types.TypeString(a, check.Qualifier))
		}
		x := o.Pkg().Name() + "__." + o.Name() + "[" + strings.Join(text, ", ") + "]"
		imports := fmt.Sprintf("import %s__ %q\nimport \"hash\"\n", o.Pkg().Name(), o.Pkg().Path())
		if _, isType := o.(*types.TypeName); !isType {
			eval(name, imports+"{ f := "+x+"; if f == nil { panic(0) } }")
			continue
		}
		eval(name, imports+"{ var v "+x+"; _ = any(v) }")
		for m := range o.Type().(*types.Named).Methods() {
			if m.Exported() {
				eval(name, imports+"{ f := (*"+x+")."+m.Name()+"; if f == nil { panic(0) } }")
			}
		}
	}
}

// TestStandIns: a generic type that a session has from source has the memory and the methods of the compiled one.
func TestStandIns(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	short := func(t types.Type) string { return types.TypeString(t, func(*types.Package) string { return "" }) }
	for _, o := range generics(t, e.scope.Library) {
		name, isType := o.(*types.TypeName)
		if !isType {
			continue
		}
		ours, _ := e.state.Types.Source(o.Pkg().Path()).Types.Scope().Lookup(o.Name()).(*types.TypeName)
		if ours == nil {
			t.Errorf("%s.%s: no source", o.Pkg().Path(), o.Name())
			continue
		}
		if got, want := short(ours.Type().Underlying()), short(name.Type().Underlying()); got != want {
			t.Errorf("%s.%s is %s, want %s", o.Pkg().Path(), o.Name(), got, want)
		}
		methods := func(t types.Type) (r []string) {
			for m := range t.(*types.Named).Methods() {
				r = append(r, m.Name()+" "+short(m.Signature().Params())+short(m.Signature().Results())+fmt.Sprint(check.PointerReceiver(m)))
			}
			slices.Sort(r)
			return r
		}
		if got, want := methods(ours.Type()), methods(name.Type()); !slices.Equal(got, want) {
			t.Errorf("%s.%s has methods %q, want %q", o.Pkg().Path(), o.Name(), got, want)
		}
	}
}

// generics are the exported generic objects of the packages that cells can import.
func generics(t *testing.T, lib *library.Library) (r []types.Object) {
	t.Helper()
	for _, path := range lib.Paths() {
		pkg, err := lib.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() && params(o).Len() > 0 {
				r = append(r, o)
			}
		}
	}
	slices.SortFunc(r, func(a, b types.Object) int {
		return cmp.Or(cmp.Compare(a.Pkg().Path(), b.Pkg().Path()), cmp.Compare(a.Name(), b.Name()))
	})
	if len(r) < 60 {
		t.Fatalf("only %d generic functions and types", len(r))
	}
	return r
}

func params(o types.Object) *types.TypeParamList {
	switch o := o.(type) {
	case *types.Func:
		return o.Signature().TypeParams()
	case *types.TypeName:
		switch t := o.Type().(type) {
		case *types.Named:
			return t.TypeParams()
		case *types.Alias:
			return t.TypeParams()
		}
	}
	return nil
}

// typeArgs finds type arguments for a generic object, the session's type first.
func typeArgs(t *testing.T, lib *library.Library, o types.Object, num types.Type) []types.Type {
	t.Helper()
	hash, err := lib.Import("hash")
	if err != nil {
		t.Fatal(err)
	}
	candidates := []types.Type{num, types.Universe.Lookup("error").Type(), hash.Scope().Lookup("Hash").Type()}
	tps := params(o)
	args := make([]types.Type, tps.Len())
	var fill func(i int) bool
	fill = func(i int) bool {
		if i < 0 {
			_, err := types.Instantiate(nil, o.Type(), args, true)
			return err == nil
		}
		try := candidates
		if u := unionOf(tps.At(i)); u != nil {
			try = []types.Type{u.Term(0).Type()}
		}
		if core := coreOf(tps.At(i)); core != nil {
			known := map[types.Type]types.Type{}
			for k := i + 1; k < len(args); k++ {
				known[tps.At(k)] = args[k]
			}
			try = []types.Type{withArgs(core, known)}
		}
		for _, args[i] = range try {
			if fill(i - 1) {
				return true
			}
		}
		return false
	}
	if !fill(len(args) - 1) {
		t.Fatalf("no type arguments for %s", types.ObjectString(o, nil))
	}
	return args
}

// coreOf is the type literal that a constraint such as ~[]E asks for.
func coreOf(p *types.TypeParam) types.Type {
	if u := unionOf(p); u != nil && u.Len() == 1 {
		return u.Term(0).Type()
	}
	return nil
}

// unionOf is the union that a constraint consists of, nil for any other.
func unionOf(p *types.TypeParam) *types.Union {
	it := p.Constraint().Underlying().(*types.Interface)
	if it.NumEmbeddeds() != 1 {
		return nil
	}
	u, _ := it.EmbeddedType(0).(*types.Union)
	return u
}

// withArgs is a core type with arguments for its type parameters.
func withArgs(core types.Type, args map[types.Type]types.Type) types.Type {
	if a := args[core]; a != nil {
		return a
	}
	switch t := core.(type) {
	case *types.Slice:
		return types.NewSlice(withArgs(t.Elem(), args))
	case *types.Pointer:
		return types.NewPointer(withArgs(t.Elem(), args))
	case *types.Map:
		return types.NewMap(withArgs(t.Key(), args), withArgs(t.Elem(), args))
	}
	return core
}
