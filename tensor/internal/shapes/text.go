package shapes

import (
	"fmt"
	"strings"
)

// Commas writes a shape as [2, 3].
func Commas(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = fmt.Sprint(d)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// NoBroadcast returns, for two shapes that do not broadcast, the sizes that differ, as text after a message, and a note
// that says what to do.
func NoBroadcast(a, b []int) (where, note string) {
	for i := 1; i <= min(len(a), len(b)); i++ {
		if x, y := a[len(a)-i], b[len(b)-i]; x != y && x != 1 && y != 1 {
			where = fmt.Sprintf(" (%d ≠ %d in dim -%d)", x, y, i)
			break
		}
	}
	switch {
	case len(a) == 2 && len(b) == 1 && a[0] == b[0]:
		return where, fmt.Sprintf("dims are matched from the right; b.Unsqueeze(1) has shape [%d 1] and is broadcast "+
			"along the rows", b[0])
	case len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]:
		return where, fmt.Sprintf("b.T() has shape %v", a)
	}
	return where, "dims are matched from the right and must be equal or 1"
}
