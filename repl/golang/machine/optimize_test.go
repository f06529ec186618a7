package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

// evaluate compiles declarations, has Optimize work on them, and returns what the function f returns or panics with.
func evaluate(t *testing.T, code string) (result string) {
	t.Helper()
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	in := interp.New(interp.Options{})
	if err := in.Use(stdlib.Symbols); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Eval(`import "sort"`); err != nil {
		t.Fatal(err)
	}
	p, err := in.Compile("package main\n" + code)
	if err != nil {
		t.Fatal(err)
	}
	Optimize(p, func(uint64) {})
	Grow(in)
	if _, err := in.Execute(p); err != nil {
		t.Fatal(err)
	}
	v, err := in.Eval("f")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != nil {
			if p, ok := r.(interp.Panic); ok {
				r = p.Value
			}
			result = fmt.Sprint(r)
		}
	}()
	return fmt.Sprint(v.Interface().(func() any)())
}

// TestOptimize: optimised functions return what Go's do, and panic with Go's own texts. As in lowered code, no call
// becomes an interface.
func TestOptimize(t *testing.T) {
	for _, tt := range []struct{ name, code, want string }{
		{"arithmetic", "func f() any { x, y := 7, 3; return x*y - x/y + x%y<<2 }", "23"},
		{"overflow", "func f() any { var x int8 = 127; x++; return x }", "-128"},
		{"floats", "func f() any { x := 1.5; y := x * 2; return y / 4 }", "0.75"},
		{"strings", `func f() any { s := "ab"; s += "c"; return s[1:] + s }`, "bcabc"},
		{"loop", "func f() any { n := 0; for i := 0; i < 100; i++ { if i%3 == 0 { n += i } }; return n }", "1683"},
		{"map", `func f() any { m := map[string]int{"a": 1}; m["b"] += 2; v, ok := m["c"]; return len(m) + m["b"] + v + map[bool]int{true: 10}[ok] }`, "4"},
		{"slice", "func f() any { s := make([]int, 0, 2); s = append(s, 1, 2, 3); s[1] = 9; return s[1:] }", "[9 3]"},
		{"closure", "func f() any { n := 0; add := func(i int) int { n += i; return n }; add(2); add(3); return n }",
			"5"},
		{"trampoline", "func f() any { s := []int{3, 1, 2}; sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }); return s }", "[1 2 3]"},
		{"index", "func f() any { s := []int{1}; i := 3; return s[i] }",
			"runtime error: index out of range [3] with length 1"},
		{"slice bounds", "func f() any { s := []int{1}; i := 3; return s[i:] }",
			"runtime error: slice bounds out of range [3:1]"},
		{"division", "func f() any { x := 0; return 1 / x }", "runtime error: integer divide by zero"},
		{"nil map", "func f() any { var m map[string]int; m[\"a\"] = 1; return m }", "assignment to entry in nil map"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := evaluate(t, tt.code); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s\ngives %s, want %s", tt.code, got, tt.want)
			}
		})
	}
}
