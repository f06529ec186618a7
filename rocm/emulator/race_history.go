package emulator

// history records the active lanes of a wave since its last barrier. It tells whether two lanes of divergent branches
// have reconverged.
type history struct {
	spans []onSpan
	step  uint32 // instructions so far
	begun uint32 // the step of the last barrier, or the first that is recorded
}

// onSpan is a run of instructions with the same active lanes.
type onSpan struct {
	mask uint64
	last uint32
}

// historyLimit is how many changes are recorded. Older accesses count as ordered.
const historyLimit = 4096

func (h *history) reset() { h.spans, h.begun = h.spans[:0], h.step }

// note counts an instruction.
func (h *history) note(mask uint64) {
	h.step++
	if n := len(h.spans); n > 0 && h.spans[n-1].mask == mask {
		h.spans[n-1].last = h.step
		return
	}
	if len(h.spans) == historyLimit {
		h.begun = h.spans[historyLimit/2-1].last
		h.spans = append(h.spans[:0], h.spans[historyLimit/2:]...)
	}
	h.spans = append(h.spans, onSpan{mask, h.step})
}

// met reports whether both lanes were active at an instruction since a step, inclusive, or a barrier was executed
// since.
func (h *history) met(a, b int, since uint32) bool {
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
