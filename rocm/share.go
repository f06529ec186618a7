package rocm

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/internal/budget"
)

// shareVariable limits the memory of each device that this process takes for buffers, where several share a GPU.
const shareVariable = "GOROCM_GPU_MEMORY"

// memoryShare is the limit that the environment sets for a device of total bytes: 8GiB, or 25% of them; 0 for none.
func memoryShare(total int64) (int64, error) {
	text := strings.TrimSpace(os.Getenv(shareVariable))
	if text == "" {
		return 0, nil
	}
	if part, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(percent > 0 && percent <= 100) {
			return 0, invalid("open", "%s is %q: want a size such as 8GiB, or a percentage from 0%% to 100%%", shareVariable,
				text)
		}
		return max(int64(percent/100*float64(total)), 1), nil
	}
	bytes, err := budget.ParseSize(text)
	if err != nil {
		return 0, invalid("open", "%s: %v, or a percentage such as 25%%", shareVariable, err)
	}
	return min(int64(bytes), total), nil
}

// reserve counts n bytes that are about to be asked of the driver, so that no other goroutine asks for the same rest of
// the process's share. It refuses them where the share ends. What the driver does not give is given back by unreserve.
func (p *pool) reserve(n int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.share > 0 && p.reserved+n > p.share {
		return &Error{Op: "allocate", Kind: ErrOutOfMemory, Detail: fmt.Sprintf(
			"%s limits this process to %s of the device's memory", shareVariable, byteText(p.share))}
	}
	p.reserved += n
	return nil
}

func (p *pool) unreserve(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved -= n
}

// ofShare is how much of a device's memory this process may take.
func (p *pool) ofShare(total int64) int64 {
	if p.share == 0 {
		return total
	}
	return min(total, p.share)
}

// leftOfShare is how much of what the driver has free this process may take. The caller holds the mutex.
func (p *pool) leftOfShare(free int64) int64 {
	if p.share == 0 {
		return free
	}
	return min(free, p.share-p.reserved)
}
