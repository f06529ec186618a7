package golang

import (
	"slices"
	"strings"
	"testing"
)

// TestVet: what go vet would say of a cell is a note of the cell, which runs all the same.
func TestVet(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []struct{ cell, want string }{
		{"fmt.Printf(\"%d\\n\", \"x\")", `vet: line 1: fmt.Printf format %d has arg "x" of wrong type string`},
		{"n := 1\nfmt.Println(\"%d\", n)", "vet: line 2: fmt.Println call has possible Printf formatting directive %d"},
		{"type locked struct { mu sync.Mutex; n int }\nfunc copies(l locked) int { return l.n }", "vet: line 2: copies passes lock by value: locked contains sync.Mutex"},
		{"var a locked\nb := a\n_ = &b", "vet: line 2: assignment copies lock value to b: locked contains sync.Mutex"},
		{"func forgets() context.Context {\nctx, cancel := context.WithCancel(context.Background())\nif false { cancel() }\nreturn ctx\n}",
			"vet: line 2: the cancel function is not used on all paths (possible context leak)|vet: line 4: this return statement may be reached without using the cancel var defined on line 2"},
		{"type tagged struct {\nA int `json:a`\nB int `json:\"b\"`\nC int `json:\"b\"`\n}", "vet: line 2: struct field tag `json:a` not compatible with reflect.StructTag.Get: bad syntax for struct tag value|vet: line 4: struct field C repeats json tag \"b\" also at cell[6]:3"},
		{"fmt.Sprint(1)\nx := 2", "vet: line 1: result of fmt.Sprint call not used"},
		{"fmt.Sprint(1)", ""},
		{"errors.New(\"x\")", ""},
		{"fmt.Printf(\"%v %s %T\\n\", x, \"s\", x)\nx", ""},
		{"func (l *locked) M() (int, error) { return l.n, nil }\nm := a.M()\nm", ""},
		{"f, err := os.Open(\"/dev/null\")\ndefer f.Close()\nfmt.Println(err)", ""},
		{"ctx, cancel := context.WithCancel(context.Background())", ""},
		{"var ctx2, cancel2 = context.WithCancel(ctx)\nctx2.Err()", ""},
		{"cancel(); cancel2()\nfunc() { _, stop := context.WithCancel(ctx); if false { stop() } }()",
			"vet: line 2: the stop function is not used on all paths (possible context leak)|vet: line 2: this return statement may be reached without using the stop var defined on line 2"},
		{"for i := range 3 { fmt.Printf(\"%d\\n\", i) }\ngo func() { fmt.Println() }()", ""},
	} {
		out := e.Eval(t.Context(), i+1, x.cell)
		if out.Failure != nil {
			t.Errorf("%s: %s", x.cell, out.Failure.Message)
		}
		notes := slices.DeleteFunc(out.Notes, func(n string) bool { return !strings.HasPrefix(n, "vet") })
		if got := strings.Join(notes, "|"); got != x.want {
			t.Errorf("%s\ngot  %s\nwant %s", x.cell, got, x.want)
		}
	}
	e.SetVet(false)
	if out := e.Eval(t.Context(), 50, "fmt.Printf(\"%d\\n\", \"x\")"); len(out.Notes) > 0 {
		t.Error(out.Notes)
	}
}

func BenchmarkVet(b *testing.B) {
	e, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, on := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "on"}[on], func(b *testing.B) {
			e.SetVet(on)
			for b.Loop() {
				if out := e.Eval(b.Context(), 1, "total := 0\nfor i := range 10 { total += i }\nfmt.Sprintf(\"%d %s\", total, \"x\")"); out.Failure != nil {
					b.Fatal(out.Failure.Message)
				}
			}
		})
	}
}
