package golang

import (
	"runtime"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestNativeMethodTables: what a method table runs at compiled speed follows what cells declare, and keeps no session.
func TestNativeMethodTables(t *testing.T) {
	thorough.Slow(t)
	bothWays(t, []step{
		{`type list []int
func (l list) Len() int { return len(l) }
func (l list) Less(i, j int) bool { return l[i] < l[j] }
func (l list) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func sorted() list { l := list{3, 1, 2, 5, 4}; sort.Sort(l); sort.Sort(l); return l }
sorted()`, "[1 2 3 4 5]", "-"},
		{"func (l list) Less(i, j int) bool { return l[i] > l[j] }\nsorted()", "[5 4 3 2 1]", "-"},
		{"func (l list) Less(i, j int) bool { _ =  []struct{}{}; return l[i] < l[j] }\nsorted()", "[1 2 3 4 5]", "-"},
		{"func (l list) Less(i, j int) bool { return l[i]%3 < l[j]%3 }\nsorted()[0]", "3", "-"},
		{"runtime.GC()\nruntime.GC()\nsorted()[0]", "3", "-"},
		{"x := list{4, 3}\nsort.Sort(x)\nfor range 3 { runtime.GC(); sort.Sort(sort.Reverse(x)) }\nx", "[4 3]", "-"},
		{"sort.Sort((*list)(nil))", "RuntimeError: value method main.list.Len called using nil *list pointer | cell[7]:1:1 ", "-"},
		{"func nils(l sort.Interface) (s string) { defer func() { s = fmt.Sprint(recover()) }(); l.Less(0, 1); return }\nnils(x) + nils((*list)(nil)) + nils(list{})",
			"<nil>value method main.list.Less called using nil *list pointerruntime error: index out of range [0] with length 0", "-"},
		{"type bad []int\nfunc (l bad) Len() int { return 2 }\nfunc (l bad) Less(i, j int) bool { return l[i+9] < 0 }\nfunc (l bad) Swap(i, j int) {}\nsort.Sort(bad{})",
			"RuntimeError: index out of range [10] with length 0 | cell[9]:3:43 bad.Less | cell[9]:5:1 ", "-"},
		{"sort.Sort(bad{})", "RuntimeError: index out of range [10] with length 0 | cell[9]:3:43 bad.Less | cell[10]:1:1 ", "-"},
		{"sort.Slice([]int{1, 2}, func(i, j int) bool { return x[i+9] < 0 })\nsort.Slice(x, nil)",
			"RuntimeError: index out of range [10] with length 2 | cell[11]:1:54 func literal | cell[11]:1:1 ", "-"},
		{"type named struct { s string }\nfunc (n named) String() string { return n.s + \"!\" }\nfunc (n *named) Error() string { if n == nil { return \"none\" }; return n.s }\n" +
			"fmt.Sprint(named{\"a\"}, &named{\"b\"}, (*named)(nil), []any{named{\"c\"}, named{\"d\"}})", "a! b none [c! d!]", "-"},
		{"func (n named) String() string { return n.s + \"?\" }\nfmt.Sprint(named{\"a\"}, named{\"a\"}, fmt.Stringer(named{\"b\"}))", "a? a? b?", "-"},
		{"var wg sync.WaitGroup\nfor i := range 8 {\n\twg.Go(func() { for range 50 { l := list{3, 1, 2}; sort.Sort(l); if l[0] != 3 { panic(i) } } })\n}\nwg.Wait()", "", "-"},
	})
	runtime.GC()
}
