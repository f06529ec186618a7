// Package budget holds the one limit of the memory that this process takes for its user: what Go values take, tensors
// of the host among them, and what is taken elsewhere, for which there are accounts (emulated devices, pinned memory).
//
//	var devices = budget.NewAccount("emulated devices")
//	if err := devices.Take(n); err != nil { … } // errors.As(err, new(*budget.Exceeded))
//	defer devices.Give(n)
//
// The limit is what the environment says, or three quarters of what the machine, the control groups and the limits of
// the process allow. Other processes live there, too: unless the environment has set the limit, memory that is not
// left is refused, whatever this process has used.
//
// A session calls Govern, which paces Go's collector by the limit. A program that only uses the library keeps its own
// pace; its accounts are limited all the same.
package budget

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/internal/meminfo"
)

// Variable names the environment variable that sets the limit: bytes, or a number with a unit.
const Variable = "GOROCM_MEMORY"

// bound is the limit of this process.
type bound struct {
	bytes int64 // math.MaxInt64 when the system decides
	set   bool  // by the environment
	err   error // the environment's text is no size
}

var theBound = sync.OnceValue(func() bound { return boundOf(os.Getenv(Variable), meminfo.Total()) })

func boundOf(text string, total int64) bound {
	if text != "" {
		n, err := ParseSize(text)
		if err != nil {
			return bound{math.MaxInt64, false, fmt.Errorf("%s: %w", Variable, err)}
		}
		return bound{int64(n), true, nil}
	}
	if total == 0 {
		return bound{bytes: math.MaxInt64}
	}
	return bound{bytes: total / 4 * 3}
}

// Limit returns the limit in bytes, math.MaxInt64 when none is known. The error says that GOROCM_MEMORY is no size.
func Limit() (bytes int64, err error) { return theBound().bytes, theBound().err }

// IsSet reports whether the environment has set the limit.
func IsSet() bool { return theBound().set }

// Account counts the bytes that are taken outside of Go's heap for one purpose. Its methods may be called from several
// goroutines.
type Account struct {
	name string
	used atomic.Int64
}

var (
	accountsMu sync.Mutex
	accounts   []*Account
	elsewhere  atomic.Int64 // the sum of all accounts
)

// NewAccount makes an account. Packages make theirs when the program starts.
func NewAccount(name string) *Account {
	a := &Account{name: name}
	accountsMu.Lock()
	defer accountsMu.Unlock()
	accounts = append(accounts, a)
	return a
}

// Name returns what the account is for.
func (a *Account) Name() string { return a.name }

// Used returns the bytes that are taken.
func (a *Account) Used() int64 { return a.used.Load() }

// Accounts returns all accounts.
func Accounts() []*Account {
	accountsMu.Lock()
	defer accountsMu.Unlock()
	return append([]*Account(nil), accounts...)
}

// Elsewhere returns the bytes of all accounts.
func Elsewhere() int64 { return elsewhere.Load() }

// Exceeded is the error of Take.
type Exceeded struct {
	Wanted, Used, Limit int64         // bytes
	Bound               meminfo.Bound // what has too little left, when it is not the limit
}

func (e *Exceeded) Error() string {
	wanted := SizeText(uint64(e.Wanted))
	if e.Bound.Name != "" {
		return fmt.Sprintf("%s do not fit: %s has %s left", wanted, e.Bound.Name, SizeText(uint64(e.Bound.Left)))
	}
	return fmt.Sprintf("%s do not fit: this process uses %s, and the limit is %s (%s sets it)", wanted,
		SizeText(uint64(e.Used)), SizeText(uint64(e.Limit)), Variable)
}

// taking is held while an account grows, so that two do not take the same bytes.
var taking sync.Mutex

// Take takes n bytes, or returns an *Exceeded. Memory that Go no longer uses is collected first where that helps.
func (a *Account) Take(n int64) error {
	taking.Lock()
	defer taking.Unlock()
	limit := theBound().bytes
	used := Values() + Elsewhere()
	if used+n > limit {
		relieve(a)
		used = Values() + Elsewhere()
	}
	if n > limit-used {
		return &Exceeded{Wanted: n, Used: used, Limit: limit}
	}
	if err := Room(n); err != nil {
		return err
	}
	a.used.Add(n)
	elsewhere.Add(n)
	pace()
	return nil
}

// Give gives back n bytes that were taken.
func (a *Account) Give(n int64) {
	a.used.Add(-n)
	elsewhere.Add(-n)
}

// Room returns an error when n bytes more would take what other processes need: when a bound of this process has less
// left. It says nothing of the limit.
func Room(n int64) *Exceeded {
	if _, tight := tightest(n); !tight {
		return nil
	}
	debug.FreeOSMemory()
	b, tight := tightest(n)
	if !tight {
		return nil
	}
	return &Exceeded{Wanted: n, Used: Values() + Elsewhere(), Limit: theBound().bytes, Bound: b}
}

// reserve is the share of a bound's total that is left to others: a thirty-second.
const reserve = 32

// tightest returns the bound that has the least left, and whether n bytes more would take what is left to others. It
// says no when the environment has set the limit.
func tightest(n int64) (b meminfo.Bound, tight bool) {
	if theBound().set {
		return b, false
	}
	if ample.take(n) {
		return b, false
	}
	bounds := meminfo.Bounds()
	for _, x := range bounds {
		if x.Left-n < x.Total/reserve && (!tight || x.Left < b.Left) {
			b, tight = x, true
		}
	}
	if !tight {
		ample.set(bounds, n)
	}
	return b, tight
}

// plenty is what a reading of the bounds has left beyond doubt, so that they are not read again for each allocation:
// half of it, for a twentieth of a second.
type plenty struct {
	mu    sync.Mutex
	left  int64
	until time.Time
}

var ample plenty

func (p *plenty) take(n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > p.left || time.Now().After(p.until) {
		return false
	}
	p.left -= n
	return true
}

// set notes bounds that were read for n bytes.
func (p *plenty) set(bounds []meminfo.Bound, n int64) {
	least := int64(math.MaxInt64)
	for _, x := range bounds {
		least = min(least, x.Left-x.Total/reserve-n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.until = least/2, time.Now().Add(50*time.Millisecond)
}

// Tight returns the bound that has hardly anything left, and whether there is one.
func Tight() (b meminfo.Bound, tight bool) { return tightest(0) }

// Values returns the bytes of Go values: the heap's objects, dead ones that were not swept yet among them, and stacks.
func Values() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
}
