package quant_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestRecorded: 64 blocks of the bytes of a linear congruential generator have the bits that gguf-py 0.19 unpacks them
// to. The recorded numbers are hashes (FNV-1a of 64 bits) of the little-endian floats, every NaN being 0x7fc00000.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		format quant.Type
		hash   uint64
	}{
		{quant.IQ2_XXS, 0x24e3e7b302e92bc9}, {quant.IQ2_XS, 0x07c6dff660655780}, {quant.IQ2_S, 0xef26c30aaecd91af},
		{quant.IQ3_XXS, 0x0a9e57f38986faf2}, {quant.IQ3_S, 0x782df3042bc56ece}, {quant.IQ1_S, 0x18608a7f67be9fe9},
		{quant.IQ1_M, 0x6453551569fd8327}, {quant.TQ1_0, 0x98aa9b423afeca84}, {quant.TQ2_0, 0xa03f75f451ab4e25},
		{quant.NVFP4, 0x197c1bc3e376be1c}, {quant.IQ4_NL, 0x8ea923a8e457d39a}, {quant.IQ4_XS, 0x6fd208ec0da541ee},
		{quant.MXFP4, 0x1ceac5d24992523a}, {quant.Q2K, 0xb1a7f4e207869efa}, {quant.Q3K, 0xbaf6c0524af8b3a7},
		{quant.Q4K, 0x08716b190eef6555}, {quant.Q5K, 0x12e9933ee3035dc4}, {quant.Q6K, 0xe75562e7a829b612},
		{quant.Q4_0, 0xe7a4c39a56ab3149}, {quant.Q4_1, 0x2274c0bbeeee0052}, {quant.Q5_0, 0x699519684b253b2f},
		{quant.Q5_1, 0x98daf63e37edacdf}, {quant.Q8_0, 0xeeaaf6292fd768f7},
	} {
		data, state := make([]byte, 64*c.format.BlockBytes()), uint64(1)
		for i := range data {
			state = state*6364136223846793005 + 1442695040888963407
			data[i] = byte(state >> 56)
		}
		values, err := c.format.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		for _, v := range values {
			u := math.Float32bits(v)
			if v != v {
				u = 0x7fc00000
			}
			h.Write(binary.LittleEndian.AppendUint32(nil, u))
		}
		if got := h.Sum64(); got != c.hash {
			t.Errorf("%v: the elements have the hash %#016x, want %#016x; they begin with %v", c.format, got, c.hash,
				values[:8])
		}
	}
}

// TestHostFormats: formats that GPUs do not compute with are refused there as packed elements, and go there unpacked.
func TestHostFormats(t *testing.T) {
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for _, format := range quant.Types() {
			if format.OnGPU() {
				continue
			}
			q := noise(format, 2, 256, 9)
			if _, err := tensor.Try(func() *tensor.Tensor { return q.To(dev).Dequantize(dev) }); err == nil {
				t.Errorf("packed %v went to %v", format, dev)
			}
			got, want := q.DequantizeAs(tensor.F16, dev).Float64s(), q.DequantizeAs(tensor.F16, tensor.CPU()).Float64s()
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%v: element %d is %v, want %v", format, i, got[i], want[i])
					break
				}
			}
		}
	})
}
