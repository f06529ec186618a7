package host

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// A collection costs the same whatever it finds, and the more the more processors there are. So collections are as
// frequent as keeps reused blocks in the caches, but take a small share of the time: where results are large and
// quickly computed, more memory is used between two of them, up to a budget.

const (
	roundSmall  = 16 << 20  // bytes of small blocks between collections: what is reused should stay in the cache
	roundLarge  = 192 << 20 // bytes of all blocks between collections: large ones do not stay in the cache anyway
	timeShare   = 20        // a collection may take a twentieth of the time from one to the next,
	memoryShare = 16        // if the results of that time take less than a sixteenth of the memory that is available
	maxBudget   = 1 << 30   // and less than this, or than so many times the bytes that a collection scans,
	gcPerScan   = 8
	growShare   = 64 // and less than this share of all results so far: the pages of new memory cost more than reuse
	restTime    = time.Second
	maxSettle   = 5 * time.Millisecond
	settleStep  = 20 * time.Microsecond
)

// pace says when collections start.
type pace struct {
	took  time.Duration // by the latest collection
	ended time.Time     // of the latest collection
	most  int           // the largest budget, in bytes; 0 before the first collection
	total int           // bytes of all results so far
}

// budget returns how many bytes of results may be handed out until the program waits for a collection. One starts, at
// the latest, after half of them.
func (p *pace) budget() int { return max(2*roundLarge, min(p.most, p.total/growShare)) }

// due reports whether a collection should start, after so many bytes in small blocks and in all blocks, and whether it
// is so late that the program should wait for it.
func (p *pace) due(small, all int) (due, late bool) {
	if small < roundSmall && all < roundLarge {
		return false, false
	}
	budget := p.budget()
	return all >= budget/2 || time.Since(p.ended) >= timeShare*p.took, all >= budget
}

// mostResults returns the largest budget that the memory allows.
func mostResults() int {
	available, known := meminfo.Available()
	if limit := debug.SetMemoryLimit(-1); !known || limit < int64(available) {
		available = int(limit)
	}
	most := min(available/memoryShare, maxBudget)
	scan := []metrics.Sample{{Name: "/gc/scan/heap:bytes"}}
	if metrics.Read(scan); scan[0].Value.Kind() == metrics.KindUint64 {
		most = max(most, gcPerScan*int(scan[0].Value.Uint64()))
	}
	return most
}

// collect starts a collection, or joins the one under way, and waits for it if wait is set. Helpers sleep meanwhile:
// while they look for work a collection takes twice as long. The caller holds the mutex.
func (p *blockPool) collect(wait bool) {
	done := p.collecting
	if done == nil {
		done = make(chan struct{})
		p.collecting = done
		small, all := p.freshSmall, p.fresh
		go func() {
			start := time.Now()
			team.Pause(runtime.GC)
			waitForFinalizers()
			end, most := time.Now(), mostResults()
			p.mu.Lock()
			defer p.mu.Unlock()
			p.pace.ended, p.pace.took, p.pace.most = end, end.Sub(start), most
			p.freshSmall -= small
			p.fresh -= all
			p.collecting = nil
			close(done)
		}()
	}
	if wait {
		p.mu.Unlock()
		<-done
		p.mu.Lock()
	}
}

// init has unused blocks left to the collector when memory is short.
func init() {
	budget.OnPressure(nil, func() (given, again bool) {
		waitForFinalizers()
		heapBlocks.mu.Lock()
		defer heapBlocks.mu.Unlock()
		given = heapBlocks.idle > 0
		heapBlocks.drop(0)
		return given, true
	})
}

// waitForFinalizers waits until the finalizers of a collection have run, but not long: those of the program may be
// slow.
func waitForFinalizers() {
	samples := []metrics.Sample{{Name: "/gc/finalizers/queued:finalizers"},
		{Name: "/gc/finalizers/executed:finalizers"}}
	metrics.Read(samples)
	if samples[0].Value.Kind() != metrics.KindUint64 {
		time.Sleep(maxSettle)
		return
	}
	queued := samples[0].Value.Uint64()
	for start := time.Now(); samples[1].Value.Uint64() < queued && time.Since(start) < maxSettle; {
		time.Sleep(settleStep)
		metrics.Read(samples)
	}
}

// restAfter leaves what was kept for rounds of collections to the collector when no block was requested for some time
// since so many requests.
func (p *blockPool) restAfter(requests int) {
	time.AfterFunc(restTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.requests != requests {
			p.restAfter(p.requests)
			return
		}
		p.resting = false
		p.drop(max(minIdle, p.inUse))
		go runtime.GC()
	})
}
