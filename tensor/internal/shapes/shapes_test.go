package shapes

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// TestRange compares with a walk from start to end, for all ranges of small dims.
func TestRange(t *testing.T) {
	for size := range 6 {
		for start := -size - 2; start <= size+2; start++ {
			for _, end := range []int{math.MaxInt, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7} {
				for _, step := range []int{-3, -2, -1, 0, 1, 2, 3} {
					first, n, by, ok := Range(start, end, step, size)
					want, inside := walk(start, end, step, size)
					if ok != inside {
						t.Errorf("%d:%d:%d of %d: ok %v", start, end, step, size, ok)
						continue
					}
					var got []int
					for i := 0; ok && i < n; i += max(by, -by) {
						got = append(got, first+i)
					}
					if by < 0 {
						slices.Reverse(got)
					}
					if !slices.Equal(got, want) {
						t.Errorf("%d:%d:%d of %d: got %v, want %v", start, end, step, size, got, want)
					}
				}
			}
		}
	}
}

// walk returns the elements of a range one after another, and whether its ends are in the dim.
func walk(start, end, step, size int) (elements []int, ok bool) {
	if step == 0 {
		step = 1
	}
	from, to := start, end
	if start < 0 || step < 0 && start == 0 {
		from += size
	}
	if step < 0 && start == 0 {
		from--
	}
	switch {
	case end == math.MaxInt && step < 0:
		to = -1
	case end == math.MaxInt:
		to = size
	case end < 0:
		to += size
	}
	low, high := 0, size // of from
	if step < 0 {
		low, high = -1, max(size-1, 0)
	}
	if from < low || from > high || to < low || to > size {
		return nil, false
	}
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		elements = append(elements, i)
	}
	return elements, true
}

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		shape []int
		n     int
		want  []int
		err   string
	}{
		{[]int{2, -1}, 6, []int{2, 3}, ""},
		{[]int{-1, 2}, 0, []int{0, 2}, ""},
		{nil, 1, nil, ""},
		{[]int{2, 3}, 6, []int{2, 3}, ""},
		{[]int{-1, -1}, 6, nil, "more than one -1 in shape [-1 -1]"},
		{[]int{-2, 3}, 6, nil, "negative size in shape [-2 3]"},
		{[]int{0, -1}, 0, nil, "0 elements do not fit shape [0 -1]"},
		{[]int{4, -1}, 6, nil, "6 elements do not fit shape [4 -1]"},
		{[]int{4}, 6, nil, "6 elements do not fit shape [4], which has 4"},
	} {
		got, err := Infer(c.shape, c.n)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v of %d: got %v, want %v", c.shape, c.n, got, c.want)
		}
		checkError(t, err, c.err)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		shape []int
		err   string
	}{
		{[]int{2, 3}, ""},
		{[]int{0, math.MaxInt, math.MaxInt}, ""},
		{[]int{0, -1}, "negative size in shape [0 -1]"},
		{[]int{1 << 60}, "shape [1152921504606846976] has too many elements"},
	} {
		checkError(t, Check(c.shape, 8), c.err)
	}
}

// checkError checks the message of an error, empty for none, and its type.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || want == "" {
		if err != nil || want != "" {
			t.Errorf("error %v, want %q", err, want)
		}
		return
	}
	var s *backend.ShapeError
	if err.Error() != want || !errors.As(err, &s) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestBroadcast(t *testing.T) {
	for _, c := range []struct {
		a, b, want []int
		ok         bool
	}{
		{[]int{2, 3}, []int{3}, []int{2, 3}, true},
		{[]int{4, 1}, []int{1, 5}, []int{4, 5}, true},
		{nil, []int{0, 2}, []int{0, 2}, true},
		{[]int{0}, []int{1}, []int{0}, true},
		{[]int{2}, []int{3}, nil, false},
		{[]int{0}, []int{2}, nil, false},
	} {
		for _, pair := range [][2][]int{{c.a, c.b}, {c.b, c.a}} {
			if got, ok := Broadcast(pair[0], pair[1]); ok != c.ok || !slices.Equal(got, c.want) {
				t.Errorf("%v and %v: got %v, %v, want %v", pair[0], pair[1], got, ok, c.want)
			}
		}
	}
}

// Ranges with a negative step that begin at element 0, as NumPy has them.
func TestRangesFromFirst(t *testing.T) {
	for _, c := range []struct{ end, step, size, n int }{
		{1, -1, 3, 0}, {-3, -1, 3, 0}, {-4, -1, 3, 1}, {math.MaxInt, -1, 3, 1}, {math.MaxInt, -2, 3, 1}, {math.MaxInt, -1, 0, 0},
		{0, -1, 3, 0},
	} {
		first, n, _, ok := Range(First, c.end, c.step, c.size)
		if !ok || n != c.n || n > 0 && first != 0 {
			t.Errorf("%s of %d: %d from %d, %t", RangeText(First, c.end, c.step), c.size, n, first, ok)
		}
	}
	if got := RangeText(First, 1, -1); got != "0:1:-1" {
		t.Error(got)
	}
}
