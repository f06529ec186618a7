package frame

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/frame/internal/sample"
)

// Agg is an aggregate of a column: one value for each group.
type Agg struct {
	kind string
	col  string
	q    float64
	name string
}

// The aggregates. Missing values are skipped. The column of the result is called as that of the values with the
// aggregate after it, as in fare_mean, unless As names it.
var (
	anyType    = func(Type) bool { return true }
	summed     = func(t Type) bool { return t.IsNumber() || t == Bool }
	aggregates = map[string]struct {
		takes func(Type) bool
		of    func(r *aggregation, c *Column) *Column
	}{
		"sum": {summed, (*aggregation).sum}, "mean": {summed, (*aggregation).mean},
		"std": {summed, (*aggregation).std}, "var": {summed, (*aggregation).variance},
		"min": {anyType, (*aggregation).min}, "max": {anyType, (*aggregation).max},
		"first": {anyType, (*aggregation).firstValue}, "last": {anyType, (*aggregation).lastValue},
		"count": {anyType, (*aggregation).count}, "nunique": {anyType, (*aggregation).unique},
		"quantile": {Type.IsNumber, nil}, "median": {Type.IsNumber, nil},
	}
)

// Sum is the sum of numbers: an Int64 for Int64, and for Bool (the count of true values); else a Float64. The sum of no
// values is 0. A sum beyond int64 panics with ErrValue.
func Sum(column string) Agg { return Agg{kind: "sum", col: column} }

// Mean is the mean of numbers, Float64; of bools the fraction that is true.
func Mean(column string) Agg { return Agg{kind: "mean", col: column} }

// Std is the standard deviation of a sample (divided by n-1), Float64; missing for fewer than two values.
func Std(column string) Agg { return Agg{kind: "std", col: column} }

// Var is the variance of a sample (divided by n-1), Float64; missing for fewer than two values.
func Var(column string) Agg { return Agg{kind: "var", col: column} }

// Min is the minimum, NaN if one is; strings are compared by their bytes.
func Min(column string) Agg { return Agg{kind: "min", col: column} }

// Max is the maximum, NaN if one is; strings are compared by their bytes.
func Max(column string) Agg { return Agg{kind: "max", col: column} }

// Median is the median of numbers, Float64: the mean of the two in the middle of an even number.
func Median(column string) Agg { return Agg{kind: "median", col: column, q: 0.5} }

// Quantile is a quantile of numbers, Float64, for q from 0 to 1, interpolated between the two values that are next to
// it.
func Quantile(column string, q float64) Agg { return Agg{kind: "quantile", col: column, q: q} }

// First is the first value that is not missing.
func First(column string) Agg { return Agg{kind: "first", col: column} }

// Last is the last value that is not missing.
func Last(column string) Agg { return Agg{kind: "last", col: column} }

// Count is the number of values that are not missing, Int64.
func Count(column string) Agg { return Agg{kind: "count", col: column} }

// NUnique is the number of different values that are not missing, Int64.
func NUnique(column string) Agg { return Agg{kind: "nunique", col: column} }

// Len is the number of rows, Int64. Its column is called len.
func Len() Agg { return Agg{kind: "len"} }

// As returns the aggregate with a name for its column.
func (a Agg) As(name string) Agg {
	a.name = name
	return a
}

// ordered reports whether an aggregate needs the values of each group together.
func (a Agg) ordered() bool { return a.kind == "median" || a.kind == "quantile" }

func (a Agg) takes(t Type) bool { return aggregates[a.kind].takes(t) }

// check panics where a frame does not have the column, or its type the aggregate.
func (a Agg) check(op string, f *Frame) {
	if a.kind == "len" {
		return
	}
	if a.kind == "" {
		fail(op, tensor.ErrValue, "frame.Sum(\"x\") is an aggregate", "an Agg that no function has made")
	}
	if c := f.column(op, a.col); !a.takes(c.typ) {
		note := ""
		if c.typ.isText() {
			note = fmt.Sprintf("f.With(%q, frame.Col(%q).Cast(frame.Float64)) has the numbers that strings spell", c.name, c.name)
		}
		fail(op, tensor.ErrDType, note, "column %q is %v: want numbers for %s", c.name, c.typ, a.kind)
	}
	if a.kind == "quantile" && !(a.q >= 0 && a.q <= 1) {
		fail(op, tensor.ErrValue, "", "quantile %v of column %q: want a number from 0 to 1", a.q, a.col)
	}
}

func (a Agg) as() string {
	switch {
	case a.name != "":
		return a.name
	case a.kind == "len":
		return "len"
	case a.kind == "quantile":
		return fmt.Sprintf("%s_q%v", a.col, a.q)
	}
	return a.col + "_" + a.kind
}

// aggregation computes aggregates of the groups of a frame.
type aggregation struct {
	f    *Frame
	n    int // groups
	keys keys
	rows []int32 // by group, if an aggregate needs it
	ends []int32
}

func (r *aggregation) listed() (rows, ends []int32) {
	if len(r.keys.codes) == 0 {
		return nil, make([]int32, r.n+1)
	}
	return r.keys.listed()
}

func (r *aggregation) of(a Agg) *Column {
	if a.kind == "len" {
		return r.counted(nil).Rename(a.as())
	}
	c := r.f.column("agg", a.col)
	if a.ordered() {
		return r.quantile(c, a.q).Rename(a.as())
	}
	return aggregates[a.kind].of(r, c).Rename(a.as())
}

func (r *aggregation) counted(valid bitmap) *Column {
	out := make([]int64, r.n)
	for i, code := range r.keys.codes {
		if valid.has(i) {
			out[code]++
		}
	}
	return &Column{typ: Int64, n: r.n, ints: out}
}

func (r *aggregation) count(c *Column) *Column { return r.counted(c.valid) }

// accumulate calls f with the group and the number of each row that has one. Bools are 0 and 1.
func (r *aggregation) accumulate(c *Column, f func(group int32, v float64)) {
	codes := r.keys.codes
	switch c.typ {
	case Float64:
		for i, v := range c.floats {
			if c.valid.has(i) {
				f(codes[i], v)
			}
		}
	default:
		for i := range c.n {
			if c.valid.has(i) {
				f(codes[i], c.number(i))
			}
		}
	}
}

// number is a number, or a bool as one.
func (c *Column) number(i int) float64 {
	if c.typ == Bool {
		if c.bits.get(i) {
			return 1
		}
		return 0
	}
	return c.float(i)
}

func (r *aggregation) sum(c *Column) *Column {
	if c.typ.isFloat() {
		return floatColumn(r.sums(c), nil)
	}
	out := make([]int64, r.n)
	for i, code := range r.keys.codes {
		if !c.valid.has(i) {
			continue
		}
		v := int64(1)
		if c.typ == Int64 {
			v = c.ints[i]
		} else if !c.bits.get(i) {
			continue
		}
		s := out[code] + v
		if (s > out[code]) != (v > 0) && v != 0 {
			fail("sum", tensor.ErrValue, fmt.Sprintf("f.With(%q, frame.Col(%q).Cast(frame.Float64)) can be summed, rounded", c.name, c.name),
				"the sum of column %q is beyond int64", c.name)
		}
		out[code] = s
	}
	return &Column{typ: Int64, n: r.n, ints: out}
}

func floatColumn(values []float64, valid bitmap) *Column {
	c := &Column{typ: Float64, n: len(values), floats: values, valid: valid}
	c.dropValid()
	return c
}

// sums returns the sums of groups as floats. Integers are summed exactly and rounded once.
func (r *aggregation) sums(c *Column) []float64 {
	out := make([]float64, r.n)
	if c.typ != Int64 {
		lost := make([]float64, r.n) // Kahan's compensation
		r.accumulate(c, func(g int32, v float64) {
			y := v - lost[g]
			s := out[g] + y
			if lost[g] = (s - out[g]) - y; lost[g] != lost[g] || math.IsInf(lost[g], 0) {
				lost[g] = 0
			}
			out[g] = s
		})
		return out
	}
	high, low := make([]int64, r.n), make([]uint64, r.n)
	for i, g := range r.keys.codes {
		if c.valid.has(i) {
			var carry uint64
			low[g], carry = bits.Add64(low[g], uint64(c.ints[i]), 0)
			high[g] += c.ints[i]>>63 + int64(carry)
		}
	}
	for g := range out {
		out[g] = float128(high[g], low[g])
	}
	return out
}

// float128 rounds an integer of 128 bits.
func float128(high int64, low uint64) float64 {
	if high == int64(low)>>63 {
		return float64(int64(low))
	}
	return float64(high)*(1<<64) + float64(low)
}

func (r *aggregation) means(c *Column) (means []float64, counts []int64, valid bitmap) {
	means, counts = r.sums(c), r.count(c).ints
	valid = newBitmap(r.n)
	for g := range means {
		if counts[g] > 0 {
			means[g] /= float64(counts[g])
			valid.set(g)
		}
	}
	return means, counts, valid
}

func (r *aggregation) mean(c *Column) *Column {
	means, _, valid := r.means(c)
	return floatColumn(means, valid)
}

func (r *aggregation) variance(c *Column) *Column {
	means, counts, _ := r.means(c)
	out, valid := make([]float64, r.n), newBitmap(r.n)
	r.accumulate(c, func(g int32, v float64) {
		d := v - means[g]
		out[g] += d * d
	})
	for g := range out {
		if counts[g] > 1 {
			out[g] /= float64(counts[g] - 1)
			valid.set(g)
		} else {
			out[g] = 0
		}
	}
	return floatColumn(out, valid)
}

func (r *aggregation) std(c *Column) *Column {
	v := r.variance(c)
	for i := range v.floats {
		v.floats[i] = math.Sqrt(v.floats[i])
	}
	return v
}

// chosen takes for each group the row that better prefers to the one before it.
func (r *aggregation) chosen(c *Column, better func(i, than int32) bool) *Column {
	rows := make([]int32, r.n)
	for g := range rows {
		rows[g] = -1
	}
	for i, g := range r.keys.codes {
		if c.valid.has(i) && (rows[g] < 0 || better(int32(i), rows[g])) {
			rows[g] = int32(i)
		}
	}
	return c.take(rows, true)
}

func (r *aggregation) min(c *Column) *Column {
	if c.typ.isFloat() {
		return r.extreme(c, func(v, than float64) bool { return v < than })
	}
	less := c.less()
	return r.chosen(c, less)
}

func (r *aggregation) max(c *Column) *Column {
	if c.typ.isFloat() {
		return r.extreme(c, func(v, than float64) bool { return v > than })
	}
	less := c.less()
	return r.chosen(c, func(i, than int32) bool { return less(than, i) })
}

// extreme is chosen for floats, of which NaN is preferred to all others.
func (r *aggregation) extreme(c *Column, better func(v, than float64) bool) *Column {
	return r.chosen(c, func(i, than int32) bool {
		v, old := c.float(int(i)), c.float(int(than))
		return old == old && (v != v || better(v, old))
	})
}

func (r *aggregation) firstValue(c *Column) *Column {
	return r.chosen(c, func(int32, int32) bool { return false })
}

func (r *aggregation) lastValue(c *Column) *Column {
	return r.chosen(c, func(int32, int32) bool { return true })
}

// unique counts the different values of each group: the pairs of group and value.
func (r *aggregation) unique(c *Column) *Column {
	out := make([]int64, r.n)
	if c.n > 0 {
		pairs := keys{codes: r.keys.codes, first: r.keys.first}.pairs(codesOf(c))
		for _, row := range pairs.first {
			if c.valid.has(int(row)) {
				out[r.keys.codes[row]]++
			}
		}
	}
	return &Column{typ: Int64, n: r.n, ints: out}
}

// quantile interpolates linearly between the values of each group in order, as NumPy does.
func (r *aggregation) quantile(c *Column, q float64) *Column {
	out, valid := make([]float64, r.n), make([]bool, r.n)
	longest := 0
	for g := range r.n {
		longest = max(longest, int(r.ends[g+1]-r.ends[g]))
	}
	values := make([]float64, 0, longest)
	for g := range r.n {
		values = values[:0]
		nan := false
		for _, row := range r.rows[r.ends[g]:r.ends[g+1]] {
			if c.valid.has(int(row)) {
				v := c.float(int(row))
				nan = nan || v != v
				values = append(values, v)
			}
		}
		if valid[g] = len(values) > 0; !valid[g] {
			continue
		}
		if out[g] = math.NaN(); !nan {
			out[g] = sample.Quantile(values, q)
		}
	}
	return floatColumn(out, bitsOf(r.n, func(i int) bool { return valid[i] }))
}
