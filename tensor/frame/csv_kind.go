package frame

import (
	"bytes"
	"sync/atomic"
)

// kind is what a text may be: what the inference of types joins.
type kind uint32

const (
	kindNone  kind = iota // missing values only
	kindBool              //
	kindInt               //
	kindBig               // integers, of which some are beyond int64; a column of them holds strings
	kindFloat             //
	kindDate              //
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
	case low >= kindInt && high <= kindFloat, low == kindDate && high == kindTime:
		return high
	}
	return kindText
}

func (k kind) typ() Type {
	switch k {
	case kindBool:
		return Bool
	case kindInt:
		return Int64
	case kindFloat:
		return Float64
	case kindDate:
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
		if _, ok := parseBool(b); ok {
			return kindBool
		}
	default:
		if _, ok := parseFloat(b, false); ok {
			return kindFloat
		}
	}
	return kindText
}

func kindOfNumber(b []byte) kind {
	if _, result := parseInt(b, true); result == parsed {
		return kindInt
	} else if result == tooBig {
		return kindBig
	}
	if _, ok := parseFloat(b, true); ok {
		return kindFloat
	}
	if _, ok := parseDate(b); ok {
		return kindDate
	}
	if _, zoned, ok := parseTime(b); ok {
		if zoned {
			return kindZoned
		}
		return kindTime
	}
	return kindText
}
