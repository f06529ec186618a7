package mapping

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// TestInterpreted: a function without machine code is called for the elements in their order, on the calling goroutine,
// and a note says so once.
func TestInterpreted(t *testing.T) {
	code := &element.Code{Place: "cell[1], line 1", NoLoop: &element.Reason{What: "it defers a call", Place: "cell[1], line 2"}}
	const want = "note: tensor.Map interprets the function at cell[1], line 1 for each element, which takes a hundred " +
		"times as long as machine code: it defers a call (cell[1], line 2)"
	if first, second := noteOnce(code), noteOnce(code); first != want || second != "" {
		t.Errorf("%q, %q", first, second)
	}
	calls := 0
	f := &element.Function{Code: code, Func: reflect.ValueOf(func(x uint8) int16 { calls++; return int16(x) * int16(calls) })}
	m, err := New(f, []kernels.DType{kernels.U8})
	if err != nil {
		t.Fatal(err)
	}
	in := host.New(3)
	copy(in.Data, []byte{1, 2, 3})
	out := make([]byte, 6)
	m.onHost(out, []int{3}, []backend.Operand{{Store: in, DType: kernels.U8, Layout: backend.Dense([]int{3})}})
	if got := fmt.Sprint(out); got != "[1 0 4 0 9 0]" || calls != 3 {
		t.Error(got, calls)
	}
}

// TestTryFails: where a part of the elements fails on some goroutine, all are computed once more by Loop, in order.
func TestTryFails(t *testing.T) {
	n := 1 << 16
	var looped int64
	code := &element.Code{Try: func(b *element.Block, _ func() bool) bool { return false },
		Loop: func(b *element.Block) { looped += b.N }}
	m, err := New(&element.Function{Code: code, Func: reflect.ValueOf(func(x uint8) uint8 { return x })},
		[]kernels.DType{kernels.U8})
	if err != nil {
		t.Fatal(err)
	}
	m.onHost(make([]byte, n), []int{n}, []backend.Operand{{Store: host.New(n), DType: kernels.U8,
		Layout: backend.Dense([]int{n})}})
	if looped != int64(n) {
		t.Error(looped)
	}
}
