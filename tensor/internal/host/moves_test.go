package host_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// TestJoinRows joins what was cut, in elements of each size, with rows that are few and rows that are many, and a part
// that is a view.
func TestJoinRows(t *testing.T) {
	thorough.Slow(t)
	for _, dt := range []tensor.DType{tensor.U8, tensor.F16, tensor.F32, tensor.I64} {
		for _, rows := range []int{1, 3, 1000} {
			x := wholeNumbers(rows, 70).Abs().ToDType(dt)
			for _, cut := range []int{0, 1, 37, 70} {
				t.Run(fmt.Sprint(dt, rows, cut), func(t *testing.T) {
					left, right := x.Narrow(1, 0, cut), x.Narrow(1, cut, 70-cut)
					agree(t, tensor.Cat([]*tensor.Tensor{left.Copy(), right.Copy()}, 1), x, 0)
					agree(t, tensor.Cat([]*tensor.Tensor{left.Copy(), right}, 1), x, 0)
				})
			}
		}
	}
	big := wholeNumbers(513, 4100) // goes past the caches
	agree(t, tensor.Cat([]*tensor.Tensor{big.Narrow(1, 0, 2064).Copy(), big.Narrow(1, 2064, 2036).Copy()}, 1), big, 0)
}

// TestScatterWithinLines adds to lines by ids that are next to each other and by ones that are not, and looks for ids
// out of range.
func TestScatterWithinLines(t *testing.T) {
	const rows, width, count = 9, 50, 70
	ids := make([]int64, rows*count)
	for i := range ids {
		ids[i] = int64(i * i % width)
	}
	at := tensor.New(ids).Reshape(rows, count)
	x, src := wholeNumbers(rows, width), wholeNumbers(rows, count)
	// the same elements, not next to each other
	apart := func(t *tensor.Tensor) *tensor.Tensor { return t.T().Copy().T() }
	agree(t, x.ScatterAdd(at, src, 1), x.ScatterAdd(apart(at), apart(src), 1), 0)
	agree(t, x.Gather(at, 1), x.Gather(apart(at), 1), 0)
	want := x.FlattenAll().ToVec1()
	for i, id := range ids {
		want[i/count*width+int(id)] += float64(i*7%5 - 2)
	}
	agree(t, x.ScatterAdd(at, src, 1), tensor.New(want).Reshape(rows, width).ToDType(tensor.F32),
		0)
	for _, bad := range []int64{-1, width, 1 << 40} {
		ids[rows*count/2] = bad
		at := tensor.New(ids).Reshape(rows, count)
		for name, f := range map[string]func() *tensor.Tensor{"gather": func() *tensor.Tensor { return x.Gather(at, 1) }, "scatter": func() *tensor.Tensor { return x.ScatterAdd(at, src, 1) }} {
			if _, err := tensor.Try(f); err == nil {
				t.Errorf("%s takes the id %d", name, bad)
			}
		}
	}
}

// TestRepeatedTwice compares the usual widths of pictures that grow with widths that have no loop of their own.
func TestRepeatedTwice(t *testing.T) {
	x := wholeNumbers(2, 3, 5, 7)
	for _, size := range [][2]int{{10, 14}, {5, 14}, {11, 14}, {10, 13}, {10, 7}} {
		want := make([]float64, 0, 6*size[0]*size[1])
		v := x.Reshape(6, 5, 7).ToVec3()
		for _, plane := range v {
			for r := range size[0] {
				for c := range size[1] {
					want = append(want, plane[r*5/size[0]][c*7/size[1]])
				}
			}
		}
		agree(t, x.UpsampleNearest2d(size[0], size[1]),
			tensor.New(want).Reshape(2, 3, size[0], size[1]), 0)
	}
}
