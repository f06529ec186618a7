package quant_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor/quant"
)

// TestTables decodes blocks whose elements are known from how ggml defines the formats.
func TestTables(t *testing.T) {
	codes := bytes.Repeat([]byte{0x81}, 16) // code 1 in the lower halves, 8 in the upper ones
	long := append([]byte{0x00, 0x3c, 0xe4, 0x00, 0x10, 0x00, 0x00, 0xf0}, bytes.Repeat([]byte{0x2f}, 128)...)
	for _, c := range []struct {
		format quant.Type
		data   []byte
		want   map[int]float32
	}{
		// d is 2
		{quant.IQ4_NL, append([]byte{0x00, 0x40}, codes...), map[int]float32{0: -208, 15: -208, 16: 2, 31: 2}},
		// d is 2, with half of it for doubled values
		{quant.MXFP4, append([]byte{129}, codes...), map[int]float32{0: 2, 15: 2, 16: 0, 31: 0}},
		{quant.MXFP4, append([]byte{0}, codes...), map[int]float32{0: 0x1p-128}},
		// d is 1. Scales: part 0 has 0 and nothing on top, part 1 has 1 and 1 on top (16), part 2 0 and 2 on top (32),
		// part 3 0 and 3 on top (48), part 7 15 and nothing on top; 32 is taken away. The lower codes are 15 (113), the
		// upper ones 2 (-83).
		{quant.IQ4_XS, long, map[int]float32{0: -32 * 113, 16: 32 * 83, 32: -15 * 113, 64: 0, 96: 16 * 113,
			112: -16 * 83, 255: 17 * 83}},
	} {
		got, err := c.format.Decode(c.data)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got[i] != want {
				t.Errorf("%v: element %d is %v, want %v", c.format, i, got[i], want)
			}
		}
		if _, err := c.format.Encode(got); err == nil || slices.Contains(written(), c.format) {
			t.Errorf("%v was written", c.format)
		}
	}
}
