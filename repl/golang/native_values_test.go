package golang

import (
	"context"
	"testing"
)

// TestNativeFunctionValues: function values go from machine code to interpreted code and back, and follow redefinition.
func TestNativeFunctionValues(t *testing.T) {
	bothWays(t, []step{
		{"func apply(f func(int) int, n int) int { return f(n) + 1 }\nfunc double(x int) int { return 2 * x }", "", "apply double"},
		{"apply(double, 4)", "9", "apply double"},
		{"apply(func(x int) int { return x * x }, 4)", "17", "-"},
		{"func add(k int) func(int) int { return func(x int) int { return x + k } }\ng := add(7)\napply(g, 3)", "11",
			"add apply double"},
		{"func named(n int) int { f := double; return apply(f, n) }\nnamed(5)", "11", "add apply double named"},
		{"func double(x int) int { return 3 * x }\nnamed(5)", "16", "add apply double named"},
		{"func double(x int) int { defer func() {}(); return 4 * x }\nnamed(5)", "21", "add apply named"},
		{"func double(x int) int { return 5 * x }\nnamed(5)", "26", "add apply double named"},
		{"apply(nil, 3)", "RuntimeError: invalid memory address or nil pointer dereference | cell[1]:1:49 apply | cell[9]:1:1 ",
			"-"},
		{"func sorted(p []string, k int) []string {\n\tsort.Slice(p, func(i, j int) bool { return p[i+k] < p[j] })\n\treturn p\n}\n" +
			"sorted([]string{\"b\", \"c\", \"a\"}, 0)", "[a b c]", "add apply double named sorted"},
		{"func try(f func()) (s string) { defer func() { s = fmt.Sprint(recover()) }(); f(); return }\n" +
			"try(func() { sorted([]string{\"b\", \"a\"}, 1) })", "runtime error: index out of range [2] with length 2", "-"},
		{"strings.Map(func(r rune) rune { return r + 1 }, \"HAL\")", "IBM", "-"},
		{"func caesar(s string, k rune) string { return strings.Map(func(r rune) rune { return r + k }, s) }\ncaesar(\"HAL\", 1)",
			"IBM", "-"},
		{"func twice(f func()) { f(); f() }\nn := 0\ntwice(func() { n++ })\nn", "2", "-"},
		{"type op struct { name string; do func(x, y float64) (float64, error) }\n" +
			"func ops() map[string]op { return map[string]op{\"add\": {\"+\", func(x, y float64) (float64, error) { return x + y, nil }},\n" +
			"\t\"div\": {\"/\", func(x, y float64) (float64, error) { if y == 0 { return 0, errors.New(\"zero\") }; return x / y, nil }}} }\n" +
			"func calc(name string, x, y float64) string { r, err := ops()[name].do(x, y); if err != nil { return err.Error() }\n" +
			"\treturn strconv.FormatFloat(r, 'g', -1, 64) }\ncalc(\"add\", 1, 2) + calc(\"div\", 1, 0) + calc(\"div\", 1, 4)", "3zero0.25", "-"},
		{"func two() func() { k := 0; return func() { k++; if k > 1 { panic(\"twice\") } } }\ntwice(two())",
			"Panic: twice | cell[16]:1:61 two.func1 | cell[14]:1:29 twice | cell[16]:2:1 ", "-"},
		{"func keep(f func(int) int) any { return f }\nkeep(add(1)).(func(int) int)(2)", "3", "-"},
		{"ch := make(chan int)\ngo func(f func(int) int) { ch <- f(1) }(add(41))\n<-ch", "42", "-"},
		{"func later(f func()) { f() }\ntime.AfterFunc(0, func() { ch <- 5 })\n<-ch", "5", "-"},
	})
}

// TestNativeSorts: what compiled packages sort by methods and functions of cells.
func TestNativeSorts(t *testing.T) {
	bothWays(t, []step{
		{`type person struct { name string; age int }
type byAge []person
func (p byAge) Len() int { return len(p) }
func (p byAge) Less(i, j int) bool { return p[i].age < p[j].age }
func (p byAge) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func people() []person { return []person{{"Ada", 36}, {"Alan", 41}, {"Grace", 85}, {"Bea", 36}, {"Tim", 1}} }
func sorted() []person { p := people(); sort.Sort(byAge(p)); return p }
sorted()[0]`, "{Tim 1}", "-"},
		{"p := people()\nsort.Sort(sort.Reverse(byAge(p)))\np[0]", "{Grace 85}", "-"},
		{"func (p byAge) Less(i, j int) bool { return p[i].name < p[j].name }\nsorted()[0]", "{Ada 36}", "-"},
		{"func (p byAge) Less(i, j int) bool { defer func() {}(); return p[i].name > p[j].name }\nsorted()[0]", "{Tim 1}", "-"},
		{`func (p byAge) Less(i, j int) bool { return p[i+5].age < 0 }
func try(f func()) (s string) { defer func() { s = fmt.Sprint(recover()) }(); f(); return }
try(func() { sorted() })`, "runtime error: index out of range [6] with length 5", "-"},
		{`func byAges(p []person) []person {
	slices.SortStableFunc(p, func(a, b person) int { return cmp.Compare(a.age, b.age) })
	return p
}
byAges(people())[1:3]`, "[{Ada 36} {Bea 36}]", "-"},
		{`func try2(p []person) string {
	return try(func() { slices.SortFunc(p, func(a, b person) int { return p[a.age].age }) })
}
try2(people())`, "runtime error: index out of range [41] with length 5", "-"},
		{`func floats() []float64 {
	x := []float64{2, math.NaN(), 1}
	slices.SortFunc(x, func(a, b float64) int { return cmp.Compare(a, b) })
	return x
}
floats()`, "[NaN 1 2]", "-"},
	})
}

// TestNativeGenerics: instances of generic functions are compiled, and follow redefinition.
func TestNativeGenerics(t *testing.T) {
	bothWays(t, []step{
		{"func Map[T, U any](xs []T, f func(T) U) []U { var r []U; for _, x := range xs { r = append(r, f(x)) }; return r }\n" +
			"func Sum[T int | float64](xs []T) (s T) { for _, x := range xs { s += x }; return s }", "", ""},
		{"Map([]int{1, 2}, func(x int) string { return strconv.Itoa(x * 2) })", "[2 4]", "Map[int,string]"},
		{"func use(n int) float64 { return Sum(Map([]int{n, 2}, func(x int) float64 { return float64(x) / 4 })) }\nuse(3)", "1.25",
			"Map[int,float64] Map[int,string] Sum[float64] use"},
		{"Sum([]float64{1, 2.5})", "3.5", "Map[int,float64] Map[int,string] Sum[float64] use"},
		{"func Sum[T int | float64](xs []T) (s T) { for _, x := range xs { s += 2 * x }; return s }\nuse(3)", "2.5", "-"},
		{"type Stack[T any] struct { xs []T }\nfunc (s *Stack[T]) Push(x T) { s.xs = append(s.xs, x) }\n" +
			"func (s *Stack[T]) Pop() (x T, ok bool) { if len(s.xs) == 0 { return x, false }\n" +
			"\tx = s.xs[len(s.xs)-1]; s.xs = s.xs[:len(s.xs)-1]; return x, true }\n" +
			"func reverse(list []string) (r []string) { var s Stack[string]; for _, x := range list { s.Push(x) }\n" +
			"\tfor { x, ok := s.Pop(); if !ok { return r }; r = append(r, x) } }\nreverse([]string{\"a\", \"b\"})", "[b a]", "-"},
		{"func At[T any](xs []T, i int) T { return xs[i] }\nfunc bad(n int) int { return At([]int{1}, n) }\nbad(3)",
			"RuntimeError: index out of range [3] with length 1 | cell[7]:1:42 At[...] | cell[7]:2:30 bad | cell[7]:3:1 ", "-"},
		{"func GCD[T ~int | ~int64](a, b T) T { if b == 0 { return a }; return GCD(b, a%b) }\nGCD(48, int64(36))", "12", "-"},
		{"type list[T any] struct { next *list[T]; x T }\nfunc (l *list[T]) each(f func(T)) { for ; l != nil; l = l.next { f(l.x) } }\n" +
			"func count(n int) (s int) { var l *list[int]; for i := range n { l = &list[int]{l, i} }; l.each(func(x int) { s += x }); return s }\n" +
			"count(10)", "45", "-"},
		{"type pair[K comparable, V any] struct { k K; v V }\nfunc pairOf[K comparable, V any](k K, v V) pair[K, V] { return pair[K, V]{k, v} }\n" +
			"func show() string { p := pairOf(\"a\", 2); q := pairOf(1.5, \"b\"); return p.k + strconv.Itoa(p.v) + q.v }\nshow()", "a2b", "-"},
	})
}

// TestNativeCallbackInterrupt: a function value that never returns to the Go code that calls it ends.
func TestNativeCallbackInterrupt(t *testing.T) {
	t.Setenv("GOROCM_NATIVE", "1")
	e, started := interruptible(t)
	e.Eval(context.Background(), 1, "func forever(n int) int { return sort.Search(n, func(i int) bool { for { n++ } }) }")
	out, took := interruptAfter(t, e, started, 2, "list.New()\nforever(1)", "")
	if out.Failure == nil || out.Failure.Name != "Interrupted" {
		t.Error(shown(out))
	}
	t.Logf("ended after %v", took)
}
