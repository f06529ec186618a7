package machine

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Goroutines of interpreted code note where they wait for another goroutine, in channel operations and in the calls
// that waitingCalls names, so that a watcher can tell that all of them do. Noting takes no lock: a goroutine has a
// place in a table by its number.

// Goroutine tells the number of the calling goroutine, by which the table knows it. The engine sets it.
var Goroutine func() uintptr

// Wait is where a goroutine waits.
type Wait struct {
	Goroutine uintptr
	What      string    // as the runtime says it
	Node      *Node     // of lowered code, or nil
	At        token.Pos // in the cell, where there is no Node
	Fn        string    // in which function that is
	Timed     bool      // for a timer's channel, among others

	// Interpreter is the one that runs it: there is another after %reset, with other places.
	Interpreter unsafe.Pointer
}

// OnChannel says that it is a channel operation, and not one of package sync.
func (w Wait) OnChannel() bool { return w.What[0] != 's' || w.What[:2] == "se" }

// waitTable holds those that wait now. One that finds no place among some is not known.
var waitTable [32 << 10]WaitPlace

const waitTries = 64

// WaitPlace is a place of the table, which is to be given to EndWait.
type WaitPlace struct {
	g     atomic.Uintptr // 0 of a place that is free
	turns atomic.Uint64  // how often it has been taken and left
	what  atomic.Pointer[Wait]
}

func waitHash(g uintptr) uintptr { return (g >> 5 * 0x9E3779B97F4A7C15 & (1<<63 - 1)) >> 40 }

// BeginWait notes that the calling goroutine may wait. It returns nil where there is no place for that; a place is to
// be given to EndWait.
func BeginWait(w *Wait) *WaitPlace {
	g := Goroutine()
	for i := range uintptr(waitTries) {
		p := &waitTable[(waitHash(g)+i)%uintptr(len(waitTable))]
		if p.g.Load() == 0 && p.g.CompareAndSwap(0, g) {
			p.what.Store(w)
			p.turns.Add(1)
			return p
		}
	}
	return nil
}

// EndWait says that the goroutine waits no longer.
func EndWait(p *WaitPlace) {
	if p != nil {
		p.turns.Add(1)
		p.what.Store(nil)
		p.g.Store(0)
	}
}

// Waits lists the goroutines that wait. Turns is another number than before when any of them has come or gone
// meanwhile.
func Waits() (list []Wait, turns uint64) {
	for i := range waitTable {
		p := &waitTable[i]
		turns += p.turns.Load()
		if g, w := p.g.Load(), p.what.Load(); g != 0 && w != nil {
			x := *w
			x.Goroutine = g
			list = append(list, x)
		}
	}
	return list, turns
}

// Waiting reports whether a goroutine is listed.
func Waiting(g uintptr) bool {
	for i := range uintptr(waitTries) {
		if waitTable[(waitHash(g)+i)%uintptr(len(waitTable))].g.Load() == g {
			return true
		}
	}
	return false
}

// channel is the runtime's hchan, to which a channel is a pointer, as far as it matters here.
type channel struct {
	qcount, dataqsiz uint
	buf              unsafe.Pointer
	elemsize         uint16
	closed           uint32
	timer            unsafe.Pointer // of a timer's channel
}

// IsTimer reports whether a channel is one that a timer or a ticker sends to.
func IsTimer(c reflect.Value) bool { return IsTimerAt(c.UnsafePointer()) }

// IsTimerAt is IsTimer for the address that a channel is.
func IsTimerAt(c unsafe.Pointer) bool { return c != nil && (*channel)(c).timer != nil }

// CheckTimers says why IsTimer cannot be relied on: Go may change the runtime's channels, or GODEBUG may ask for those
// of old.
var CheckTimers = sync.OnceValue(func() error {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	if !IsTimer(reflect.ValueOf(t.C)) || IsTimer(reflect.ValueOf(make(chan time.Time, 1))) ||
		IsTimer(reflect.ValueOf(make(chan int))) {
		return fmt.Errorf("the runtime's channels do not tell which ones timers send to")
	}
	return nil
})

// channelOps are the generators of channel operations, and what the runtime calls these.
var channelOps = map[string]string{"recv": "chan receive", "recv2": "chan receive", "rangeChan": "chan receive",
	"send": "chan send"}

// noteWait has a node that yaegi goes on running itself note that it may wait on its channel.
func (g *guards) noteWait(n *Node) {
	what, ok := channelOps[gen(n)]
	if !ok {
		return
	}
	operand := n.Child[0]
	if gen(n) == "rangeChan" {
		operand = n.Child[1]
	}
	ch := valueRead(operand)
	if ch == nil {
		return
	}
	plain := &Wait{What: what, Node: n, Interpreter: n.interp}
	place := g.receiverPlace()
	timed, none := *plain, *plain
	timed.Timed, none.What = true, what+" (nil chan)"
	noting(n, func(f *Frame) *Wait {
		switch v := ch(f); {
		case v.Kind() != reflect.Chan:
			return &timed
		case v.IsNil():
			return &none
		case IsTimer(v):
			return &timed
		case place >= 0:
			return &Wait{What: what, At: token.Pos(f.Data[place].Int()), Interpreter: n.interp}
		}
		return plain
	})
}

// Receiver begins the names of the functions that receive in the place of an expression, which have its place as their
// second argument.
const Receiver = "receiveʹat"

// receiverPlace is where the frame of such a function has that place, -1 for any other function.
func (ps *places) receiverPlace() int {
	at := results(ps.fn) + 1
	if name := ps.fn.Child[1].Ident; !strings.HasPrefix(name, Receiver+"ʹ") || ps.kindAt(at) != reflect.Int {
		return -1
	}
	return at
}

func (ps *places) kindAt(i int) reflect.Kind { return kindIn(ps.slotType(0, i)) }

// noting has a node note what it may wait for.
func noting(n *Node, of func(*Frame) *Wait) {
	generate := n.Gen
	n.Gen = func(n *Node) {
		generate(n)
		run := n.Exec
		n.Exec = func(f *Frame) Step {
			p := BeginWait(of(f))
			defer EndWait(p)
			return run(f)
		}
	}
}

// waitingCalls are the methods of package sync that wait for another goroutine, and what the runtime calls that.
var waitingCalls = map[string]string{
	"*sync.Mutex.Lock": "sync.Mutex.Lock", "*sync.RWMutex.Lock": "sync.RWMutex.Lock",
	"*sync.RWMutex.RLock":  "sync.RWMutex.RLock",
	"*sync.WaitGroup.Wait": "sync.WaitGroup.Wait", "*sync.Cond.Wait": "sync.Cond.Wait",
}

// waitingCall is what a call of a compiled method may wait for, nil of any other.
func (g *guards) waitingCall(n *Node) *Wait {
	if gen(n) != "callBin" || len(n.Child) != 1 || n.Anc.Kind == kinds.deferStmt || n.Anc.Kind == kinds.goStmt {
		return nil
	}
	f := n.Child[0]
	index, ok := f.Val.(int)
	if g := gen(f); !ok || g != "getIndexBinMethod" && g != "getIndexBinPtrMethod" {
		return nil
	}
	t := g.typeOf(f.Child[0])
	if t == nil || t.Kind() == reflect.Interface {
		return nil
	}
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	if index >= t.NumMethod() {
		return nil
	}
	if what := waitingCalls[t.String()+"."+t.Method(index).Name]; what != "" {
		return &Wait{What: what, Node: n, Interpreter: n.interp}
	}
	return nil
}

// timer is the runtime's timer, to which a time.Timer is a pointer, as far as it matters here.
type timer struct {
	c      unsafe.Pointer
	init   bool
	mu     uintptr
	astate atomic.Uint32 // four bytes, of which the first is the state
}

// The bits of a timer's state: the runtime has it among those to run, and will not run it all the same.
const (
	timerHeaped = 1 << 0
	timerZombie = 1 << 2
)

// Runs reports whether a timer that calls a function will do so. Where that is not known, it says that it will.
func Runs(t *time.Timer) bool { return !timerStates() || willRun(t) }

func willRun(t *time.Timer) bool {
	// of little-endian machines; timerStates turns it off elsewhere
	state := (*timer)(unsafe.Pointer(t)).astate.Load() & 0xFF
	return state&timerHeaped != 0 && state&timerZombie == 0
}

// timerStates reports whether timers tell their states as willRun expects it.
var timerStates = sync.OnceValue(func() bool {
	t := time.AfterFunc(time.Hour, func() {})
	ok := willRun(t)
	t.Stop()
	ok = ok && !willRun(t)
	t.Reset(time.Hour)
	ok = ok && willRun(t)
	ran := make(chan bool)
	t.Stop()
	t = time.AfterFunc(0, func() { ran <- true })
	<-ran
	return ok && !willRun(t)
})
