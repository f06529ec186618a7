package frame

import (
	"bytes"
	"strconv"
	"sync/atomic"

	"github.com/gorocm/gorocm/tensor/frame/internal/spelling"
)

// kind is what a text may be: what the inference of types joins.
type kind uint32

const (
	kindNone  kind = iota // missing values only
	kindBool              //
	kindInt               // integers that a float64 holds
	kindLong              // integers of int64, of which some would lose digits as a float64
	kindWide              // integers that a float64 holds, some beyond int64; a column of them holds strings
	kindBig               // integers, some beyond int64, some that would lose digits as a float64; the same
	kindFloat             //
	kindDate              //
	kindFar               // dates, of which some are beyond those of timestamps
	kindTime              // dates and times without zones
	kindZoned             // times with zones
	kindText              //
)

// join returns the kind of a column with values of both kinds.
func (k kind) join(other kind) kind {
	low, high := min(k, other), max(k, other)
	switch {
	case low == high, low == kindNone:
		return high
	case low == kindLong && high == kindWide:
		return kindBig
	case low >= kindInt && high <= kindBig, high == kindFloat && (low == kindInt || low == kindWide),
		low == kindDate && high <= kindTime:
		return high
	}
	return kindText
}

func (k kind) typ() Type {
	switch k {
	case kindBool:
		return Bool
	case kindInt, kindLong:
		return Int64
	case kindFloat:
		return Float64
	case kindDate, kindFar:
		return Date
	case kindTime, kindZoned:
		return Timestamp
	}
	return String
}

// sharedKind is the join of the kinds of a column's values, as far as any core has seen them.
type sharedKind struct{ v atomic.Uint32 }

func (s *sharedKind) load() kind { return kind(s.v.Load()) }

func (s *sharedKind) add(k kind) {
	for {
		old := s.v.Load()
		if joined := uint32(kind(old).join(k)); joined == old || s.v.CompareAndSwap(old, joined) {
			return
		}
	}
}

// missingWords are missing values in columns that are not strings.
var missingWords = []string{"NA", "N/A", "n/a", "null", "NULL", "None"}

// isMissing reports whether a field of a column that is not a string is a missing value: it is empty, or a word for it.
func isMissing(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	if len(b) > 4 || b[0] != 'N' && b[0] != 'n' {
		return false
	}
	for _, w := range missingWords {
		if string(b) == w {
			return true
		}
	}
	return false
}

// trim drops spaces around a value that is not a string.
func trim(b []byte) []byte {
	if len(b) > 0 && (b[0] <= ' ' || b[len(b)-1] <= ' ') {
		return bytes.Trim(b, " \t")
	}
	return b
}

// kindOf returns the kind of a text.
func kindOf(b []byte) kind {
	b = trim(b)
	if isMissing(b) {
		return kindNone
	}
	switch c := b[0]; {
	case c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.':
		return kindOfNumber(b)
	case c == 't' || c == 'T' || c == 'f' || c == 'F':
		if _, ok := spelling.Bool(b); ok {
			return kindBool
		}
	default:
		if _, ok := spelling.Float(b, false); ok {
			return kindFloat
		}
	}
	return kindText
}

func kindOfNumber(b []byte) kind {
	if v, result := spelling.Int(b, true); result == spelling.Parsed {
		return kindOfInt(v)
	} else if result == spelling.TooBig {
		if _, ok := spelling.Float(b, true); ok {
			return kindWide
		}
		return kindBig
	}
	if _, ok := spelling.Float(b, true); ok {
		return kindFloat
	}
	if day, ok := spelling.Date(b); ok {
		return kindOfDay(day)
	}
	if _, zoned, ok := spelling.Time(b); ok {
		if zoned {
			return kindZoned
		}
		return kindTime
	}
	return kindText
}

func kindOfInt(v int64) kind {
	if spelling.KeepsDigits(strconv.AppendInt(nil, v, 10), float64(v)) {
		return kindInt
	}
	return kindLong
}

func kindOfDay(day int32) kind {
	if spelling.Overflows(int64(day) * 86400) {
		return kindFar
	}
	return kindDate
}

// of is the kind of a column that was read as values of the kind k.
func (k kind) of(col *Column) kind {
	switch k {
	case kindInt:
		for _, v := range col.ints {
			if (v < -1<<53 || v > 1<<53) && kindOfInt(v) == kindLong {
				return kindLong
			}
		}
	case kindDate:
		for _, day := range col.days {
			if kindOfDay(day) == kindFar {
				return kindFar
			}
		}
	}
	return k
}
