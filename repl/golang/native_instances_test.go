package golang

import "testing"

// TestNativeInstanceMethods: an instance of a generic type that only machine code makes has its methods, for Go code,
// for interfaces and in goroutines.
func TestNativeInstanceMethods(t *testing.T) {
	types := `type Box[K any] struct{ K K }
func (e Box[K]) String() string { return fmt.Sprint("box ", e.K) }
type Sorted[T cmp.Ordered] []T
func (s Sorted[T]) Len() int { return len(s) }
func (s Sorted[T]) Less(i, j int) bool { return s[i] < s[j] }
func (s Sorted[T]) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
type Wrapped[T any] struct{ err error; t T }
func (w *Wrapped[T]) Error() string { return fmt.Sprint(w.t, ": ", w.err) }
func (w *Wrapped[T]) Unwrap() error { return w.err }
type Writer[T any] struct{ lines []string; last T }
func (w *Writer[T]) Write(p []byte) (int, error) { w.lines = append(w.lines, string(p)); return len(p), nil }
type outer struct { Box[string]; n int }`
	compiled := "Box.String[[]int] Box.String[float64] Box.String[in] Box.String[int16] Box.String[int8] Box.String[int] " +
		"Box.String[rune] Box.String[string] Box.String[uint] Sorted.Len[float32] Sorted.Len[string] Sorted.Less[float32] " +
		"Sorted.Less[string] Sorted.Swap[float32] Sorted.Swap[string] Wrapped.Error[int] Wrapped.Unwrap[int] " +
		"Writer.Write[bool] g h iface local print sorted sortedBox"
	sameBothWays(t, compiled, types,
		"func print(i int) { fmt.Println(Box[int]{i}, &Box[float64]{1.5}, outer{Box[string]{\"in\"}, i}, []any{Box[[]int]{[]int{i}}}) }\nprint(3)",
		"func iface(i int) string { var x fmt.Stringer = Box[int]{i}; return x.String() }\niface(2)",
		"func sorted() []string { s := Sorted[string]{\"c\", \"a\", \"b\"}; sort.Sort(s); return s }\nsorted()",
		"func f(n int) bool { return errors.Is(&Wrapped[int]{io.EOF, n}, io.EOF) }\nf(1)",
		"func g() []string { w := &Writer[bool]{}; fmt.Fprintf(w, \"%d!\", 3); return w.lines }\ng()",
		"func h() { for i := range 2 { fmt.Println(Box[int8]{int8(i)}) }; go func() {}() }\nh()",
		"var wg sync.WaitGroup\nwg.Go(func() { fmt.Println(Box[uint]{7}) })\nwg.Wait()",
		"func local() string { type in struct{ s string }; return fmt.Sprint(Box[in]{in{\"x\"}}) }\nlocal()",
		"for i := range 2 { fmt.Println(Box[rune]{rune(i)}) }",
		"func (e Box[K]) String() string { return fmt.Sprint(\"new \", e.K) }\nprint(4)",
		"fmt.Println(Box[int16]{1})\nprint(4); iface(2)",
		"func sortedBox() any { s := Sorted[float32]{3, 2}; sort.Sort(sort.Reverse(s)); return s }\nsortedBox()")
}
