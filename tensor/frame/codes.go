package frame

import (
	"hash/maphash"
	"math"
	"math/bits"
	"runtime"
)

func trailing(w uint64) int { return bits.TrailingZeros64(w) }

// keys numbers the different values of columns from 0 on, in the order in which they first appear. A missing value is
// one of them.
type keys struct {
	codes []int32 // of each row
	first []int32 // the first row of each code
}

// codesOf numbers the values of one column.
func codesOf(c *Column) keys {
	switch c.typ {
	case Int64, Timestamp:
		return codesOfInts(c.n, c.valid, func(i int) uint64 { return uint64(c.ints[i]) }, c.ints)
	case Date, Category:
		return codesOfInts(c.n, c.valid, func(i int) uint64 { return uint64(c.days[i]) }, nil)
	case Bool:
		return codesOfInts(c.n, c.valid, func(i int) uint64 {
			if c.bits.get(i) {
				return 1
			}
			return 0
		}, nil)
	case Float64, Float32:
		return hashed(c.n, c.valid, func(i int) uint64 { return mix(floatBits(c.float(i))) }, nil)
	}
	seed := maphash.MakeSeed()
	return hashed(c.n, c.valid, func(i int) uint64 { return maphash.String(seed, c.str(i)) },
		func(i, j int32) bool { return c.str(int(i)) == c.str(int(j)) })
}

// floatBits are equal for numbers that are equal, and for all NaN.
func floatBits(v float64) uint64 {
	if v != v {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(v + 0) // -0 becomes 0
}

// mix is a bijection that spreads bits (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// codesOfInts numbers integers: by a table of all of them where they are close together, else by hashing. ints are the
// values, if they are in memory as such.
func codesOfInts(n int, valid bitmap, at func(int) uint64, ints []int64) keys {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range n {
		if valid.has(i) {
			v := int64(at(i))
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return dense(n, valid, at, 0, 1)
	}
	if span := uint64(high) - uint64(low); span < uint64(max(1<<16, 2*n)) {
		return dense(n, valid, at, low, int(span)+1)
	}
	if ints != nil {
		return hashed(n, valid, func(i int) uint64 { return mix(uint64(ints[i])) }, nil)
	}
	return hashed(n, valid, func(i int) uint64 { return mix(at(i)) }, nil)
}

// dense numbers integers from low to low+span-1.
func dense(n int, valid bitmap, at func(int) uint64, low int64, span int) keys {
	table := make([]int32, span+1) // the code of each value, plus 1; the last entry is for missing values
	k := keys{codes: make([]int32, n)}
	for i := range n {
		v := span
		if valid.has(i) {
			v = int(at(i) - uint64(low))
		}
		if table[v] == 0 {
			k.first = append(k.first, int32(i))
			table[v] = int32(len(k.first))
		}
		k.codes[i] = table[v] - 1
	}
	return k
}

// hashed numbers values by hashes, on all cores: each takes the values of a part of the hashes. equal compares the
// values of two rows; nil means that equal hashes are of equal values.
func hashed(n int, valid bitmap, hash func(int) uint64, equal func(i, j int32) bool) keys {
	hashes := make([]uint64, n)
	blocks(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			hashes[i] = hash(i)
		}
	})
	shift := 64 - bits.Len(uint(max(1, min(runtime.GOMAXPROCS(0), n>>14, 64))-1))
	parts := make([]table, 1<<(64-shift))
	codes := make([]int32, n)
	each(len(parts), func(p int) { parts[p].number(hashes, codes, valid, uint64(p), shift, equal) })

	// The code of a value is the number of values that first appeared before it.
	firsts := newBitmap(n)
	for _, t := range parts {
		for _, r := range t.first {
			firsts.set(int(r))
		}
	}
	missing := -1
	for i := 0; valid != nil && i < n && missing < 0; i++ {
		if !valid.get(i) {
			missing = i
			firsts.set(i)
		}
	}
	k := keys{codes: codes, first: firsts.rowsOf()}
	before := make([]int32, len(firsts)+1)
	for w, word := range firsts {
		before[w+1] = before[w] + int32(bits.OnesCount64(word))
	}
	rankOf := func(row int32) int32 {
		return before[row>>6] + int32(bits.OnesCount64(firsts[row>>6]&(1<<(row&63)-1)))
	}
	for p := range parts {
		for i, r := range parts[p].first {
			parts[p].first[i] = rankOf(r)
		}
	}
	var none int32
	if missing >= 0 {
		none = rankOf(int32(missing))
	}
	blocks(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if !valid.has(i) {
				codes[i] = none
			} else {
				codes[i] = parts[part(hashes[i], shift)].first[codes[i]]
			}
		}
	})
	return k
}

func part(hash uint64, shift int) uint64 {
	if shift == 64 {
		return 0
	}
	return hash >> shift
}

// table is a hash table with open addressing.
type table struct {
	hashes []uint64
	codes  []int32 // plus 1; 0 is a free entry
	first  []int32 // the first row of each code
}

// number gives the rows of one part of the hashes their codes within the part.
func (t *table) number(hashes []uint64, codes []int32, valid bitmap, p uint64, shift int, equal func(i, j int32) bool) {
	t.resize(1 << 10)
	mask := uint64(len(t.codes) - 1)
	for i, h := range hashes {
		if part(h, shift) != p || !valid.has(i) {
			continue
		}
		at := h & mask
		for {
			code := t.codes[at]
			if code == 0 {
				t.first = append(t.first, int32(i))
				code = int32(len(t.first))
				t.hashes[at], t.codes[at] = h, code
				codes[i] = code - 1
				if 2*len(t.first) > len(t.codes) {
					t.resize(4 * len(t.codes))
					mask = uint64(len(t.codes) - 1)
				}
				break
			}
			if t.hashes[at] == h && (equal == nil || equal(t.first[code-1], int32(i))) {
				codes[i] = code - 1
				break
			}
			at = (at + 1) & mask
		}
	}
}

// resize makes room for more entries.
func (t *table) resize(n int) {
	hashes, codes := t.hashes, t.codes
	t.hashes, t.codes = make([]uint64, n), make([]int32, n)
	mask := uint64(n - 1)
	for i, code := range codes {
		if code == 0 {
			continue
		}
		at := hashes[i] & mask
		for t.codes[at] != 0 {
			at = (at + 1) & mask
		}
		t.hashes[at], t.codes[at] = hashes[i], code
	}
}

// codesOfAll numbers the combinations of values of several columns; of none, all rows have code 0.
func codesOfAll(cols []*Column, n int) keys {
	if len(cols) == 0 {
		k := keys{codes: make([]int32, n)}
		if n > 0 {
			k.first = []int32{0}
		}
		return k
	}
	k := codesOf(cols[0])
	for _, c := range cols[1:] {
		k = k.pairs(codesOf(c))
	}
	return k
}

// pairs numbers the combinations of two numberings.
func (k keys) pairs(other keys) keys {
	width := uint64(len(other.first))
	if high := uint64(len(k.first)) * width; high < uint64(max(1<<16, 2*len(k.codes))) {
		return dense(len(k.codes), nil,
			func(i int) uint64 { return uint64(k.codes[i])*width + uint64(other.codes[i]) }, 0, int(high))
	}
	return hashed(len(k.codes), nil,
		func(i int) uint64 { return mix(uint64(k.codes[i])*width + uint64(other.codes[i])) }, nil)
}

// listed sorts rows by their codes: those of code k are rows[ends[k]:ends[k+1]], in ascending order.
func (k keys) listed() (rows, ends []int32) {
	ends = make([]int32, len(k.first)+1)
	for _, code := range k.codes {
		ends[code+1]++
	}
	for i := range k.first {
		ends[i+1] += ends[i]
	}
	rows = make([]int32, len(k.codes))
	next := append([]int32{}, ends[:len(k.first)]...)
	for i, code := range k.codes {
		rows[next[code]] = int32(i)
		next[code]++
	}
	return rows, ends
}
