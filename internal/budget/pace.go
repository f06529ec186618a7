package budget

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// paced is the limit that the collector was given; 0 before Govern.
var paced atomic.Int64

// Govern paces Go's collector by the limit, unless the program has done so. Its limit counts what Go's heap takes
// beside objects, too: with an eighth more, the values reach the limit before the collector begins to run all the
// time.
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

// reliever gives unused memory back.
type reliever struct {
	account *Account // nil when it is of Go values
	give    func() (given, again bool)
}

var (
	relieversMu sync.Mutex
	relievers   []reliever
)

// OnPressure registers what gives memory of an account back that is kept for later, or Go values with nil, when there
// is too little. give returns whether it has given something back, and whether it is to be called again. It must not
// call Take of the account.
func OnPressure(account *Account, give func() (given, again bool)) {
	relieversMu.Lock()
	defer relieversMu.Unlock()
	relievers = append(relievers, reliever{account, give})
}

// Relieve collects garbage, and has what is kept for later given back. It may wait for devices.
func Relieve() { relieve(nil) }

// RelieveCollected is Relieve for a caller that has just collected garbage: near the limit, a collection takes long.
func RelieveCollected() { relieveCollected(nil) }

// relieve is Relieve without what is kept of one account: its owner looks after that itself.
func relieve(but *Account) {
	runtime.GC()
	relieveCollected(but)
}

func relieveCollected(but *Account) {
	relieversMu.Lock()
	list := relievers
	relievers = nil
	relieversMu.Unlock()
	var again []reliever
	free := false
	for _, r := range list {
		given, stays := false, true
		if r.account == nil || r.account != but {
			given, stays = r.give()
		}
		if free = free || given; stays {
			again = append(again, r)
		}
	}
	relieversMu.Lock()
	relievers = append(relievers, again...)
	relieversMu.Unlock()
	if free {
		runtime.GC() // what was given back is free now
	}
}
