package typekey

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestOf compares keys with what they are to be, and those of two runs of the type checker.
func TestOf(t *testing.T) {
	thorough.Slow(t)
	const text = `package p

import "time"

type Box[T any] struct{ v T }
type plain int
type alias = []byte

var (
	a Box[map[string]*time.Time]
	b Box[interface{ Close() error; hidden() }]
	c Box[any]
	d Box[interface{}]
	e Box[alias]
	f Box[func(int, ...plain) (chan<- bool, error)]
	g Box[struct{ A, b int; time.Duration "x" }]
	h Box[Box[[3]uint8]]
)

func local() {
	type inside int
	var i Box[inside]
	_ = i
}
`
	want := map[string]string{
		"a": `"x/p".Box[map[string]*"time".Time]`,
		"b": `"x/p".Box[interface{"x/p".˙hidden();Close()(error)}]`,
		"c": `"x/p".Box[interface{}]`, "d": `"x/p".Box[interface{}]`, "e": `"x/p".Box[[]uint8]`,
		"f": `"x/p".Box[func(int,..."x/p".plain)(chan<- (bool),error)]`,
		"g": `"x/p".Box[struct{A int;"x/p".˙b int;"time".Duration "x"}]`,
		"h": `"x/p".Box["x/p".Box[[3]uint8]]`, "i": `"x/p".Box["x/p".·inside]`,
	}
	for range 2 {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
		if _, err := conf.Check("x/p", fset, []*ast.File{file}, info); err != nil {
			t.Fatal(err)
		}
		for id, o := range info.Defs {
			if v, ok := o.(*types.Var); ok && !v.IsField() && want[id.Name] != "" {
				if got := Of(v.Type(), nil); got != want[id.Name] {
					t.Errorf("%s: %s, want %s", id.Name, got, want[id.Name])
				}
			}
		}
	}
	p := types.NewTypeParam(types.NewTypeName(0, nil, "T", nil), types.NewInterfaceType(nil, nil))
	if got := Of(types.NewSlice(p), func(*types.TypeParam) string { return "int" }); got != "[]int" {
		t.Error(got)
	}
}
