package npy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// MaxSize bounds the size of an element that ParseCode accepts.
const MaxSize = 1 << 24

// maxCount bounds how many units a time counts in, as in [25s]: with it, no time unit of nanoseconds is beyond int64.
const maxCount = 1 << 20

// Code is a plain type that a table holds: its kind and size, as in U12, and of times the unit.
type Code struct {
	Kind  byte // of b, i, u, f, U, S, M and V
	Size  int  // of texts the characters, else bytes
	Big   bool // the most significant byte comes first
	Count int64
	Unit  string // of which times count Count: a key of Units
}

// Bytes returns the size of an element.
func (c Code) Bytes() int {
	if c.Kind == 'U' {
		return 4 * c.Size
	}
	return c.Size
}

// Units are the nanoseconds of units, and for those of days and more how many days or months they have, as a negative
// number.
var Units = map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9,
	"D": -1, "W": -7, "M": -1, "Y": -12}

// sizesOf are the sizes that types of a kind may have, a digit each; those of others may be any.
var sizesOf = map[byte]string{'b': "1", 'i': "1248", 'u': "1248", 'f': "248", 'M': "8"}

// plain is the byte order, the kind, the size and, of times, the unit, as in <M8[25s].
var plain = regexp.MustCompile(`^([<>|=]?)([a-zA-Z])([0-9]{1,8})(?:\[([0-9]{0,9})([a-zA-Z]*)\])?$`)

// ParseCode reads a code such as "<f4". The error says which types are not read, and what to do.
func ParseCode(code string) (c Code, err error) {
	m := plain.FindStringSubmatch(code)
	if m == nil && strings.HasPrefix(strings.TrimLeft(code, "<>|="), "O") {
		return c, fmt.Errorf("elements of type %q are objects that Python has pickled, and are not read", code)
	}
	unknown := fmt.Errorf("elements of type %q are not read", code)
	if m == nil {
		return c, unknown
	}
	c.Big, c.Kind, c.Unit, c.Count = m[1] == ">", m[2][0], m[5], 1
	c.Size, _ = strconv.Atoi(m[3]) // of eight digits
	if m[4] != "" {
		c.Count, _ = strconv.ParseInt(m[4], 10, 64)
	}
	sizes, numbers := sizesOf[c.Kind]
	switch {
	case c.Kind == 'c':
		return c, fmt.Errorf("complex numbers are not read: x.real and x.imag are columns of their own")
	case c.Kind == 'm':
		return c, fmt.Errorf("durations (%s) are not read: x.astype('i8') makes numbers of them", code)
	case numbers && (len(m[3]) != 1 || !strings.Contains(sizes, m[3])), c.Size > MaxSize,
		!numbers && !strings.ContainsRune("USV", rune(c.Kind)):
		return c, unknown
	case c.Size == 0 && c.Kind != 'V':
		return c, fmt.Errorf("elements of type %q, which have no bytes, are not read", code)
	case c.Kind == 'M' && c.Unit == "":
		return c, fmt.Errorf("elements of type %q are not read: want a unit, as in M8[s]", code)
	case c.Kind == 'M' && (c.Count < 1 || c.Count > maxCount || Units[c.Unit] == 0):
		return c, fmt.Errorf("times of type %q are not read: want units from Y to ns, at most %d of one", code, maxCount)
	}
	return c, nil
}
