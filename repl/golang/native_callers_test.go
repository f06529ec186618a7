package golang

import (
	"context"
	"fmt"
	"testing"
)

// TestCallersInMachineCode: runtime.Callers names the functions that have become machine code, and their lines, between
// those that are interpreted, however they call these.
func TestCallersInMachineCode(t *testing.T) {
	e, _ := newEngine(t)
	runCell(t, e, 1, `func stack() (r []string) {
	pcs := make([]uintptr, 50)
	fs := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = fs.Next()
		r = append(r, fmt.Sprint(strings.TrimPrefix(f.Function, "main."), ":", f.Line))
	}
	return r[:len(r)-2] // the cell, and runtime.goexit
}
type teller interface{ tell() int }
type told struct{ list []string }
func (x *told) tell() int { x.list = stack(); return 1 }
func call(f func() int, n int) int {
	for range n { n++; if n > 10 { break } }
	return f()
}
func callTwice(f func() int, n int) int {
	for range n { n++; if n > 10 { break } }
	return call(f, n) +
		call(f, n)
}
func viaInterface(i teller, n int) int {
	for range n { n++; if n > 10 { break } }
	return i.tell()
}
func sorting(x []int, f func() int) {
	for i := range x { x[i]++ }
	slices.SortFunc(x, func(a, b int) int {
		return f() + a - b
	})
}
x := &told{}`)
	runCell(t, e, 100, "func replaced(n int) int { for i := range n { n += i }; return n }\nfunc calls(n int) int {\n\tfor i := range n { n += i }\n\treturn replaced(n)\n}")
	runCell(t, e, 101, "func replaced(n int) int { x.tell(); return n }")
	for i, row := range []struct{ cell, want string }{
		{"call(func() int { return x.tell() }, 1)", "[(*told).tell:13 main.func1:1 call:16]"},
		{"call(x.tell, 1)", "[(*told).tell:13 call:16]"},
		{"callTwice(x.tell, 1)", "[(*told).tell:13 call:16 callTwice:21]"},
		{"calls(1)", "[(*told).tell:13 replaced:1 calls:4]"},
		{"viaInterface(x, 1)", "[(*told).tell:13 viaInterface:25]"},
		{"sorting([]int{1, 2}, x.tell); x.list = slices.DeleteFunc(x.list, func(s string) bool { return strings.HasPrefix(s, \"slices\") })",
			"[(*told).tell:13 sorting.func1:30 sorting:29]"},
	} {
		runCell(t, e, 2*i+2, row.cell)
		out := e.Eval(context.Background(), 2*i+3, "x.list")
		if out.Failure != nil || fmt.Sprint(out.Values[0].V) != row.want {
			t.Errorf("%s: %v, want %s", row.cell, out.Values, row.want)
		}
	}
}
