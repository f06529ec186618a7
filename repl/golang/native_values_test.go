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
		{"func double(x int) int { _ =  []struct{}{}; return 4 * x }\nnamed(5)", "21", "add apply named"},
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
		{"func (p byAge) Less(i, j int) bool { _ =  []struct{}{}; return p[i].name > p[j].name }\nsorted()[0]", "{Tim 1}", "-"},
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

// TestNativeMethodValues: methods as values, bound to a receiver or not, keep the receiver that they had and follow
// redefinition.
func TestNativeMethodValues(t *testing.T) {
	bothWays(t, []step{
		{"type P struct { x, y int }\nfunc (p P) Sum(k int) int { return p.x + p.y + k }\nfunc (p *P) Move(d int) int { p.x += d; return p.x }\n" +
			"func apply(f func(int) int, n int) int { return f(n) }", "", "P.Move P.Sum apply"},
		{"func bound() int { p := P{1, 2}; f := p.Sum; p.x = 100; return apply(f, 10) }\nbound()", "13", "P.Move P.Sum apply bound"},
		{"func moved() int { p := P{1, 2}; f := p.Move; p.x = 100; f(5); return apply(f, 10) + p.x }\nmoved()", "230", "P.Move P.Sum apply bound moved"},
		{"func exprs() int { f, g, h := P.Sum, (*P).Move, apply; p := P{3, 4}; g(&p, 2); return f(p, 1) + h(p.Sum, 0) + P.Sum(p, 1) - f(p, 1) }\nexprs()", "19",
			"P.Move P.Sum apply bound exprs moved"},
		{"func (p P) Sum(k int) int { return p.x * p.y * k }\nbound() + exprs()", "40", "-"},
		{"func (p P) Sum(k int) int { _ =  []struct{}{}; return -k }\nbound()", "-10", "P.Move apply bound exprs moved"},
		{"func (p P) Sum(k int) int { return []int{p.x}[k] }\nbound()", "RuntimeError: index out of range [10] with length 1 | cell[7]:1:36 P.Sum" +
			" | cell[1]:4:49 apply | cell[2]:1:64 bound | cell[7]:2:1 ", "-"},
		{"func nilValue(p *P) int { f := p.Sum; return f(0) }\nnilValue(&P{4, 5})", "4", "-"},
		{"nilValue(nil)", "RuntimeError: invalid memory address or nil pointer dereference | cell[8]:1:32 nilValue | cell[9]:1:1 ", "-"},
		{"func nilMove(p *P) int { f := p.Move; return f(0) }\nnilMove(nil)", "RuntimeError: invalid memory address or nil pointer dereference" +
			" | cell[1]:3:31 (*P).Move | cell[10]:1:46 nilMove | cell[10]:2:1 ", "-"},
		{"type E interface { Error() string }\nfunc message(e error) string { f := e.Error; e = errors.New(\"other\"); return f() }\nmessage(errors.New(\"this\"))", "this", "-"},
		{"message(nil)", "RuntimeError: invalid memory address or nil pointer dereference | cell[11]:2:37 message | cell[12]:1:1 ", "-"},
		{"func text(n int) string { var b strings.Builder; put := b.WriteByte; for i := range n { put(byte('a' + i)) }; return b.String() }\ntext(4)", "abcd", "-"},
		{"func sorted(list []string) []string { r := strings.NewReplacer(\"a\", \"z\"); f := r.Replace\n" +
			"\tslices.SortFunc(list, func(a, b string) int { return cmp.Compare(f(a), f(b)) }); return list }\nsorted([]string{\"a\", \"b\", \"c\"})", "[b c a]", "-"},
		{"func table(p *P) map[string]func(int) int { return map[string]func(int) int{\"move\": p.Move, \"sum\": p.Sum} }\n" +
			"func use(n int) int { p := &P{1, 1}; m := table(p); s := 0; for i := range n { s += m[\"move\"](i) }; return s }\nuse(4)", "14", "-"},
		{"table(&P{6, 2})[\"sum\"](0)", "6", "-"},
		{"q := P{1, 1}\nslices.SortFunc([]int{1}, func(a, b int) int { return 0 })\nonce := func() int { f := q.Move; return f(41) }\nonce()", "42", "-"},
		{"q.x", "42", "-"},
		{"type W struct { P; io.Reader; e error }\nfunc embedded(w *W) int { f, g := w.Sum, w.Move; g(1); return f(0) + g(2) }\nembedded(&W{P: P{1, 1}})", "5", "-"},
		{"func inner(w *W) string { f := w.e.Error; return f() }\ninner(&W{e: errors.New(\"in\")})", "in", "-"},
		{"func reads(r io.ReadCloser) int { f := r.Read; n, _ := f(make([]byte, 3)); return n }\nreads(io.NopCloser(strings.NewReader(\"abcdef\")))", "3", "-"},
		{"func asserted(e error) (ok bool) { _ = e.(interface{ Error() string }); return true }\nasserted(errors.New(\"a\"))", "true", "-"},
		{"asserted(nil)", "RuntimeError: interface conversion: interface is nil, not interface { Error() string } | cell[22]:1:40 asserted | cell[23]:1:1 ", "-"},
		{"type big struct { a, b, c, d, e, f, g, h, i int }\nfunc (b big) Get(i int) int { return b.i + i }\nfunc large() int { b := big{i: 3}; f := b.Get; return f(1) }\nlarge()", "4", "-"},
		{"type Stack[T any] struct { xs []T }\nfunc (s *Stack[T]) Push(x T) { s.xs = append(s.xs, x) }\n" +
			"func pushed(n int) int { var s Stack[int]; f := s.Push; for i := range n { f(i) }; return len(s.xs) }\npushed(5)", "5", "-"},
		{"func direct(w W) int { p := &w.P; return (*P).Sum(p, 0) + W.Sum(w, 0) + (*W).Move(&w, 1) + P.Sum(*p, 0) }\ndirect(W{P: P{3, 4}})", "14", "-"},
		{"func gone(p P) (s int) { fs := []func(int) int{p.Sum, P{0, 9}.Sum}; for _, f := range fs { s += f(0) }; return s }\ngone(P{5, 0})", "5", "-"},
	})
}
