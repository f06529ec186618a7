package golang

import (
	"context"
	"strings"
	"testing"
)

// TestNativeLoops: loops among the statements of a cell are machine code, and nothing else tells the difference.
func TestNativeLoops(t *testing.T) {
	bothWays(t, []step{
		{"sum := 0\nfor i := 0; i < 1000; i++ { sum += i }\nsum", "499500", "-"},
		{"for i := range 10 { sum += i * 2 }\nsum", "499590", "-"},
		{"func sq(x int) int { return x * x }\nt := 0\nfor _, x := range []int{1, 2, 3} { t += sq(x) }\nt", "14", "sq"},
		{"xs := []int{1, 2, 3}\nouter:\nfor i := range xs {\n\tfor j := range 10 {\n\t\tif j == 5 { continue outer }\n\t\tif i == 2 { break outer }\n" +
			"\t\txs[i] += j\n\t}\n}\nxs", "[11 12 3]", "-"},
		{"for i := range 10 {\n\txs[i] = i\n}", "RuntimeError: index out of range [3] with length 3 | cell[5]:2:2 ", "-"},
		{"xs", "[0 1 2]", "-"},
		{"func at(i int) int { return xs[i] }\nfor i := range 10 { t += at(i) }",
			"RuntimeError: index out of range [3] with length 3 | cell[7]:1:29 at | cell[7]:2:26 ", "-"},
		{"t", "17", "-"},
		{"type P struct { X int; Next *P }\nvar head *P\nfor i := range 4 { head = &P{i, head} }\nhead.Next.X", "2", "-"},
		{"s := \"\"\nfor p := head; p != nil; p = p.Next { s += \"x\" }\ns", "xxxx", "-"},
		{"n := 0\nfor n < 10 { n++ }\nn", "10", "-"},
		{"for i := 0; i < 3; i++ { if i == 1 { continue }; fmt.Sprint(i) }", "", "-"},
		{"func f() int { return 1 }\na := 0\nfor range 3 { a += f() }\na", "3", "-"},
		{"func f() int { return len(fmt.Sprint(2)) + 1 }\nfor range 3 { a += f() }\na", "9", "-"},
		{"n := 1.5\nfor n < 10 { n *= 2 }\nn", "12", "-"},
		{"const k = 4\nvar grid [3][4]int\nfor i := range 3 { for j := range k { grid[i][j] = i * j } }\ngrid", "[[0 0 0 0] [0 1 2 3] [0 2 4 6]]", "-"},
		{"fs := []func() int{}\nfor i := range 3 { fs = append(fs, func() int { return i }) }\nfs[0]() + fs[2]()", "2", "-"},
		{"q := 0\ndefer func() { q++ }()\nfor range 5 { q++ }", "", "-"},
		{"q", "6", "-"},
		{"i := 0\nagain:\nfor i < 3 { i++ }\nif i < 5 { i += 2; goto again }\ni", "5", "-"},
		{"for i := range 3 { x := i; for x > 0 { x--; t++ } }\nt", "20", "-"},
		{"var m = map[string]int{}\nfor i := range 3 { m[\"a\"] += i }\nm[\"a\"]", "3", "-"},
	})
}

// TestNativeLoopInterrupt: an endless loop of a cell ends, and its variables keep what they had.
func TestNativeLoopInterrupt(t *testing.T) {
	t.Setenv("GOROCM_NATIVE", "1")
	e, started := interruptible(t)
	e.Eval(context.Background(), 1, "n := 0")
	out, _ := interruptAfter(t, e, started, 2, "list.New()\nfor { n++ }", "")
	if out.Failure == nil || out.Failure.Name != "Interrupted" {
		t.Error(shown(out))
	}
	if got := shown(e.Eval(context.Background(), 3, "n > 0")); got != "true" {
		t.Error(got)
	}
}

// TestNativeLoopsListed: what has become of the loops of the last cell that had any is told.
func TestNativeLoopsListed(t *testing.T) {
	t.Setenv("GOROCM_NATIVE", "1")
	e, _ := newEngine(t)
	if why := e.Interprets(); why != "" {
		t.Skip(why)
	}
	e.Eval(context.Background(), 1, "s := 0\nfor i := range 3 { s += i }\nfor range 3 {\n\tos.Getpid()\n}")
	e.Eval(context.Background(), 2, "s")
	var list []string
	for _, n := range e.NativeLoops() {
		if n.Bytes > 0 {
			list = append(list, n.Name)
		} else {
			list = append(list, n.Name+": "+n.Why+" ("+n.Where+")")
		}
	}
	const want = "loop in cell[1], line 2; loop in cell[1], line 3: it calls os.Getpid (cell[1], line 4)"
	if got := strings.Join(list, "; "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// BenchmarkLoop is a cell with a loop of a hundred thousand steps, with machine code and without.
func BenchmarkLoop(b *testing.B) {
	for _, way := range []string{"1", "0"} {
		b.Run("native="+way, func(b *testing.B) {
			b.Setenv("GOROCM_NATIVE", way)
			e, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			e.Eval(context.Background(), 1, "n := 0")
			for i := 2; b.Loop(); i++ {
				out := e.Eval(context.Background(), i, "for i := 0; i < 100000; i++ {\n\tn += i % 7\n}")
				if out.Failure != nil {
					b.Fatal(shown(out))
				}
			}
		})
	}
}
