package repl

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// leftOut are sessions with parts that another one cannot have: what %checkpoint says of them, and what is back.
var leftOut = []struct {
	name  string
	cells []string // separate cells
	told  []string // by %checkpoint, and by %restore
	gone  []string // names that the restored session does not have
	asked string   // of the restored session
	want  string
}{
	{"local type", []string{"x := 42\nfunc mk() any { type local struct{ A int }; return local{3} }\nv := mk()"},
		[]string{"v (any) is not kept: it holds a local: local is declared inside a function or block"}, nil,
		"fmt.Sprint(x, v, mk())", `"42 <nil> {3}"`},
	{"local type like one of the session", []string{
		"x := 42\ntype local struct{ A int }\nfunc mk() any { type local struct{ A int }; return &local{3} }\nv, w := mk(), any(local{1})"},
		[]string{"v (any) is not kept: it holds a *local"}, nil, "fmt.Sprint(x, v, w)", `"42 <nil> {1}"`},
	{"type of a block", []string{"x := 42; var v any", "if x > 1 { type inner struct{ A int }; v = []any{inner{1}} }"},
		[]string{"v (any) is not kept: it holds a inner"}, nil, "fmt.Sprint(x, v)", `"42 <nil>"`},
	{"type of a generic function", []string{
		"x := 42\nfunc mk[T any](v T) any { type pair struct{ a, b T }; return map[string]any{\"a\": pair{v, v}} }\nv := mk(2)"},
		[]string{"v (any) is not kept: it holds a "}, nil, "fmt.Sprint(x, v)", `"42 <nil>"`},
	{"older type", []string{"x := 42; type T struct{ A int }; old := any(T{7})", "type T struct{ A int; B string }", `now := any(T{8, "b"})`},
		[]string{"old (any) is not kept: it holds a T: T was declared anew"}, nil, "fmt.Sprint(x, old, now)", `"42 <nil> {8 b}"`},
	{"variable of another type", []string{"x := 3\nfunc gx() int { return x }\nfunc uses() int { return gx() }\nfunc other() int { return 5 }",
		`x := "s"; y := 1`},
		[]string{"gx is not kept: cannot use x (variable of type string) as int value in return statement", "uses is not kept: undefined: gx"},
		[]string{"gx", "uses"}, "fmt.Sprint(x, y, other())", `"s1 5"`},
	{"hashes", []string{"h, c := sha256.New(), crc32.NewIEEE(); x := 7", "func f() bool { return h == nil }\nmany := []any{1, crc32.NewIEEE()}"},
		[]string{"h (hash.Hash) is not kept: it holds a *sha256.Digest: could not import crypto/internal/fips140/sha256", "c (hash.Hash32) is not kept: it holds a *crc32.digest: undefined: crc32.digest",
			"many ([]any) is not kept"}, nil,
		"fmt.Sprint(x, f(), c, many)", `"7 true <nil> []"`},
	{"callee", []string{"func h(a int) int { return a }\nfunc u() int { return h(3) }", `func h(s string) int { return len(s) }`},
		[]string{"u is not kept: cannot use 3"}, []string{"u"}, `h("ab")`, "2"},
	{"package", []string{`func a() string { return strings.ToUpper("q") }`, `strings := []string{"z"}`},
		[]string{"a is not kept: strings.ToUpper undefined"}, []string{"a"}, "strings", `["z"]`},
	{"type of a function", []string{"type T struct{ A int }\nfunc mk() T { return T{1} }\nx := 1", "type T string", `t := T("s")`},
		[]string{"mk is not kept: "}, []string{"mk"}, "fmt.Sprint(x, t)", `"1s"`},
	{"constant", []string{"const N = 3\nfunc f() int { return N }", `const N = "s"`, "x := 1"},
		[]string{"f is not kept: cannot use N"}, []string{"f"}, "fmt.Sprint(N, x)", `"s1"`},
	{"reset", []string{"n, x := 1, 2\nfunc f() int { return n }", "%reset n"},
		[]string{"f is not kept: undefined: n"}, []string{"f"}, "x", "2"},
	{"variable of an older type", []string{"type H struct{ n int }; le, x := H{1}, 2", `type H string
func a() int { return le.n }
func b() int { le := 1; return le + x }
type T struct{ le int }
func (t T) c() int { return a() + t.le }
func d() int { return T{le: 1}.le }`},
		[]string{"le (H) is not kept: its type has an earlier or local type in it: H was declared anew", "a is not kept: undefined: le", "T.c is not kept: undefined: a"}, []string{"a"},
		"fmt.Sprint(x, b(), d())", `"2 3 1"`},
	{"parts of groups", []string{"x := 3\ntype (\n\tA int // one\n\tB struct{ n A }\n)\nconst (\n\tp = iota\n\tq\n)\n" +
		"// twice says x;\n// and more\nfunc twice() int { return 2 * x }\nfunc (b B) sum() A { return b.n + q }\nvar b = B{4}", `x := "s"`},
		[]string{"twice is not kept: "}, []string{"twice"}, "fmt.Sprint(b.sum(), p, q, x)", `"5 0 1s"`},
	{"method that an interface needs", []string{
		"n := 1\ntype shape interface{ area() int }\ntype square struct{}\nfunc (square) area() int { return n }\nvar s shape = square{}; x := 3",
		`n := "s"`},
		[]string{"square.area is not kept: cannot use n", "s (shape) is not kept: it holds a square: "}, nil,
		"fmt.Sprint(n, s, x)", `"s<nil> 3"`},
	{"method that an interface without a name needs", []string{
		"n := 1\ntype square struct{}\nfunc (square) area() int { return n }\nfunc (square) String() string { return \"sq\" }\n" +
			"var s interface{ area() int } = square{}; var t fmt.Stringer = square{}; var u interface{ String() string } = &square{}",
		`n := "s"`},
		[]string{"square.area is not kept: cannot use n", "s (interface{area() int}) is not kept: it holds a square: "}, nil,
		"fmt.Sprint(s, t, u)", `"<nil> sq sq"`},
}

// TestCheckpointLeavesOut: what a new session cannot have is named when the checkpoint is written, and all else is back.
func TestCheckpointLeavesOut(t *testing.T) {
	thorough.Slow(t)
	for _, tt := range leftOut {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c")
			s := newSession(t)
			for _, code := range tt.cells {
				if _, r := run(t, s, code); r.Err != nil {
					t.Fatal(r.Err.Text(false))
				}
			}
			written, r := run(t, s, "%checkpoint "+path)
			if r.Err != nil {
				t.Fatal(r.Err.Text(false))
			}
			s = newSession(t)
			restored, r := run(t, s, "%restore "+path)
			if r.Err != nil {
				t.Fatal(r.Err.Text(false))
			}
			for _, told := range tt.told {
				if !strings.Contains(written, told) || !strings.Contains(restored, told) {
					t.Errorf("%q is missing in %q or %q", told, written, restored)
				}
			}
			if n := strings.Count(written, "not kept"); n != len(tt.told) {
				t.Errorf("%d things are not kept, want %d: %s", n, len(tt.told), written)
			}
			for _, name := range tt.gone {
				if _, r := run(t, s, name); r.Err == nil || !strings.Contains(r.Err.Message, "undefined: "+name) {
					t.Errorf("%s: %v", name, r.Err)
				}
			}
			if out, r := run(t, s, tt.asked); r.Err != nil || !strings.HasPrefix(out, tt.want) {
				t.Errorf("%s: %v %s, want %s", tt.asked, r.Err, out, tt.want)
			}
		})
	}
}

// TestRestoreWithoutPackage: functions and variables that need a package which a session lacks are left out.
func TestRestoreWithoutPackage(t *testing.T) {
	x, y := 42, 7
	write := func(more ...checkpoint.Variable) string {
		h := checkpoint.Header{Vars: append([]checkpoint.Variable{{Name: "x", Type: "int"}}, more...), Declarations: `
import gone "example.com/gone"
func f() gone.T { return gone.New() }
func calls() any { return f() }
func g() int { return x }
`}
		w := checkpoint.NewWriter()
		for _, v := range []*int{&x, &y}[:len(h.Vars)] {
			if err := w.Add(reflect.ValueOf(v)); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.OpenFile(filepath.Join(t.TempDir(), "c"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := w.Write(file, h); err != nil {
			t.Fatal(err)
		}
		return file.Name()
	}
	s := newSession(t)
	_, r := run(t, s, "%restore "+write(checkpoint.Variable{Name: "y", Type: "gone.T"}))
	if r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	if _, r := run(t, s, "y"); r.Err == nil || !strings.Contains(r.Err.Message, "undefined: y") {
		t.Errorf("y: %+v", r.Err)
	}
	if out, r := run(t, s, "x + g()"); r.Err != nil || strings.TrimSpace(out) != "84" {
		t.Errorf("%+v %s", r.Err, out)
	}
	s = newSession(t)
	out, r := run(t, s, "%restore "+write())
	if r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	for _, want := range []string{"restored: x", `the import of "example.com/gone" is not kept: `,
		"f is not kept: undefined: gone", "calls is not kept: undefined: f"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	if out, r := run(t, s, "x + g()"); r.Err != nil || strings.TrimSpace(out) != "84" {
		t.Errorf("%+v %s", r.Err, out)
	}
}

// TestRestoreModule: without a package of a module all is restored but what needs it, which is named; with it, all.
func TestRestoreModule(t *testing.T) {
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "c")
	for name, text := range map[string]string{"go.mod": "module example.com/zoo\n\ngo 1.24\n",
		"zoo.go": `package zoo
type T struct{ A int; B []*T; M map[string]any; F [2]float64; S string }
type M map[T2]int
type T2 [3]byte
func New() T { return T{A: 1, B: []*T{{A: 5}}, M: map[string]any{"k": 1.5, "t": T2{}}, S: "text"} }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newSession(t)
	for _, code := range []string{"%get " + dir, `import "example.com/zoo"
x, a, held := 42, zoo.New(), any([]zoo.T{{A: 2}})
am := zoo.M{zoo.T2{}: 3}
inside, list, mixed := &a.A, []any{1, "s"}, map[string]any{"x": &x, "a": zoo.T{A: 3}}
to := &list
through := []any{&mixed}
z, big1 := "last", big.NewInt(7)
func f() zoo.T { return zoo.New() }
func g() int { return len(mixed) + x }`, "%checkpoint " + path} {
		if out, r := run(t, s, code); r.Err != nil || strings.Contains(out, "not kept") {
			t.Fatalf("%s: %+v", out, r.Err)
		}
	}
	s = newSession(t)
	out, r := run(t, s, "%restore "+path)
	if r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	for _, want := range []string{"no module has been added that has package example.com/zoo", "restored: big1, list, to, x, z",
		"a (zoo.T) is not kept: undefined: zoo", "am (zoo.M) is not kept: undefined: zoo", "held (any) is not kept: it leads to a value",
		"inside (*int) is not kept: it leads to", "mixed (map[string]any) is not kept: it leads to", "through ([]any) is not kept: it leads to",
		"f is not kept: undefined: zoo", "then %restore again"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s", want, out)
		}
	}
	if out, r := run(t, s, "fmt.Sprint(x, g(), list, len(*to), z, big1, inside, held)"); r.Err != nil ||
		!strings.HasPrefix(out, `"42 42 [1 s] 2last7 <nil> <nil>"`) {
		t.Errorf("%+v %s", r.Err, out)
	}
	run(t, s, "%get "+dir)
	if _, r := run(t, s, "%restore "+path); r.Err != nil {
		t.Fatal(r.Err.Text(false))
	}
	if out, r := run(t, s, "fmt.Sprint(x, a.A, f().A, *inside, am, len(mixed), *big1)"); r.Err != nil || !strings.HasPrefix(out, `"42 1 1 1 map[[0 0 0]:3] 2`) {
		t.Errorf("%+v %s", r.Err, out)
	}
}
