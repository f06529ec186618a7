package shapes

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ErrStep says that a range has a step of 0.
var ErrStep = errors.New("has a step of 0")

// ParseRange reads a number, or a range as Python writes it, start:end:step, of which each may be missing, into the
// bounds that Range takes. n is how many there is room for: 1 of a number alone. The error ends a sentence that begins
// with the text.
func ParseRange(text string) (bounds [3]int, n int, err error) {
	parts := strings.Split(text, ":")
	bounds = [3]int{0, math.MaxInt, 0}
	if len(parts) > len(bounds) {
		return bounds, 0, errors.New("is not an index")
	}
	for i, b := range parts {
		parts[i] = strings.TrimSpace(b)
		if parts[i] == "" && len(parts) > 1 {
			continue
		}
		if bounds[i], err = strconv.Atoi(parts[i]); err != nil {
			return bounds, 0, errors.New("is not an index")
		}
	}
	if len(parts) == 3 && parts[2] != "" && bounds[2] == 0 {
		return bounds, 0, ErrStep
	}
	if bounds[2] < 0 && bounds[0] == 0 && parts[0] != "" {
		bounds[0] = First
	}
	return bounds, len(parts), nil
}
