package shapes

import (
	"fmt"
	"math"
	"slices"
)

// First is a start of a range with a negative step that begins at element 0, where 0 means the last element.
const First = math.MinInt

// Range returns what the range start:end:step of Python selects of a dim of so many elements: of n elements from first
// on, every by-th. Negative numbers count from the end. An end of math.MaxInt means up to the last element, a step of
// 0 means 1. With a negative step, a start of 0 means the last element, an end of math.MaxInt down to the first, and by
// is negative: the elements are selected from the last of the n down to first. ok is false for a range that goes beyond
// the dim.
func Range(start, end, step, size int) (first, n, by int, ok bool) {
	if step < 0 {
		return backwards(start, end, step, size)
	}
	if start < 0 {
		start += size
	}
	if end == math.MaxInt {
		end = size
	} else if end < 0 {
		end += size
	}
	if start < 0 || start > size || end < 0 || end > size {
		return 0, 0, 0, false
	}
	return start, max(end-start, 0), max(step, 1), true
}

// backwards is Range for a negative step.
func backwards(start, end, step, size int) (first, n, by int, ok bool) {
	switch {
	case start == First:
		start = min(0, size-1)
	case start == 0:
		start = size - 1
	case start < 0:
		start += size
	}
	switch { // from start down to, but without, end
	case end == math.MaxInt:
		end = -1
	case end < 0:
		end += size
	}
	if start < -1 || start >= max(size, 1) || end < -1 || end > size {
		return 0, 0, 0, false
	}
	if start <= end {
		return 0, 0, step, true
	}
	last := start - (start-end-1)/-step*-step // the last one, which comes first in memory
	return last, start - last + 1, step, true
}

// RangeText is a range as Python writes it.
func RangeText(from, to, by int) string {
	var start, end, step string
	if from == First {
		start = "0"
	} else if from != 0 {
		start = fmt.Sprint(from)
	}
	if to != math.MaxInt {
		end = fmt.Sprint(to)
	}
	if by > 1 || by < 0 {
		step = fmt.Sprintf(":%d", by)
	}
	return start + ":" + end + step
}

// Overlap reports whether a range of one list, given by its start and end, has an element of one of the other list.
func Overlap(some, others [][2]int) bool {
	return slices.ContainsFunc(some, func(r [2]int) bool {
		return slices.ContainsFunc(others, func(s [2]int) bool { return r[0] < s[1] && s[0] < r[1] })
	})
}
