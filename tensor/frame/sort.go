package frame

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// less returns how the values of two rows compare, neither of which is missing. NaN is greater than all numbers; false
// is less than true; text is compared by its bytes, categories by their text.
func (c *Column) less() func(i, j int32) bool {
	switch c.typ {
	case Bool:
		return func(i, j int32) bool { return !c.bits.get(int(i)) && c.bits.get(int(j)) }
	case Int64, Timestamp:
		return func(i, j int32) bool { return c.ints[i] < c.ints[j] }
	case Date:
		return func(i, j int32) bool { return c.days[i] < c.days[j] }
	case Float64, Float32:
		return func(i, j int32) bool { return floatOrder(c.float(int(i))) < floatOrder(c.float(int(j))) }
	}
	return func(i, j int32) bool { return c.str(int(i)) < c.str(int(j)) }
}

// floatOrder maps floats to integers of the same order, NaN last.
func floatOrder(v float64) uint64 {
	b := floatBits(v)
	if v != v {
		return math.MaxUint64 - 1
	}
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// SortKey is a column to sort by.
type SortKey struct {
	col        string
	descending bool
}

// Asc sorts by a column in ascending order.
func Asc(column string) SortKey { return SortKey{col: column} }

// Desc sorts by a column in descending order.
func Desc(column string) SortKey { return SortKey{col: column, descending: true} }

// Sort returns the rows in ascending order of columns, of the later ones where the earlier are equal. Rows that are
// equal in all of them keep their order. Missing values come last; NaN is greater than every number. SortBy sorts in
// descending order, too.
func (f *Frame) Sort(names ...string) *Frame {
	keys := make([]SortKey, len(names))
	for i, n := range names {
		keys[i] = Asc(n)
	}
	return sortedFrame(f, "sort", keys)
}

// SortBy is Sort with a direction for each column:
//
//	f.SortBy(frame.Asc("city"), frame.Desc("fare"))
//
// Missing values come last in both directions.
func (f *Frame) SortBy(by ...SortKey) *Frame { return sortedFrame(f, "sortby", by) }

func sortedFrame(f *Frame, op string, by []SortKey) *Frame {
	if len(by) == 0 {
		fail(op, tensor.ErrValue, "", "no column to sort by: the columns are %s", listOf(f.Names()))
	}
	var rows []int32 // nil: the order that they have
	for _, k := range slices.Backward(by) {
		rows = radixSort(f.column(op, k.col).ranks(k.descending), rows)
	}
	return f.take(rows)
}

// ranks maps the values of a column to integers that sort as they do: missing ones last.
func (c *Column) ranks(descending bool) []uint64 {
	var flip uint64
	if descending {
		flip = math.MaxUint64
	}
	out := make([]uint64, c.n)
	rank := rankOf(c)
	blocks(c.n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			switch {
			case !c.valid.has(i):
				out[i] = math.MaxUint64
			case c.typ == Int64 || c.typ == Timestamp:
				out[i] = uint64(c.ints[i]) ^ 1<<63 ^ flip
			default:
				out[i] = rank(i) ^ flip
			}
		}
	})
	if c.valid != nil && (c.typ == Int64 || c.typ == Timestamp) {
		makeRoom(c, out, flip)
	}
	return out
}

// makeRoom gives the greatest rank to missing values alone, which the extreme integer would have, too: values that
// have it are few, so they and the next lower ones are told apart by their ranks among all.
func makeRoom(c *Column, ranks []uint64, flip uint64) {
	taken := false
	for i, r := range ranks {
		taken = taken || r == math.MaxUint64 && c.valid.has(i)
	}
	if !taken {
		return
	}
	values := slices.Clone(c.ints)
	slices.Sort(values)
	values = slices.Compact(values)
	for i := range ranks {
		if c.valid.has(i) {
			at, _ := slices.BinarySearch(values, c.ints[i])
			ranks[i] = uint64(at) ^ flip&math.MaxInt64
		}
	}
}

// rankOf returns the rank of a row of a column that has no integers of 64 bits; ranks are below the greatest number by
// at least one, and above 0.
func rankOf(c *Column) func(i int) uint64 {
	switch c.typ {
	case Bool:
		return func(i int) uint64 {
			if c.bits.get(i) {
				return 2
			}
			return 1
		}
	case Date:
		return func(i int) uint64 { return uint64(int64(c.days[i])+1<<31) + 1 }
	case Float64, Float32:
		return func(i int) uint64 { return floatOrder(c.float(i)) }
	case Category:
		ranks := textRanks(c.dict)
		return func(i int) uint64 { return ranks[c.days[i]] }
	case String:
		k := codesOf(c)
		distinct := textRanks(c.take(k.first, false))
		return func(i int) uint64 { return distinct[k.codes[i]] }
	}
	return nil
}

// textRanks ranks different strings from 1 on.
func textRanks(c *Column) []uint64 {
	order := make([]int32, c.n)
	prefix := make([]uint64, c.n)
	for i := range order {
		order[i] = int32(i)
		prefix[i] = prefixOf(c.str(i))
	}
	slices.SortFunc(order, func(i, j int32) int {
		if p := cmp.Compare(prefix[i], prefix[j]); p != 0 {
			return p
		}
		return strings.Compare(c.str(int(i)), c.str(int(j)))
	})
	ranks := make([]uint64, c.n)
	for r, i := range order {
		ranks[i] = uint64(r) + 1
	}
	return ranks
}

// prefixOf is the first eight bytes of a text as a number that sorts as they do.
func prefixOf(s string) (v uint64) {
	for i := range 8 {
		v <<= 8
		if i < len(s) {
			v |= uint64(s[i])
		}
	}
	return v
}
