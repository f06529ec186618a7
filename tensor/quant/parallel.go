package quant

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// enough is how many steps of work, of about a nanosecond, are worth a goroutine.
const enough = 1 << 14

// parallel calls f for parts of 0…n-1 that cover it, on all cores when n times each steps are worth it.
func parallel(n, each int, f func(lo, hi int)) {
	cores := min(runtime.GOMAXPROCS(0), n, n*max(each, 1)/enough)
	if cores <= 1 {
		f(0, n)
		return
	}
	parts := min(n, 8*cores)
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= parts {
				return
			}
			f(i*n/parts, (i+1)*n/parts)
		}
	}
	var others sync.WaitGroup
	for range cores - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}
