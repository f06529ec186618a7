// Package spelling reads numbers, bools, dates and times as CSV files spell them.
package spelling

import (
	"math"
	"strconv"
	"time"
	"unsafe"
)

// The results of Int.
const (
	Parsed = iota
	TooBig // an integer beyond int64
	NotInt
)

// Int reads an integer. A strict one is spelled as integers are printed: without a plus sign or leading zeros, and
// not as -0.
func Int(b []byte, strict bool) (v int64, result int) {
	digits := b
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+' && !strict) {
		negative = b[0] == '-'
		digits = b[1:]
	}
	if len(digits) == 0 || strict && digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, NotInt
	}
	if len(digits) > 18 {
		return parseLongInt(b, digits)
	}
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, NotInt
		}
		v = v*10 + int64(c)
	}
	if negative {
		v = -v
	}
	return v, Parsed
}

func parseLongInt(b, digits []byte) (int64, int) {
	for _, c := range digits {
		if c-'0' > 9 {
			return 0, NotInt
		}
	}
	v, err := strconv.ParseInt(text(b), 10, 64)
	if err != nil {
		return 0, TooBig
	}
	return v, Parsed
}

// text is a string of bytes that are not changed while it is used.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

var powersOf10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Float reads a number, correctly rounded. A strict one has no leading zeros, nor a plus sign before an integer,
// and no integer loses digits.
func Float(b []byte, strict bool) (float64, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, i = b[0] == '-', 1
	}
	start := i
	var mantissa uint64
	digits, point := 0, -1
	for ; i < len(b); i++ {
		if c := b[i] - '0'; c <= 9 {
			mantissa = mantissa*10 + uint64(c)
			digits++
		} else if b[i] == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	if digits == 0 {
		return specialFloat(b)
	}
	zeros := b[start] == '0' && start+1 < len(b) && b[start+1]-'0' <= 9
	if strict && (zeros || b[0] == '+' && i == len(b) && point < 0) {
		return 0, false
	}
	exponent := 0
	if point >= 0 {
		exponent = -(i - point - 1)
	}
	if i < len(b) {
		if !isExponent(b[i:]) {
			return 0, false
		}
		return slowFloat(b)
	}
	// The number is mantissa × 10^exponent: exact in one operation where both are exact (Clinger's fast path).
	if digits > 19 || mantissa > 1<<53 || exponent < -22 {
		v, ok := slowFloat(b)
		return v, ok && (!strict || point >= 0 || KeepsDigits(b, v))
	}
	v := float64(mantissa) / powersOf10[-exponent]
	if negative {
		v = -v
	}
	return v, true
}

// KeepsDigits reports whether v, the float64 nearest to an integer, has all of its digits: v is the integer, or the
// integer is the shortest text of v.
func KeepsDigits(integer []byte, v float64) bool {
	var buf [400]byte
	return len(integer) <= 15 || string(strconv.AppendFloat(buf[:0], v, 'f', -1, 64)) == text(integer) ||
		string(strconv.AppendFloat(buf[:0], v, 'f', 0, 64)) == text(integer)
}

// isExponent reports whether a text is e, a sign perhaps, and digits.
func isExponent(b []byte) bool {
	if b[0] != 'e' && b[0] != 'E' {
		return false
	}
	b = b[1:]
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return len(b) > 0
}

// slowFloat reads digits that were checked. A number beyond float64 is none.
func slowFloat(b []byte) (float64, bool) {
	v, err := strconv.ParseFloat(text(b), 64)
	return v, err == nil
}

// specialFloat reads NaN and the infinities.
func specialFloat(b []byte) (float64, bool) {
	switch text(b) {
	case "NaN", "nan", "-nan", "-NaN":
		return math.NaN(), true
	case "inf", "Inf", "+inf", "+Inf", "Infinity", "infinity", "+Infinity":
		return math.Inf(1), true
	case "-inf", "-Inf", "-Infinity", "-infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// Bool reads true or false, also capitalised and in capitals.
func Bool(b []byte) (v, ok bool) {
	switch text(b) {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

// twoDigits reads a number of two digits, from 0 to 99; otherwise it is greater.
func twoDigits(b []byte) int {
	hi, lo := b[0]-'0', b[1]-'0'
	if hi > 9 || lo > 9 {
		return 100
	}
	return int(hi)*10 + int(lo)
}

// Date reads 2006-01-02 as days since 1970.
func Date(b []byte) (int32, bool) {
	if len(b) != 10 || b[4] != '-' || b[7] != '-' {
		return 0, false
	}
	century, year, month, day := twoDigits(b), twoDigits(b[2:]), twoDigits(b[5:]), twoDigits(b[8:])
	if century > 99 || year > 99 || month < 1 || month > 12 || day < 1 {
		return 0, false
	}
	y := century*100 + year
	if day > daysIn(y, month) {
		return 0, false
	}
	return int32(daysSince1970(y, month, day)), true
}

func daysIn(year, month int) int {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month>>3)&1
}

// daysSince1970 counts days by years that begin in March (H. Hinnant, days_from_civil).
func daysSince1970(year, month, day int) int {
	if month <= 2 {
		year--
	}
	year += 400 // not negative
	era := year / 400
	ofEra := year - era*400
	ofYear := (153*((month+9)%12)+2)/5 + day - 1
	return (era-1)*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// Time reads 2006-01-02T15:04, with seconds and their parts or without, and with Z or a zone such as +02:00 or
// without, as nanoseconds since 1970 in UTC. A space may stand for the T. A date alone is the time at which it begins.
func Time(b []byte) (ns int64, zoned, ok bool) {
	if len(b) < 10 {
		return 0, false, false
	}
	day, ok := Date(b[:10])
	if !ok {
		return 0, false, false
	}
	seconds, rest, nanos := int64(0), b[10:], int64(0)
	if len(rest) > 0 {
		if len(rest) < 6 || rest[0] != 'T' && rest[0] != ' ' || rest[3] != ':' {
			return 0, false, false
		}
		hour, minute, second := twoDigits(rest[1:]), twoDigits(rest[4:]), 0
		if rest = rest[6:]; len(rest) >= 3 && rest[0] == ':' {
			second, rest = twoDigits(rest[1:]), rest[3:]
			if nanos, rest, ok = parseFraction(rest); !ok {
				return 0, false, false
			}
		}
		if hour > 23 || minute > 59 || second > 59 {
			return 0, false, false
		}
		seconds = int64(hour*3600 + minute*60 + second)
		var offset int64
		if offset, zoned, ok = parseZone(rest); !ok {
			return 0, false, false
		}
		seconds -= offset
	}
	seconds += int64(day) * 86400
	if Overflows(seconds) {
		return 0, false, false
	}
	return seconds*int64(time.Second) + nanos, zoned, true
}

// Overflows reports whether a timestamp cannot be so many seconds from 1970.
func Overflows(seconds int64) bool {
	return seconds <= math.MinInt64/int64(time.Second) || seconds >= math.MaxInt64/int64(time.Second)
}

// parseFraction reads the parts of a second, up to nine digits.
func parseFraction(b []byte) (nanos int64, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '.' {
		return 0, b, true
	}
	unit := int64(time.Second)
	i := 1
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if unit /= 10; unit == 0 {
			return 0, nil, false
		}
		nanos += int64(b[i]-'0') * unit
	}
	return nanos, b[i:], i > 1
}

// parseZone reads Z, +02:00, +0200 or +02, or nothing.
func parseZone(b []byte) (seconds int64, zoned, ok bool) {
	switch {
	case len(b) == 0:
		return 0, false, true
	case len(b) == 1 && b[0] == 'Z':
		return 0, true, true
	case len(b) < 3 || b[0] != '+' && b[0] != '-':
		return 0, false, false
	}
	hour, minute := twoDigits(b[1:]), 0
	switch rest := b[3:]; {
	case len(rest) == 2:
		minute = twoDigits(rest)
	case len(rest) == 3 && rest[0] == ':':
		minute = twoDigits(rest[1:])
	case len(rest) != 0:
		return 0, false, false
	}
	if hour > 23 || minute > 59 {
		return 0, false, false
	}
	seconds = int64(hour*3600 + minute*60)
	if b[0] == '-' {
		seconds = -seconds
	}
	return seconds, true, true
}
