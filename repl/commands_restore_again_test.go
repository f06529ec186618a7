package repl

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRestoredFunctions: function literals are evaluated again where they mean what they meant; of others, and of what
// else a checkpoint does not keep, the statements are named, and run when that is asked for.
func TestRestoredFunctions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	s := newSession(t)
	for _, cell := range []string{
		"n := 3\nadd := func(x int) int { return x + n }",
		"func double(x int) int { return 2 * x }\nvar fib func(int) int",
		"fib = func(x int) int { if x < 2 { return x }; return fib(x-1) + fib(x-2) }\nlater := func() int { return double(add(1)) }",
		"old := func() any { return n }", // whose n is that of the first cell
		"byCall := func() func() int { n++; return func() int { return n } }()",
		"changed := func() int { return 1 }\nfunc change() { changed = func() int { return 2 } }\nchange()",
		"taken := func() int { return 1 }\np := &taken\n*p = func() int { return 2 }",
		"kept, ch := 5, make(chan int, 9)\nkept = 6",
		`n := "another"`,
		"if true { add = func(x int) int { return -1 } }\nadd = func(x int) int { return x + 10 }",
		"imported := func() string { return strings.ToUpper(fmt.Sprint(n)) }",
		"again := func() int { return 1 }", "again := func() int { return 2 }",
		"failing := func() int { return 1 }\npanic(1)",
	} {
		if _, r := run(t, s, cell); r.Err != nil && !strings.Contains(cell, "panic") {
			t.Fatal(r.Err.Text(false))
		}
	}
	for round := range 2 { // also a checkpoint of a session that was restored
		if _, r := run(t, s, "%checkpoint "+path); r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
		s = newSession(t)
		out, r := run(t, s, "%restore "+path)
		if r.Err != nil || round == 0 && !strings.Contains(out, "restored: again, fib, imported, kept, later, n") {
			t.Fatalf("%+v %s", r.Err, out)
		}
		for cell, want := range map[string]string{
			"fib(10)": "55", "imported()": `"ANOTHER"`, "again()": "2", "kept": "6", "add == nil && old == nil && byCall == nil": "true",
			"changed == nil && taken == nil && ch == nil && failing == nil": "true",
		} {
			if out, r := run(t, s, cell); r.Err != nil || strings.TrimSpace(out) != want {
				t.Errorf("%s: %+v %s, want %s", cell, r.Err, out, want)
			}
		}
	}
	s = newSession(t)
	for _, cell := range []string{"k := 1", "made := func() func() int { k += 5; return func() int { return k } }()",
		"c, kept := make(chan int, 9), 2\nkept = 3", "%checkpoint " + path, "k, made, c = 0, nil, nil"} {
		run(t, s, cell)
	}
	run(t, s, "%restore "+path)
	out, r := run(t, s, "%restore -r")
	if r.Err != nil || !strings.Contains(out, "run again: 2 statements") {
		t.Errorf("%+v %s", r.Err, out)
	}
	if out, r := run(t, s, "fmt.Sprint(made(), cap(c), kept)"); r.Err != nil || strings.TrimSpace(out) != `"11 9 3"` {
		t.Errorf("%+v %s", r.Err, out)
	}
	if _, r := run(t, s, "%restore -r"); r.Err == nil || !strings.Contains(r.Err.Text(false), "no %restore has named") {
		t.Errorf("%+v", r.Err)
	}
}
