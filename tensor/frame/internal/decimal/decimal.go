// Package decimal reads the decimal numbers of files: integers over a power of ten.
package decimal

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Form is what decimals are read as, without a loss.
type Form uint8

// The forms of decimals.
const (
	Int   Form = iota + 1 // int64: no digits after the point
	Float                 // float64, which tells all numbers of as many digits apart
	Text
)

// Type is how many digits the decimals of a column have, and how many of them are after the point.
type Type struct{ Digits, Scale int }

// Of returns a type, or an error where no file may have it.
func Of(digits, scale int) (Type, error) {
	if digits < 1 || digits > 76 || scale < 0 || scale > 76 {
		return Type{}, fmt.Errorf("decimals of %d digits, of which %d are after the point: want 1 to 76, and 0 to 76", digits, scale)
	}
	return Type{digits, scale}, nil
}

// Form returns what decimals of the type are read as.
func (t Type) Form() Form {
	const ints, floats, powers = 18, 15, 22 // digits that each holds; 10^22 is exact
	switch {
	case t.Scale == 0 && t.Digits <= ints:
		return Int
	case t.Digits <= floats && t.Scale <= powers:
		return Float
	}
	return Text
}

// Value is a decimal without its point.
type Value struct {
	small int64
	large *big.Int // nil for one of 64 bits
}

// Small is a value of at most 64 bits.
func Small(x int64) Value { return Value{small: x} }

// Large is a value of any size.
func Large(x *big.Int) Value {
	if x.IsInt64() {
		return Small(x.Int64())
	}
	return Value{large: x}
}

// Bytes is a big-endian integer in two's complement.
func Bytes(b []byte) Value {
	if len(b) <= 8 {
		x := int64(0)
		for i, v := range b {
			if x = x<<8 | int64(v); i == 0 {
				x = int64(int8(v))
			}
		}
		return Small(x)
	}
	x := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return Large(x)
}

// Values are decimals in the form of their type: the slices of other forms are nil. Text i is Text[Ends[i]:Ends[i+1]].
type Values struct {
	Ints   []int64
	Floats []float64
	Text   []byte
	Ends   []int64
}

// Read reads n decimals. Where there is none, it is zero or empty. A number of more digits than the type has is an
// error.
func (t Type) Read(n int, at func(i int) (v Value, there bool)) (out Values, err error) {
	form := t.Form()
	switch form {
	case Int:
		out.Ints = make([]int64, n)
	case Float:
		out.Floats = make([]float64, n)
	case Text:
		out.Ends = make([]int64, n+1)
	}
	tooLong := func(i int, digits []byte) error {
		return fmt.Errorf("value %d: the decimal %s in a column of decimals of %d digits", i, t.place(nil, digits), t.Digits)
	}
	limit, power := int64(math.Pow10(min(t.Digits, 18))), math.Pow10(t.Scale) // the limit is for Int and Float
	var digits []byte
	for i := range n {
		switch v, there := at(i); {
		case !there:
		case form == Text:
			if digits = v.digits(digits[:0]); count(digits) > t.Digits {
				return out, tooLong(i, digits)
			}
			out.Text = t.place(out.Text, digits)
		case v.large != nil || v.small <= -limit || v.small >= limit:
			return out, tooLong(i, v.digits(nil))
		case form == Int:
			out.Ints[i] = v.small
		default:
			out.Floats[i] = float64(v.small) / power // both are exact
		}
		if form == Text {
			out.Ends[i+1] = int64(len(out.Text))
		}
	}
	return out, nil
}

func (v Value) digits(out []byte) []byte {
	if v.large != nil {
		return v.large.Append(out, 10)
	}
	return strconv.AppendInt(out, v.small, 10)
}

// count is how many digits there are, without a sign.
func count(digits []byte) int {
	if digits[0] == '-' {
		return len(digits) - 1
	}
	return len(digits)
}

// place appends digits with a point among them, and zeros before them where it takes some.
func (t Type) place(out, digits []byte) []byte {
	if digits[0] == '-' {
		out, digits = append(out, '-'), digits[1:]
	}
	whole := len(digits) - t.Scale
	if whole > 0 {
		out = append(out, digits[:whole]...)
	} else {
		out = append(out, '0')
	}
	if t.Scale == 0 {
		return out
	}
	out = append(out, '.')
	for range -whole {
		out = append(out, '0')
	}
	return append(out, digits[max(whole, 0):]...)
}
