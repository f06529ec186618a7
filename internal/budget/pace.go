package budget

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// paced is the limit that the collector was given; 0 before Govern.
var paced atomic.Int64

// Govern paces Go's collector by the limit, unless the program has done so. Its limit counts what Go's heap takes beside
// objects, too: with an eighth more, the values reach the limit before the collector begins to run all the time.
func Govern() {
	n := theBound().bytes
	if os.Getenv("GOMEMLIMIT") != "" || n == math.MaxInt64 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	paced.Store(n)
	debug.SetMemoryLimit(n + n/8)
}

// pace lowers the collector's limit by what is taken elsewhere, when that has changed by much, and gives memory that Go
// keeps for later back to the system where that is needed.
func pace() {
	n := theBound().bytes
	old := paced.Load()
	now := max(n-Elsewhere(), n/16)
	if old == 0 || now > old-n/32 && now < old+n/32 {
		return
	}
	paced.Store(now)
	debug.SetMemoryLimit(now + n/8)
	if mapped() > now+n/8 {
		debug.FreeOSMemory()
	}
}

// mapped returns the bytes that Go has from the system.
func mapped() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
