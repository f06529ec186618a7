package formats

import (
	"fmt"
	"io"
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// Named is a tensor with the name that it has in a file.
type Named struct {
	Name   string
	Tensor *tensor.Tensor
}

// count returns the product of a shape, and false when it is negative or more than limit.
func count(shape []int, limit int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
	}
	for _, d := range shape {
		if d == 0 {
			return 0, true
		}
		if n > math.MaxInt/d {
			return 0, false
		}
		n *= d
	}
	return n, n <= limit
}

// readExactly returns the next n bytes. Memory is taken as they come, so that a false count takes none.
func readExactly(r io.Reader, n int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, err
	}
	if len(data) < n {
		return nil, fmt.Errorf("the file ends after %d of %d bytes: %w", len(data), n, io.ErrUnexpectedEOF)
	}
	return data, nil
}

// named puts the name of a file before an error.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}
