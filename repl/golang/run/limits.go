package run

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/traefik/yaegi/interp"
)

// MemoryVar names the environment variable that limits what a session may take: bytes, or a number with a unit.
const MemoryVar = budget.Variable

// memoryError ends a cell.
type memoryError struct {
	used, wanted, limit uint64
	what                string        // is wanted
	bound               meminfo.Bound // what has too little left, when it is not the limit
}

func (m *memoryError) Error() string {
	s := "out of memory: the session's values take " + budget.SizeText(m.used)
	if m.wanted > 0 {
		s += ", " + cmp.Or(m.what, "this allocation") + " " + budget.SizeText(m.wanted)
	}
	switch {
	case m.bound.Name != "":
		return s + "; " + m.bound.Name + " has " + budget.SizeText(uint64(m.bound.Left)) + " left"
	case m.used < m.limit && m.wanted == 0:
		return s + " of " + budget.SizeText(m.limit) + ": collections would take most of the time"
	}
	return s + "; the limit is " + budget.SizeText(m.limit)
}

// RuntimeError makes it a runtime.Error, as Go's own errors about allocations are.
func (*memoryError) RuntimeError() {}

func (m *memoryError) failure() *check.Failure {
	note := memoryNote(m.limit)
	if m.bound.Name != "" {
		note = "other processes use the rest; %memory shows what this one uses"
	}
	return &check.Failure{Name: "RuntimeError", Message: m.Error(), Notes: []string{note}}
}

func memoryNote(limit uint64) string {
	unit := uint64(1 << 20)
	if limit >= 8<<30 {
		unit = 1 << 30
	}
	more := (limit + limit/4 + unit - 1) / unit * unit
	return MemoryVar + " sets the limit, before gorocm starts: for example " + MemoryVar + "=" +
		strings.ReplaceAll(budget.SizeText(more), " ", "")
}

// limit is the memory limit of this process.
var limit = sync.OnceValues(func() (uint64, error) {
	n, err := budget.Limit()
	if err != nil {
		return 0, err
	}
	statm() // opened now: see meter
	budget.Govern()
	return uint64(n), nil
})

// stackThatFits returns the limit of a goroutine's stack where there are so many bytes for it. A stack grows into one
// of twice the size, and both are needed then.
func stackThatFits(bytes uint64) uintptr {
	size := uint64(1 << 20)
	for size < 1<<40 && 3*size <= bytes { // of 2*size, and half of it
		size *= 2
	}
	return uintptr(size / 16 * 15)
}

// fitStack lowers the limit of stacks until the returned function is called, where the session has less memory than its
// largest stack would take.
func fitStack(used, limit uint64) (restore func()) {
	most := StackLimit.Load()
	room := limit - min(limit, used)
	if left, ok := meminfo.AddressSpace(); ok {
		room = min(room, uint64(left))
	}
	fits := stackThatFits(room / 2)
	if fits >= most {
		return func() {}
	}
	StackLimit.Store(fits)
	return func() { StackLimit.Store(most) }
}

// reclaim gives memory back to the system after a cell has used too much. Goroutines that go on allocating are ended.
// It tells of that, and of what is still held.
func (rt *Runtime) reclaim() (notes []string) {
	debug.FreeOSMemory() // collects first
	before := InUse()
	if before > rt.Memory.Limit {
		time.Sleep(settleFor)
		if runtime.GC(); InUse() > before+memoryFree/4 {
			rt.stops.endAll(settleFor, func() bool {
				debug.FreeOSMemory()
				return InUse() <= rt.Memory.Limit
			})
			notes = append(notes, "goroutines that cells had started went on allocating: they were ended")
		}
	}
	if now := InUse(); now > rt.Memory.Limit/2 {
		notes = append(notes,
			"variables of the session still hold "+budget.SizeText(now)+": set those that you do not need to nil")
	}
	return notes
}

// settleFor is how long goroutines are watched, and stopped, when there is too little memory.
const settleFor = 50 * time.Millisecond

// checkMake panics where make([]T, n) would end the process, or take more than the session may use. n is the length or
// the capacity; elemSize is the size of an element in bytes.
func (m *Memory) CheckMake(n, elemSize int) {
	if n < 0 || elemSize > 0 && n > maxAlloc/elemSize {
		panic(runtimeError("makeslice: len out of range"))
	}
	m.checkAlloc(uint64(n) * uint64(elemSize))
}

// maxAlloc is the size of the largest allocation that Go can address, on 64-bit machines.
const maxAlloc = 1 << 47

// bigAlloc is the size from which on allocations are checked one by one.
const bigAlloc = 16 << 20

// checkAlloc panics when an allocation would exceed the limit.
func (m *Memory) checkAlloc(n uint64) {
	if err := m.refuse("", n); err != nil {
		panic(err)
	}
}

// refuse returns an error when an allocation would exceed the limit.
func (m *Memory) refuse(what string, n uint64) *memoryError {
	if n < bigAlloc {
		return nil
	}
	used := InUse()
	if used+n > m.Limit {
		budget.Relieve()
		used = InUse()
	}
	if used+n > m.Limit {
		return &memoryError{used: used, wanted: n, limit: m.Limit, what: what}
	}
	if err := budget.Room(int64(n)); err != nil {
		return &memoryError{used: used, wanted: n, limit: m.Limit, what: what, bound: err.Bound}
	}
	return nil
}

// Refused is the failure of code whose values can never have so many bytes.
func Refused(m *Memory, what string, bytes int64) *check.Failure {
	note := memoryNote(m.Limit)
	if uint64(bytes) > 2*m.Limit { // no limit of this machine's helps
		note = "a slice takes memory for the elements that are made, and a map for those that are set"
	}
	return &check.Failure{Name: "RuntimeError", Notes: []string{note},
		Message: fmt.Sprintf("out of memory: %s takes %s; the limit is %s", what, budget.SizeText(uint64(bytes)),
			budget.SizeText(m.Limit))}
}

// Refuse returns the failure of code whose variables would exceed the limit, nil where there is room for them.
func Refuse(m *Memory, bytes int64) *check.Failure {
	if err := m.refuse("the variables of this cell", uint64(bytes)); err != nil {
		return err.failure()
	}
	return nil
}

// limited replaces functions of the standard library that allocate as much as they are told. They are methods, because
// a failure's place is found by the name of the compiled function that panicked.
func (m *Memory) limited() interp.Exports {
	method := func(v any, name string) reflect.Value { return reflect.ValueOf(v).MethodByName(name) }
	return interp.Exports{
		"strings/strings": {"Repeat": method(checkedStrings{m}, "Repeat")},
		"bytes/bytes":     {"Repeat": method(checkedBytes{m}, "Repeat")},
		"reflect/reflect": {"New": method(checkedReflect{m}, "New"), "Zero": method(checkedReflect{m}, "Zero"),
			"MakeSlice": method(checkedReflect{m}, "MakeSlice")},
	}
}

type (
	checkedStrings struct{ e *Memory }
	checkedBytes   struct{ e *Memory }
	checkedReflect struct{ e *Memory }
)

// Repeat is strings.Repeat within the memory limit.
func (c checkedStrings) Repeat(s string, count int) string {
	c.e.checkRepeat(len(s), count)
	return strings.Repeat(s, count)
}

// Repeat is bytes.Repeat within the memory limit.
func (c checkedBytes) Repeat(b []byte, count int) []byte {
	c.e.checkRepeat(len(b), count)
	return bytes.Repeat(b, count)
}

// New is reflect.New within the memory limit.
func (c checkedReflect) New(t reflect.Type) reflect.Value {
	if t != nil {
		c.e.checkAlloc(uint64(t.Size()))
	}
	return reflect.New(t)
}

// Zero is reflect.Zero within the memory limit.
func (c checkedReflect) Zero(t reflect.Type) reflect.Value {
	if t != nil {
		c.e.checkAlloc(uint64(t.Size()))
	}
	return reflect.Zero(t)
}

// MakeSlice is reflect.MakeSlice within the memory limit.
func (c checkedReflect) MakeSlice(t reflect.Type, length, capacity int) reflect.Value {
	if t != nil && t.Kind() == reflect.Slice && capacity > 0 {
		c.e.CheckMake(capacity, int(t.Elem().Size()))
	}
	return reflect.MakeSlice(t, length, capacity)
}

func (m *Memory) checkRepeat(length, count int) {
	if count > 0 && length > 0 && length <= math.MaxInt/count {
		m.checkAlloc(uint64(length) * uint64(count))
	}
}

// Memory bounds what the session's values may take.
type Memory struct{ Limit uint64 }
