package group

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestReduce(t *testing.T) {
	for _, elem := range []string{"u8", "i32", "u32", "i64", "f16", "f32", "f64", "bf16"} {
		var zero any
		switch elem {
		case "u8":
			zero = []uint8{}
		case "i32":
			zero = []int32{}
		case "u32":
			zero = []uint32{}
		case "i64":
			zero = []int64{}
		case "f64":
			zero = []float64{}
		default:
			zero = []float32{}
		}
		encode := func(values ...int) []byte {
			out := make([]byte, ElemSizes[elem]*len(values))
			switch zero.(type) {
			case []uint8:
				bytesOf(elem, out, converted[uint8](values))
			case []int32:
				bytesOf(elem, out, converted[int32](values))
			case []uint32:
				bytesOf(elem, out, converted[uint32](values))
			case []int64:
				bytesOf(elem, out, converted[int64](values))
			case []float64:
				bytesOf(elem, out, converted[float64](values))
			case []float32:
				bytesOf(elem, out, converted[float32](values))
			}
			return out
		}
		parts := [][]byte{encode(1, 7, 3), encode(4, 2, 3), encode(2, 5, 1)}
		for how, want := range map[Reduction][]byte{Sum: encode(7, 14, 7), Product: encode(8, 70, 9), Max: encode(4, 7, 3), Min: encode(1, 2, 1)} {
			if got := Reduce(how, elem, parts); !bytes.Equal(got, want) {
				t.Errorf("%s of %s: % x, want % x", how, elem, got, want)
			}
		}
	}
}

func converted[T uint8 | int32 | uint32 | int64 | float32 | float64](values []int) []T {
	list := make([]T, len(values))
	for i, v := range values {
		list[i] = T(v)
	}
	return list
}

func TestWaitFor(t *testing.T) {
	if _, err := waitFor(filepath.Join(t.TempDir(), "none"), time.Now()); !os.IsNotExist(err) {
		t.Errorf("a file that does not come: %v", err)
	}
}
