package team

import (
	"math"
	"sync/atomic"
	"time"
)

// line keeps what different cores write on different cache lines. Processors fetch lines in pairs.
type line [128]byte

// region is a call of Run.
type region struct {
	f        func(lo, hi int)
	n, parts int
	caller   atomic.Uintptr // its goroutine
	cores    atomic.Int32
	use      atomic.Uint32 // counts the uses of this region
	done     chan struct{}
	_        line
	left     atomic.Int64 // parts that are not finished
	asleep   atomic.Bool  // whether the caller waits on done
	_        line
	shares   []share // one for each core
}

// share is the parts of a core that have not begun: the index of the first in the upper half, the end in the lower.
type share struct {
	parts atomic.Uint64
	_     [120]byte
}

// take returns the index of a part to work on, the first or the last one, or -1 when all have begun.
func (s *share) take(first bool) int {
	for {
		v := s.parts.Load()
		lo, hi := v>>32, v&math.MaxUint32
		switch {
		case lo >= hi:
			return -1
		case first && s.parts.CompareAndSwap(v, v+1<<32):
			return int(lo)
		case !first && s.parts.CompareAndSwap(v, v-1):
			return int(hi - 1)
		}
	}
}

// region returns a region for f, with all its parts to do.
func (t *Team) region(n, parts, cores int, f func(lo, hi int)) *region {
	r, _ := t.spare.Get().(*region)
	if r == nil || len(r.shares) < cores {
		r = &region{done: make(chan struct{}, 1), shares: make([]share, cores)}
	}
	r.f, r.n, r.parts = f, n, parts
	r.left.Store(int64(parts))
	r.cores.Store(int32(cores))
	r.use.Add(1)
	for i := range cores {
		r.shares[i].parts.Store(uint64(i*parts/cores)<<32 | uint64((i+1)*parts/cores))
	}
	return r
}

// work does parts until all have begun, those of one core first, or until stop says so. It returns how many it did. It
// calls begin after the first part of each use of the region was taken.
func (r *region) work(core int, begin func(cores int), stop func() bool) int {
	did, use := 0, uint32(0)
	cores := int(r.cores.Load())
	for i := range cores {
		s := &r.shares[(core+i)%cores]
		for p := s.take(i == 0); p >= 0; p = s.take(i == 0) {
			if u := r.use.Load(); u != use {
				use = u
				begin(int(r.cores.Load()))
			}
			r.f(p*r.n/r.parts, (p+1)*r.n/r.parts)
			did++
			if stop != nil && stop() {
				r.finish(did)
				return did
			}
		}
	}
	r.finish(did)
	return did
}

// finish counts parts as finished. Another use of the region may have begun when it wakes the caller, which therefore
// looks again.
func (r *region) finish(parts int) {
	if parts > 0 && r.left.Add(-int64(parts)) == 0 && r.asleep.CompareAndSwap(true, false) {
		select {
		case r.done <- struct{}{}:
		default:
		}
	}
}

// wait returns when all parts are finished. Helpers usually are about to finish, so it polls before it sleeps.
func (r *region) wait() {
	for start := time.Now(); r.left.Load() > 0; {
		if poll(start, func() bool { return r.left.Load() == 0 }, nil) {
			return
		}
		r.asleep.Store(true)
		if r.left.Load() > 0 || !r.asleep.CompareAndSwap(true, false) {
			<-r.done
		}
	}
}
