package gpu

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
)

// tables are numbers that transforms on a device multiply by.
type tables struct {
	mu    sync.Mutex
	known map[tableKey]*rocm.Buffer
}

type tableKey struct {
	kind string
	n    int
	dt   kernels.DType
}

// mostTables is how many are kept. When there are more, all are dropped.
const mostTables = 256

type tablesOf struct{} // the key of a device's tables

// table returns numbers in device memory, which make computes at the first call.
func (r *runner) table(kind string, n int, make func() []complex128) (*rocm.Buffer, error) {
	t := rocm.Kept(r.dev, tablesOf{}, func() any { return new(tables) }).(*tables)
	t.mu.Lock()
	defer t.mu.Unlock()
	key := tableKey{kind, n, r.dt}
	if b := t.known[key]; b != nil {
		return b, nil
	}
	if r.dev.Capturing() {
		return nil, fmt.Errorf("the first transform of length %d uploads tables, which a graph cannot record: "+
			"run it once before the capture", n)
	}
	raw, err := encode(make(), r.dt)
	if err != nil {
		return nil, err
	}
	b, err := r.dev.Alloc(len(raw))
	if err == nil {
		err = b.Upload(0, raw)
	}
	if err != nil {
		return nil, err
	}
	if t.known == nil || len(t.known) >= mostTables {
		t.known = map[tableKey]*rocm.Buffer{}
	}
	t.known[key] = b
	return b, nil
}

// encode returns numbers as bytes of a type.
func encode(numbers []complex128, dt kernels.DType) ([]byte, error) {
	if dt == kernels.C128 {
		parts := make([]float64, 0, 2*len(numbers))
		for _, x := range numbers {
			parts = append(parts, real(x), imag(x))
		}
		return binary.Append(nil, binary.LittleEndian, parts)
	}
	parts := make([]float32, 0, 2*len(numbers))
	for _, x := range numbers {
		parts = append(parts, float32(real(x)), float32(imag(x)))
	}
	return binary.Append(nil, binary.LittleEndian, parts)
}

// roots returns the n powers of exp(-2πi/n).
func (r *runner) roots(n int) (*rocm.Buffer, error) {
	return r.table("roots", n, func() []complex128 { return plan.Roots(n, n) })
}

// powers returns two tables for roots of a large order, and the logarithm of the size of the lower one.
func (r *runner) powers(n int) (low, high *rocm.Buffer, shift int, err error) {
	var p plan.Powers
	make := func() plan.Powers {
		if p.Size == 0 {
			p = plan.NewPowers(n)
		}
		return p
	}
	if low, err = r.table("low", n, func() []complex128 { return make().Low }); err != nil {
		return nil, nil, 0, err
	}
	high, err = r.table("high", n, func() []complex128 { return make().High })
	return low, high, bits.TrailingZeros(uint(plan.LowSize(n))), err
}
