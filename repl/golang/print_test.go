package golang

import "testing"

// TestPrint: print and println write what the runtime writes.
func TestPrint(t *testing.T) {
	e, out := newEngine(t)
	runCell(t, e, 1, `import "time"
type named string
func two() (any, int) { return nil, 3 }`)
	for i, c := range []struct{ code, want string }{
		{`println(1, 2.5, float32(0.1), true, named("x"), time.Second, 'a', 1e100)`,
			"1 2.5 0.1 true x 1000000000 97 1e+100\n"},
		{`println(complex(1, 2), complex64(1), uint8(200), uintptr(7), 1<<40)`, "(1+2i) (1+0i) 200 7 1099511627776\n"},
		{`println([]int(nil), map[int]int(nil), (*int)(nil), (func())(nil), (chan int)(nil))`,
			"[0/0]0x0 0x0 0x0 0x0 0x0\n"},
		{`println(any(nil), error(nil))`, "(0x0,0x0) (0x0,0x0)\n"},
		{`print("a", 1, 'b', "c\n")`, "a198c\n"},
		{`println(two())`, "(0x0,0x0) 3\n"},
		{`func() { defer println(any(nil), "last"); println() }()`, "\n(0x0,0x0) last\n"},
		{`println("", "", 2)`, "  2\n"},
	} {
		out.Reset()
		runCell(t, e, i+2, c.code)
		if got := out.String(); got != c.want {
			t.Errorf("%s writes %q, want %q", c.code, got, c.want)
		}
	}
}
