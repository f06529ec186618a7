package frame

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// How says which rows a join keeps.
type How string

// The kinds of joins.
const (
	Inner How = "inner" // rows of both that match
	Left  How = "left"  // all rows of the left one
	Right How = "right" // all rows of the right one
	Outer How = "outer" // all rows of both
	Semi  How = "semi"  // rows of the left one that have a match, once each
	Anti  How = "anti"  // rows of the left one that have none
)

// Join puts rows of two frames beside one another whose values of the named columns are equal; a row with several
// matches comes once for each. Missing keys match nothing. The result has the keys once, the other columns of f, and
// those of other; a name that both have gets _right in the columns of other. Inner, left, semi and anti joins have the
// order of f and, within a row of it, that of other; a right join that of other; an outer join the order of f, and
// after it the rows of other without a match.
//
//	trips.Join(cities, frame.Left, "city")
//
// It panics with ErrIndex for a name that one of them lacks, and with ErrDType when types of keys do not fit.
func (f *Frame) Join(other *Frame, how How, on ...string) *Frame {
	return f.JoinOn(other, how, on, on)
}

// JoinOn is Join where the keys have other names in the right frame. The result has the names of the left one.
func (f *Frame) JoinOn(other *Frame, how How, left, right []string) *Frame {
	const op = "join"
	if len(left) == 0 || len(left) != len(right) {
		fail(op, tensor.ErrValue, `f.Join(other, frame.Inner, "id") joins by one column`, "%d and %d names of keys", len(left),
			len(right))
	}
	if !slices.Contains([]How{Inner, Left, Right, Outer, Semi, Anti}, how) {
		fail(op, tensor.ErrValue, "", "%q is no kind of join: want frame.Inner, Left, Right, Outer, Semi or Anti", string(how))
	}
	j := &joining{f: f, other: other, left: left, right: right}
	j.prepare(op)
	switch how {
	case Semi, Anti:
		return f.kept(op, bitsOf(f.rows, func(i int) bool { return (j.matches(int32(i)) > 0) == (how == Semi) }))
	case Right:
		return j.swapped().result(op, how)
	}
	return j.result(op, how)
}

// joining is a join under way.
type joining struct {
	f, other    *Frame
	left, right []string
	keysL       []*Column
	keysR       []*Column
	codes       []int32 // of the rows of f
	codesR      []int32
	validL      bitmap // rows of f whose keys are there
	validR      bitmap
	rows        []int32 // of other, by their code
	ends        []int32
	flipped     bool
}

// prepare numbers the keys of both frames together.
func (j *joining) prepare(op string) {
	both := make([]*Column, len(j.left))
	for i := range j.left {
		a, b := j.f.column(op, j.left[i]), j.other.column(op, j.right[i])
		typ, ok := common(a.typ, b.typ)
		if !ok || typ == Float64 && a.typ != b.typ && (a.typ == Int64 || b.typ == Int64) {
			fail(op, tensor.ErrDType, "With and Cast change a column's type", "keys %q and %q are %v and %v",
				a.name, b.name, a.typ, b.typ)
		}
		if a.typ.isText() && a.typ != b.typ {
			typ = Category
		}
		a, b = a.as(op, typ), b.as(op, typ)
		j.keysL, j.keysR = append(j.keysL, a), append(j.keysR, b)
		j.validL, j.validR = j.validL.and(a.valid), j.validR.and(b.valid)
		both[i] = concat([]*Column{a, b})
	}
	k := codesOfAll(both, j.f.rows+j.other.rows)
	j.codes, j.codesR = k.codes[:j.f.rows], k.codes[j.f.rows:]
	j.list(len(k.first))
}

// list sorts the rows of other by their code.
func (j *joining) list(n int) {
	first := make([]int32, n)
	codes := j.codesR
	if j.validR != nil { // rows without keys are of a code that no row of f has
		codes = slices.Clone(codes)
		for i := range codes {
			if !j.validR.get(i) {
				codes[i] = int32(n)
			}
		}
		first = make([]int32, n+1)
	}
	j.rows, j.ends = keys{codes: codes, first: first}.listed()
}

// matches returns how many rows of other match a row of f.
func (j *joining) matches(row int32) int32 {
	if !j.validL.has(int(row)) {
		return 0
	}
	code := j.codes[row]
	return j.ends[code+1] - j.ends[code]
}

// swapped is the join seen from the other frame.
func (j *joining) swapped() *joining {
	s := &joining{f: j.other, other: j.f, left: j.right, right: j.left, keysL: j.keysR, keysR: j.keysL, codes: j.codesR,
		codesR: j.codes, validL: j.validR, validR: j.validL, flipped: true}
	s.list(len(j.ends) - 1)
	return s
}

// pairs lists the rows of f and of other beside one another; -1 is no row.
func (j *joining) pairs(op string, how How) (left, right []int32) {
	starts := make([]int64, j.f.rows+1)
	for i := range j.f.rows {
		n := j.matches(int32(i))
		if how != Inner {
			n = max(n, 1)
		}
		starts[i+1] = starts[i] + int64(n)
	}
	total := starts[j.f.rows]
	if total > maxRows {
		fail(op, tensor.ErrMemory, "are the keys of one side unique? Unique leaves one row of each", "%d rows: at most %d",
			total, maxRows)
	}
	left, right = make([]int32, total), make([]int32, total)
	blocks(j.f.rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at := starts[i]
			if at == starts[i+1] {
				continue
			}
			if j.matches(int32(i)) == 0 {
				left[at], right[at] = int32(i), -1
				continue
			}
			code := j.codes[i]
			for k, row := range j.rows[j.ends[code]:j.ends[code+1]] {
				left[at+int64(k)], right[at+int64(k)] = int32(i), row
			}
		}
	})
	if how == Outer {
		left, right = j.unmatched(left, right)
	}
	return left, right
}

// unmatched appends the rows of other that no row of f has matched.
func (j *joining) unmatched(left, right []int32) (l, r []int32) {
	matched := newBitmap(j.other.rows)
	for _, row := range right {
		if row >= 0 {
			matched.set(int(row))
		}
	}
	for i := range j.other.rows {
		if !matched.get(i) {
			left, right = append(left, -1), append(right, int32(i))
		}
	}
	return left, right
}

// result takes the columns of the rows that were found.
func (j *joining) result(op string, how How) *Frame {
	left, right := j.pairs(op, how)
	gapsR := how != Inner
	gapsL := how == Outer
	a, b := takeAll(j.others(j.f, j.left), left, gapsL), takeAll(j.others(j.other, j.right), right, gapsR)
	ks := make([]*Column, len(j.left))
	for i, c := range j.keysL {
		if !gapsL {
			ks[i] = c.take(left, false)
			continue
		}
		both := concat([]*Column{c, j.keysR[i]})
		rows := make([]int32, len(left))
		for r := range rows {
			if rows[r] = left[r]; left[r] < 0 {
				rows[r] = int32(c.n) + right[r]
			}
		}
		ks[i] = both.take(rows, false)
	}
	names := j.left
	if j.flipped {
		a, b, names = b, a, j.right
	}
	for i, c := range ks {
		ks[i] = c.Rename(names[i])
	}
	return joinedColumns(op, j.leftFrame(), names, ks, a, b)
}

// leftFrame is the frame on the left as the caller sees it.
func (j *joining) leftFrame() *Frame {
	if j.flipped {
		return j.other
	}
	return j.f
}

// others are the columns that are no keys.
func (j *joining) others(f *Frame, keys []string) []*Column {
	var out []*Column
	for _, c := range f.cols {
		if !slices.Contains(keys, c.name) {
			out = append(out, c)
		}
	}
	return out
}

// joinedColumns puts the columns in order: those of the left frame, keys in their places, then those of the right one.
func joinedColumns(op string, f *Frame, names []string, keys, left, right []*Column) *Frame {
	var out []*Column
	taken := map[string]bool{}
	for _, c := range f.cols {
		if i := slices.Index(names, c.name); i >= 0 {
			out = append(out, keys[i])
		} else {
			out = append(out, left[0])
			left = left[1:]
		}
		taken[c.name] = true
	}
	for _, c := range right {
		if taken[c.name] {
			c = c.Rename(c.name + "_right")
		}
		out = append(out, c)
	}
	return fromColumns(op, out...)
}
