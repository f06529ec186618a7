package modules

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// awkwardSource has the forms in which what is left out of a file could change what is left.
func awkwardSource() string {
	numbers := strings.Repeat("\t1, 22, 33, // some\n\n", 60)
	texts := strings.Repeat("\t`a{b`, \"}\\n\",\n", 60)
	return `// Package p is documented.
package p

import (
	"fmt"; "strings"
)

// F is a function.
func F() { fmt.Println("}") }; func G(x int) int { return x }
func H() (a, b int) /* of H */ { // a comment {
	f := func() int { return 1 }
	return f(), G(2)
}

//line other.go:100
func I() string { return strings.ToUpper("i") }
func J() int {
//line third.go:7
	return G(7)
}
func K() int { return Total() }

// T is a type.
type T struct {
	// A is a field.
	A int
	B []string
}

func (t *T) M() int { return t.A }
func (T) N(int, string) (n int) { n = 5; return }
func (t T) O() {}

type List[E any] struct{ items []E }
func (l *List[E]) Push(x E) { l.items = append(l.items, x) }
func Map[E any](l []E) int { return len(l) }

func init() { order = append(order, "init") }

var order = []string{use("order")}
var last = use2()
func use(s string) string { return s + fmt.Sprint(len(bytes)) }
func use2() int { return Total() + second }
var second = len(use("x"))

var bytes = []byte{
` + numbers + `}
// array is an array.
var array = [...]uint16{
` + numbers + `}
var fixed = [2000]int32{5: 1, 2, 1999: -7, 10: 1,/* {} */
` + numbers + `}
var texts = [...]string{
` + texts + `}
var structs, one = []T{{A: 1}}, 1
var pointers = []*T{ {1, []string{"x"}}, {A: 2},
` + strings.Repeat("\t{A: 1, B: []string{\"{\"}},\n", 60) + `}
var pairs = map[string][2]float32{
` + func() string {
		var b strings.Builder
		for i := range 60 {
			fmt.Fprintf(&b, "\t%q: {%d.5, -1e3},\n", fmt.Sprint("k", i), i)
		}
		return b.String()
	}() + `}
var address = &[...]bool{
` + strings.Repeat("\ttrue, false, 2 > 1,\n", 60) + `}
var withCalls = []int{
` + numbers + ` G(1) }

func Total() int { return int(array[2]) + int(fixed[1999]) + len(texts) }
`
}

// dump lists what is known of a package, with places: its objects, the types and places of all that is declared and
// used, the order of its variables, and its functions' bodies.
func dump(t *testing.T, c *Checked) string {
	t.Helper()
	var b strings.Builder
	at := func(p token.Pos) string { return c.fset.Position(p).String() }
	for _, n := range c.Types.Scope().Names() {
		o := c.Types.Scope().Lookup(n)
		fmt.Fprintln(&b, o, at(o.Pos()), c.Doc(n))
		if named, ok := o.Type().(*types.Named); ok {
			for m := range named.Methods() {
				fmt.Fprintln(&b, "  ", m, at(m.Pos()), c.Doc(n+"."+m.Name()))
			}
		}
	}
	for _, i := range c.Info.InitOrder {
		fmt.Fprintln(&b, "init", i.Lhs, at(i.Rhs.Pos()), c.Info.TypeOf(i.Rhs), at(i.Rhs.End()))
	}
	body := func(n ast.Node, info *types.Info) {
		ast.Inspect(n, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok {
				fmt.Fprintf(&b, "    %T %s-%s %v %v\n", n, at(n.Pos()), at(n.End()), info.TypeOf(x), info.Types[x].Value)
			}
			return true
		})
	}
	for _, f := range c.Syntax {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			fmt.Fprintln(&b, "func", fd.Name.Name, at(fd.Pos()), c.Deferred(fd), fd.Body != nil)
			if !c.Deferred(fd) {
				body(fd, c.Info)
				continue
			}
			fn, info, err := c.Body(fd)
			if err != nil {
				t.Fatal(err)
			}
			body(fn.Body, info)
		}
	}
	for _, i := range c.Info.InitOrder {
		data := c.Table(i.Lhs[0])
		fmt.Fprintf(&b, "table %s %q\n", i.Lhs[0].Name(), data)
		if data != nil {
			if err := c.Restore(i); err != nil {
				t.Fatal(err)
			}
		}
		body(i.Rhs, c.Info)
	}
	return b.String()
}

// TestOutline: a package that is checked without bodies and tables is the one that is checked whole, down to the places
// of all expressions.
func TestOutline(t *testing.T) {
	thorough.Slow(t)
	dir, r := t.TempDir(), &records{store: store{filepath.Join(t.TempDir(), "checked")}}
	file := filepath.Join(dir, "p.go")
	if err := os.WriteFile(file, []byte(awkwardSource()), 0o644); err != nil {
		t.Fatal(err)
	}
	p := Package{Path: "example.com/p", Name: "p", Dir: dir, Module: "example.com/p", Version: "v1.0.0",
		GoVersion: "go1.26", Files: []string{file}}
	var dumps []string
	for range 2 {
		fset := token.NewFileSet()
		fset.AddFile("before.go", -1, len(dumps)*1000) // positions in the set are of no importance
		c, err := checkAll(fset, []Package{p}, importer.Default(), r)
		if err != nil {
			t.Fatal(err)
		}
		dumps = append(dumps, dump(t, c[0]))
	}
	if whole, outlined := r.work.whole.Load(), r.work.outlined.Load(); whole != 1 || outlined != 1 {
		t.Fatalf("%d checked whole, %d without bodies", whole, outlined)
	}
	for _, name := range []string{"bytes", "array", "texts", "pointers", "pairs", "address"} {
		if strings.Contains(dumps[0], "table "+name+" \"\"") {
			t.Errorf("%s is no table", name)
		}
	}
	a, b := strings.Split(dumps[0], "\n"), strings.Split(dumps[1], "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d: whole\n%s\nwithout bodies\n%s", i, strings.Join(a[max(i-3, 0):i+1], "\n"), b[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d lines whole, %d without bodies", len(a), len(b))
	}
}

// TestTrim: what was not used for longest goes first.
func TestTrim(t *testing.T) {
	s, now := store{t.TempDir()}, time.Now()
	for i := range 4 {
		s.write(key(fmt.Sprint(i)), "h\n", make([]byte, 1000))
	}
	for i, name := range []string{"2", "0", "3", "1"} {
		at := now.Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(s.file(key(name)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	names := func() (list []string) {
		entries, err := os.ReadDir(s.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	s.trim(5000, 0)
	if got := names(); !slices.Equal(got, []string{"0", "1", "2", "3"}) {
		t.Error("of less than the most are left", got)
	}
	s.trim(4000, 2500)
	if got := names(); !slices.Equal(got, []string{"1", "3"}) {
		t.Error("left are", got)
	}
	old := now.Add(-2 * keep)
	if err := os.Chtimes(s.file("3"), old, old); err != nil {
		t.Fatal(err)
	}
	if s.trim(4000, 2500); !slices.Equal(names(), []string{"1"}) {
		t.Error("after a month are left", names())
	}
}

func FuzzListing(f *testing.F) {
	f.Add([]byte(`{"Packages":[{"Path":"a","Version":"v1.0.0","Sum":"x","Obstacles":[{"Name":"f"}]}],"GoSum":"s"}`))
	f.Add([]byte(`{"Packages":[{"Path":"a"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := parseListing(data)
		if l == nil {
			return
		}
		for _, p := range needed(l.Packages, l.Packages[0].Path, func(string) bool { return false }) {
			if p.Version == "" || p.Sum == "" {
				t.Errorf("%q: a package without a hash is used", data)
			}
		}
	})
}

// FuzzTableReader: damaged data ends in a failure, not in a panic.
func FuzzTableReader(f *testing.F) {
	f.Add([]byte{TableList, 2, 1, 0, TableInt, 5})
	f.Add([]byte{TableString, 200, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewTableReader(data)
		for !r.Done() && !r.Failed() {
			switch r.Kind() {
			case TableInt:
				r.Int()
			case TableUint:
				r.Uint()
			case TableFloat:
				r.Float()
			case TableString, TableBytes:
				r.Bytes()
			case TableRaw:
				r.Raw(r.Len())
			default:
				if n := r.Len(); n < 0 || n > maxLength {
					t.Errorf("a length of %d", n)
				}
			}
		}
		if r.Failed() && (r.Int() != 0 || r.Len() != 0 || r.Bytes() != nil) {
			t.Error("something is read after a failure")
		}
	})
}
