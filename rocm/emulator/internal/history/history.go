// Package history tells whether two lanes of divergent branches have reconverged, for the search for data races.
package history

// History records the active lanes of a wave since its last barrier. It tells whether two lanes of divergent branches
// have reconverged.
type History struct {
	spans []onSpan
	Step  uint32 // instructions so far
	begun uint32 // the step of the last barrier, or the first that is recorded
}

// onSpan is a run of instructions with the same active lanes.
type onSpan struct {
	mask uint64
	last uint32
}

// Limit is how many changes are recorded. Older accesses count as ordered.
const Limit = 4096

// Reset forgets all.
func (h *History) Reset() { h.spans, h.begun = h.spans[:0], h.Step }

// Note counts an instruction.
func (h *History) Note(mask uint64) {
	h.Step++
	if n := len(h.spans); n > 0 && h.spans[n-1].mask == mask {
		h.spans[n-1].last = h.Step
		return
	}
	if len(h.spans) == Limit {
		h.begun = h.spans[Limit/2-1].last
		h.spans = append(h.spans[:0], h.spans[Limit/2:]...)
	}
	h.spans = append(h.spans, onSpan{mask, h.Step})
}

// Met reports whether both lanes were active at an instruction since a step, inclusive, or a barrier was executed
// since.
func (h *History) Met(a, b int, since uint32) bool {
	if since <= h.begun {
		return true
	}
	both := uint64(1)<<a | uint64(1)<<b
	for i := len(h.spans) - 1; i >= 0 && h.spans[i].last >= since; i-- {
		if h.spans[i].mask&both == both {
			return true
		}
	}
	return false
}
