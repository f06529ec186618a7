package show

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Number returns the text of one element with all its digits, and no more than tell it from its neighbours.
func Number(dt kernels.DType, raw []byte) string {
	return strings.Trim(fmt.Sprint(numbers(dt, raw)[0]), "()")
}

// numbers returns elements as Go values: bool, int64, uint64, float32 (which holds all smaller floats), float64,
// complex64 or complex128.
func numbers(dt kernels.DType, raw []byte) []any {
	out := make([]any, len(raw)/dt.Size())
	switch dt {
	case kernels.Bool:
		for i, v := range raw {
			out[i] = v != 0
		}
	case kernels.I64:
		boxed(out, host.View[int64](raw))
	case kernels.U64:
		boxed(out, host.View[uint64](raw))
	case kernels.F64:
		boxed(out, host.View[float64](raw))
	case kernels.C64:
		boxed(out, host.View[complex64](raw))
	case kernels.C128:
		boxed(out, host.View[complex128](raw))
	default:
		for i, v := range host.ToFloat64(dt, raw) {
			if out[i] = float32(v); dt.IsInt() {
				out[i] = int64(v)
			}
		}
	}
	return out
}

func boxed[T any](to []any, from []T) {
	for i, v := range from {
		to[i] = v
	}
}

// Formatted returns the elements in nested brackets, each in a format of package fmt, aligned. raw are those of View.
func (c Corner) Formatted(dt kernels.DType, raw []byte, format string) string {
	var text []string
	for _, v := range numbers(dt, raw) {
		text = append(text, fmt.Sprintf(format, v))
	}
	return c.sample(text).String()
}
