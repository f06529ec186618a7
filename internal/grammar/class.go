package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// span is a range of characters, with both ends.
type span struct{ low, high rune }

// class is a set of characters, which are those that UTF-8 can have.
type class struct {
	spans []span    // ascending, apart from each other
	leads [4]uint64 // the bytes with which its characters begin
	key   string    // the same for equal classes alone
}

// scalars are all characters: what is between them are surrogates.
var scalars = []span{{0, 0xD7FF}, {0xE000, utf8.MaxRune}}

// newClass returns the class of spans, or of all characters but theirs.
func newClass(except bool, spans ...span) *class {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	var joined []span
	for _, s := range spans {
		if n := len(joined); n > 0 && s.low <= joined[n-1].high+1 {
			joined[n-1].high = max(joined[n-1].high, s.high)
		} else {
			joined = append(joined, s)
		}
	}
	if except {
		next := rune(0)
		var others []span
		for _, s := range joined {
			others = append(others, span{next, s.low - 1})
			next = s.high + 1
		}
		joined = append(others, span{next, utf8.MaxRune})
	}
	c := &class{}
	for _, s := range joined {
		for _, all := range scalars {
			if low, high := max(s.low, all.low), min(s.high, all.high); low <= high {
				c.spans = append(c.spans, span{low, high})
			}
		}
	}
	for b := range 256 {
		if c.decode(0, byte(b)) >= 0 {
			c.leads[b/64] |= 1 << (b % 64)
		}
	}
	c.key = fmt.Sprint(c.spans)
	return c
}

// chars is the class of the characters of a text.
func chars(text string) *class {
	var spans []span
	for _, r := range text {
		spans = append(spans, span{r, r})
	}
	return newClass(false, spans...)
}

// meets reports whether a character of a range is in the class.
func (c *class) meets(low, high rune) bool {
	i, _ := slices.BinarySearchFunc(c.spans, low, func(s span, r rune) int { return cmp.Compare(s.high, r) })
	return i < len(c.spans) && c.spans[i].low <= high
}

// apart reports whether no character of the class begins with a byte with which one of another does.
func (c *class) apart(d *class) bool {
	for i, w := range c.leads {
		if w&d.leads[i] != 0 {
			return false
		}
	}
	return true
}

// smallest is the first character that takes more than this many bytes: one that takes fewer is not encoded so.
var smallest = [4]rune{0, 0x80, 0x800, 0x10000}

// begins reports whether a character of the class begins with a byte.
func (c *class) begins(b byte) bool { return c.leads[b/64]>>(b%64)&1 != 0 }

// step returns the place within a character of the class after a byte: 0 is before it and after it, others have the
// bits that were read and how many bytes are missing. It is negative when the byte cannot come.
func (c *class) step(at int, b byte) int {
	if at == 0 && !c.begins(b) {
		return -1
	}
	if at == 0 && b < utf8.RuneSelf {
		return 0
	}
	return c.decode(at, b)
}

// decode is step by the bits of the byte.
func (c *class) decode(at int, b byte) int {
	value, missing := rune(at>>2), at&3
	switch {
	case at != 0 && b&0xC0 == 0x80:
		value = value<<6 | rune(b&0x3F)
	case at != 0:
		return -1
	case b < utf8.RuneSelf:
		value, missing = rune(b), 1
	case b&0xE0 == 0xC0:
		value, missing = rune(b&0x1F), 2
	case b&0xF0 == 0xE0:
		value, missing = rune(b&0x0F), 3
	case b&0xF8 == 0xF0:
		value, missing = rune(b&0x07), 4
	default:
		return -1
	}
	before := missing // with this byte
	missing--
	low := value << (6 * missing)
	high := low | (1<<(6*missing) - 1)
	switch {
	case at == 0 && missing > 0:
		low = max(low, smallest[missing])
	case at != 0:
		low = max(low, smallest[before])
	}
	if low > high || !c.meets(low, high) {
		return -1
	}
	if missing == 0 {
		return 0
	}
	return int(value)<<2 | missing
}
