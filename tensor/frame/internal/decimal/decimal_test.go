package decimal_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor/frame/internal/decimal"
)

func TestFloat(t *testing.T) {
	for _, c := range []struct {
		got, want float64
	}{
		{decimal.Float(125, 2), 1.25},
		{decimal.Float(-9007199254740993, 3), -9007199254740.993},
		{decimal.Float(999999999999999999, 18), 0.999999999999999999},
		{decimal.OfBytes(nil, 2), 0},
		{decimal.OfBytes([]byte{0xff}, 2), -0.01},
		{decimal.OfBytes([]byte{0x80, 0}, 0), -32768},
		{decimal.OfBytes([]byte{0, 0, 0, 0, 2, 0x54, 0x0b, 0xe3, 0xff}, 2), 99999999.99},
		{decimal.OfBytes([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 30), -255e-30},
		{decimal.OfBytes([]byte{0x4b, 0x3b, 0x4c, 0xa8, 0x5a, 0x86, 0xc4, 0x7a, 0x09, 0x8a, 0x22, 0x3f, 0xff, 0xff, 0xff, 0xff},
			0), 99999999999999999999999999999999999999},
	} {
		if c.got != c.want {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}
