package printf

import (
	"math"
	"testing"
)

func TestFormatC(t *testing.T) {
	word := func(x int64) []uint64 { return []uint64{'i', uint64(x)} }
	float := func(x float64) []uint64 { return []uint64{'f', math.Float64bits(x)} }
	text := func(s string) []uint64 {
		list := []uint64{'s' | uint64(len(s))<<8}
		for i := 0; i < len(s); i += 8 {
			var w uint64
			for k := 0; k < 8 && i+k < len(s); k++ {
				w |= uint64(s[i+k]) << (8 * k)
			}
			list = append(list, w)
		}
		return list
	}
	join := func(lists ...[]uint64) (all []uint64) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	// What C's printf writes.
	tests := []struct {
		format string
		args   []uint64
		want   string
	}{
		{"plain %% text\n", nil, "plain % text\n"},
		{"%d|%5d|%-5d|%05d|%+d", join(word(-1), word(42), word(42), word(42), word(42)), "-1|   42|42   |00042|+42"},
		{"%u %x %X %#x %o", join(word(-1), word(255), word(255), word(255), word(8)), "4294967295 ff FF 0xff 10"},
		{"%lld %llu %ld %hhd %hu", join(word(-1<<40), word(-1), word(1<<40), word(300), word(-1)), "-1099511627776 18446744073709551615 1099511627776 44 65535"},
		{"%f %.2f %8.3f %e %g %g", join(float(1.5), float(2.345), float(math.Pi), float(12345.678), float(1e-7), float(100000)), "1.500000 2.35    3.142 1.234568e+04 1e-07 100000"},
		{"%f %5g %F %+f", join(float(math.NaN()), float(math.Inf(-1)), float(math.Inf(1)), float(math.Inf(1))), "nan  -inf INF +inf"},
		{"[%s] [%6s] [%-12s] [%.3s]", join(text("abc"), text("abc"), text("longer text"), text("abcdef")), "[abc] [   abc] [longer text ] [abc]"},
		{"%c%c %*d %.*f", join(word('h'), word('i'), word(4), word(7), word(1), float(0.25)), "hi    7 0.2"},
		{"%p", []uint64{'p', 0x1234}, "0x1234"},
		{"%d and %d", word(1), "1 and %d"},
		{"%", nil, "%"},
	}
	for _, test := range tests {
		if got := Format(test.format, test.args); got != test.want {
			t.Errorf("%q: got %q, want %q", test.format, got, test.want)
		}
	}
}
