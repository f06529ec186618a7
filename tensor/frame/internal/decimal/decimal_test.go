package decimal_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor/frame/internal/decimal"
)

func read(t *testing.T, digits, scale int, v decimal.Value) (string, error) {
	t.Helper()
	of, err := decimal.Of(digits, scale)
	if err != nil {
		t.Fatal(err)
	}
	out, err := of.Read(2, func(i int) (decimal.Value, bool) { return v, i == 1 })
	if err != nil {
		return "", err
	}
	switch of.Form() {
	case decimal.Int:
		return fmt.Sprint(out.Ints), nil
	case decimal.Float:
		return fmt.Sprint(out.Floats), nil
	}
	return fmt.Sprintf("%q", []string{string(out.Text[:out.Ends[1]]), string(out.Text[out.Ends[1]:out.Ends[2]])}), nil
}

func TestRead(t *testing.T) {
	many := append([]byte{0x4b, 0x3b, 0x4c, 0xa8, 0x5a, 0x86, 0xc4, 0x7a}, 0x09, 0x8a, 0x22, 0x3f, 0xff, 0xff, 0xff, 0xff) // 10^38-1
	minus := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0x01)
	for _, c := range []struct {
		digits, scale int
		v             decimal.Value
		want          string
	}{
		{5, 0, decimal.Small(-125), "[0 -125]"},
		{18, 0, decimal.Small(999_999_999_999_999_999), "[0 999999999999999999]"},
		{5, 2, decimal.Small(125), "[0 1.25]"},
		{5, 2, decimal.Bytes([]byte{0xff}), "[0 -0.01]"},
		{15, 15, decimal.Small(-999_999_999_999_999), "[0 -0.999999999999999]"},
		{5, 0, decimal.Bytes([]byte{0x80, 0}), "[0 -32768]"},
		{5, 0, decimal.Bytes(nil), "[0 0]"},
		{10, 2, decimal.Bytes([]byte{0, 0, 0, 0, 2, 0x54, 0x0b, 0xe3, 0xff}), "[0 9.999999999e+07]"},
		{16, 3, decimal.Small(-9007199254740993), `["" "-9007199254740.993"]`},
		{16, 3, decimal.Small(7), `["" "0.007"]`},
		{16, 3, decimal.Small(0), `["" "0.000"]`},
		{18, 18, decimal.Small(math.MaxInt64 / 10), `["" "0.922337203685477580"]`},
		{19, 0, decimal.Small(math.MinInt64), `["" "-9223372036854775808"]`},
		{38, 30, decimal.Bytes(minus), `["" "-0.000000000000000000000000000255"]`},
		{38, 38, decimal.Bytes(many), `["" "0.` + strings.Repeat("9", 38) + `"]`},
		{76, 40, decimal.Large(new(big.Int).Exp(big.NewInt(-7), big.NewInt(89), nil)),
			`["" "-163578251347443490847716095907787801.1007714974754996979744938053160034289607"]`},
	} {
		if got, err := read(t, c.digits, c.scale, c.v); got != c.want || err != nil {
			t.Errorf("%d digits, %d after the point: %s, %v, want %s", c.digits, c.scale, got, err, c.want)
		}
	}
}

// TestRandom: what is read of a random decimal of any type, rounded to its digits, is the decimal.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		digits := 1 + r.IntN(76)
		scale := r.IntN(digits + 1)
		text := make([]byte, 1+r.IntN(digits))
		for i := range text {
			text[i] = '0' + byte(r.IntN(10))
		}
		x, _ := new(big.Int).SetString(string(text), 10)
		if r.IntN(2) == 0 {
			x.Neg(x)
		}
		got, err := read(t, digits, scale, decimal.Large(x))
		if err != nil {
			t.Fatal(err)
		}
		got = strings.Trim(strings.TrimPrefix(strings.TrimPrefix(got, "[0"), `[""`), ` "[]`)
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		of, ok := new(big.Rat).SetString(got)
		if want := new(big.Rat).SetFrac(x, power); !ok || of.Cmp(want) != 0 {
			t.Fatalf("%v of %d digits, %d after the point: %s", x, digits, scale, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, of := range [][2]int{{0, 0}, {77, 0}, {5, -1}, {5, 77}} {
		if _, err := decimal.Of(of[0], of[1]); err == nil {
			t.Errorf("%d digits, %d after the point", of[0], of[1])
		}
	}
	for _, v := range []decimal.Value{decimal.Small(100), decimal.Small(-100), decimal.Bytes([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0})} {
		for scale := range 3 {
			if got, err := read(t, 2, scale, v); err == nil || !strings.Contains(err.Error(), "decimals of 2 digits") {
				t.Errorf("%v: %v, %v", v, got, err)
			}
		}
	}
}
