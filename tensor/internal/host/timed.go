package host

import (
	"github.com/gorocm/gorocm/internal/timeline"
	"github.com/gorocm/gorocm/kernels"
)

// timed begins the span of an operation in a timeline, if one is recorded; the function that it returns ends it.
func timed(name string, dt kernels.DType) (end func()) {
	if !timeline.Active() {
		return func() {}
	}
	return timeline.Op(name+"_"+dt.String(), 0)
}
