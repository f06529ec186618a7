package golang

import "testing"

// TestNativeHeap: container/heap is compiled with the methods that it calls: results, panics and newer methods.
func TestNativeHeap(t *testing.T) {
	sameBothWays(t, "broken empty fixed one.Pop pq.Len pq.Less pq.Pop pq.Push pq.Swap remove sorted texts words.Len words.Less words.Pop words.Push words.Swap",
		`import "container/heap"
type pq []int
func (p pq) Len() int { return len(p) }
func (p pq) Less(i, j int) bool { return p[i] < p[j] }
func (p pq) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pq) Push(x any) { *p = append(*p, x.(int)) }
func (p *pq) Pop() any { o := *p; n := len(o); x := o[n-1]; *p = o[:n-1]; return x }
func sorted(xs []int) (list []int) { q := &pq{}; for _, x := range xs { heap.Push(q, x) }; for q.Len() > 0 { list = append(list, heap.Pop(q).(int)) }; return list }
sorted([]int{5, 2, 8, 1, 9, 3, 3, 7}), sorted(nil)`,
		`func fixed(xs []int) pq { q := pq(xs); heap.Init(&q); q[0] = 50; heap.Fix(&q, 0); q[2] = -1; heap.Fix(&q, 2); return q }
fixed([]int{5, 2, 8, 1, 9, 3, 3, 7})`,
		`func remove(xs []int, i int) (any, pq) { q := pq(xs); heap.Init(&q); return heap.Remove(&q, i), q }
x, q := remove([]int{5, 2, 8, 1, 9, 3, 3, 7}, 3); y, r := remove([]int{4}, 0); x, q, y, r`,
		`type one struct{ pq }
func (o *one) Pop() any { return o.pq[5] }
func empty() any { return heap.Pop(&one{pq{1}}) }
empty()`,
		`func broken(h heap.Interface) { heap.Push(h, "x") }
broken(&pq{})`,
		`type words struct{ list []string; limit int }
func (w *words) Len() int { return len(w.list) }
func (w *words) Less(i, j int) bool { return len(w.list[i]) < len(w.list[j]) }
func (w *words) Swap(i, j int) { w.list[i], w.list[j] = w.list[j], w.list[i] }
func (w *words) Push(x any) { if len(w.list) > w.limit { panic("full: " + x.(string)) }; w.list = append(w.list, x.(string)) }
func (w *words) Pop() any { x := w.list[len(w.list)-1]; w.list = w.list[:len(w.list)-1]; return x }
func texts(limit int, xs ...string) (s string) {
	w := &words{limit: limit}
	for _, x := range xs {
		heap.Push(w, x)
	}
	for len(w.list) > 0 {
		s += heap.Pop(w).(string) + " "
	}
	return s
}
texts(9, "abc", "a", "abcd", "ab")`,
		`texts(1, "abc", "a", "abcd", "ab")`,
		`func (p pq) Less(i, j int) bool { return p[i] > p[j] }`, `sorted([]int{5, 2, 8, 1, 9, 3, 3, 7})`,
		`func (p pq) Swap(i, j int) { c := make(chan int, 1); c <- p[i]; p[i] = p[j]; p[j] = <-c }`, `sorted([]int{5, 2, 8, 1, 9, 3, 3, 7})`,
		`q = pq{3, 1, 2}; heap.Init(&q); heap.Push(&q, 9); q, heap.Pop(&q)`,
		`func (p pq) Swap(i, j int) { p[i], p[j] = p[j], p[i] }`, `sorted([]int{5, 2, 8, 1})`,
	)
}
