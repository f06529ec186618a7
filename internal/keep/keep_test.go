package keep

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

var _ = Maker("keep.adder", adder)

func adder(n int, more ...func(int) int) func(int) int {
	args := []any{n}
	for _, f := range more {
		args = append(args, f)
	}
	return Func(func(x int) int {
		for _, f := range more {
			x = f(x)
		}
		return x + n
	}, "keep.adder", args...)
}

// TestFunc: a function is made anew as it was made, while it is alive; what is noted of collected ones is dropped.
func TestFunc(t *testing.T) {
	f := adder(1, adder(10), adder(100))
	for range 1000 {
		runtime.KeepAlive(adder(5))
	}
	runtime.GC()
	call := CallOf(unsafe.Pointer(&f))
	if call == nil {
		t.Fatal("it is not known how f was made")
	}
	again, err := Make(call.Maker, call.Args)
	if err != nil || again.(func(int) int)(1) != 112 {
		t.Error(again, err)
	}
	g := func(x int) int { return x + call.Args[0].(int) }
	if CallOf(unsafe.Pointer(&g)) != nil {
		t.Error("another function is taken for one that was made")
	}
	for range 100 {
		runtime.KeepAlive(adder(5))
		runtime.GC()
	}
	if n := len(calls.of); n > 1500 {
		t.Errorf("%d functions are noted", n)
	}
}

// TestMake: arguments that do not fit are an error.
func TestMake(t *testing.T) {
	f := func(x int) int { return x }
	for _, args := range [][]any{{}, {"1"}, {nil}, {1, f, 2}, {1, nil}} {
		if _, err := Make("keep.adder", args); err == nil || !strings.Contains(err.Error(), "keep.adder: argument") &&
			!strings.Contains(err.Error(), "too few") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if made, err := Make("keep.adder", []any{3, f}); err != nil || made.(func(int) int)(1) != 4 {
		t.Error(made, err)
	}
	if _, err := Make("none", nil); err == nil || !strings.Contains(err.Error(), "does not have none") {
		t.Error(err)
	}
}
