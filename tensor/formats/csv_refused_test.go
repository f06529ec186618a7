package formats_test

import (
	"errors"
	"io"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// TestEncodeCSVRefuses: what the file cannot hold is an error, not a panic.
func TestEncodeCSVRefuses(t *testing.T) {
	for _, x := range []*tensor.Tensor{
		tensor.New([]complex64{1 + 2i}), tensor.New([]int64{1<<53 + 1}),
		tensor.New([]uint64{1<<64 - 1}),
	} {
		if err := formats.EncodeCSV(io.Discard, nil, x); !errors.Is(err, tensor.ErrDType) {
			t.Errorf("%v: got %v", x, err)
		}
	}
}
