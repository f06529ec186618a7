package machine

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Go's runtime ends the process when it sees that two goroutines use a map at the same time and one of them writes.
// Nothing recovers that. So an operation of interpreted code on a map panics first, where it would come to that:
//
//   - It looks at the mark that the runtime sets in the map while it writes. That finds writers in compiled code, best
//     as it can.
//   - When several goroutines run interpreted code, each of their operations is also listed while it lasts. Two of
//     interpreted code are never at work on one map at once unless both read, so the runtime never has a reason to end
//     the process.
//
// A cell that runs alone pays for two loads. No code of a user runs during an operation, so that none waits for
// another.

// others counts the goroutines that may run interpreted code beside the running cell's.
var others atomic.Int32

// Enter notes that a goroutine beside the running cell's will run interpreted code, until Leave is called.
func Enter() { others.Add(1) }

// Leave takes back a call of Enter.
func Leave() { others.Add(-1) }

// Alone reports whether no goroutine runs interpreted code beside the running cell's.
func Alone() bool { return others.Load() == 0 }

// Foreign notes a goroutine that runs interpreted code without a call of Enter, because compiled code has started it.
// When it ends is not known.
func Foreign() {
	if others.Load() == 0 {
		others.Add(1)
	}
}

// Conflict is the panic of an operation on a map that another goroutine uses. Its text is the runtime's.
type Conflict string

func (c Conflict) Error() string { return string(c) }

// RuntimeError makes it a runtime.Error.
func (Conflict) RuntimeError() {}

// access is what an operation does to a map.
type access string

const (
	reads    access = "read"
	iterates access = "iteration"
	writes   access = "write"
)

// mapHeader is the runtime's Map, to which a map is a pointer.
type mapHeader struct {
	used              uint64
	seed              uintptr
	dirPtr            unsafe.Pointer
	dirLen            int
	globalDepth       uint8
	globalShift       uint8
	writing           uint8 // not 0 while a goroutine writes
	tombstonePossible bool
	clearSeq          uint64
}

// contended reports whether an operation on a map has to be listed, or would end the process.
func contended(m unsafe.Pointer) bool {
	return others.Load() != 0 || m != nil && (*mapHeader)(m).writing != 0
}

// use is an operation, or several that read, on one map.
type use struct {
	m       unsafe.Pointer
	readers int // 0 of a writer
}

// shard lists the maps in use whose addresses have the same hash.
type shard struct {
	mu   sync.Mutex
	uses []use
	// pinned is the map that machine code uses with mu held, and 1 more if it writes.
	pinned atomic.Uintptr
	_      [24]byte // a cache line of its own
}

var shards [256]shard

func shardOf(m unsafe.Pointer) *shard {
	return &shards[uintptr(m)>>6*0x9E3779B1>>16%uintptr(len(shards))]
}

// begin lists an operation of node n on a map, until end is called. It panics, as an operation of the node, when
// another goroutine's is in the way.
func begin(f *Frame, n *Node, m unsafe.Pointer, a access) {
	if m == nil {
		return
	}
	if c := tryBegin(m, a); c != "" {
		blame(f, n)
		panic(c)
	}
}

// tryBegin is begin that returns what to panic with, "" where the operation is listed.
func tryBegin(m unsafe.Pointer, a access) Conflict {
	met, ok := shardOf(m).enter(m, a)
	if ok && (*mapHeader)(m).writing == 0 {
		return ""
	}
	if ok { // compiled code writes
		end(m)
	}
	return conflictOf(a, met)
}

// tryPinned begins an operation of a goroutine that must not wait. It reports false where that has to wait, or would
// panic. What it returns is to be ended.
func tryPinned(m unsafe.Pointer, a access) (in *shard, ok bool) {
	if m == nil || others.Load() == 0 {
		return nil, m == nil || (*mapHeader)(m).writing == 0
	}
	s := shardOf(m)
	if !s.mu.TryLock() {
		return nil, false
	}
	if u := s.of(m); u != nil && (u.readers == 0 || a == writes) || (*mapHeader)(m).writing != 0 {
		s.mu.Unlock()
		return nil, false
	}
	p := uintptr(m)
	if a == writes {
		p++
	}
	s.pinned.Store(p)
	return s, true
}

// endPinned ends such an operation.
func (s *shard) endPinned() {
	if s != nil {
		s.pinned.Store(0)
		s.mu.Unlock()
	}
}

// conflictOf says what an operation has met.
func conflictOf(a, met access) Conflict {
	switch {
	case a == iterates:
		return "concurrent map iteration and map write"
	case a == writes && met == writes:
		return "concurrent map writes"
	}
	return "concurrent map read and map write"
}

func end(m unsafe.Pointer) {
	if m != nil {
		shardOf(m).leave(m)
	}
}

// enter lists an operation and reports whether it could, else what is in its way.
func (s *shard) enter(m unsafe.Pointer, a access) (met access, ok bool) {
	switch p := s.pinned.Load(); {
	case p == uintptr(m)+1:
		return writes, false
	case p == uintptr(m) && a == writes:
		return reads, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch u := s.of(m); {
	case u == nil:
		u := use{m: m}
		if a != writes {
			u.readers = 1
		}
		s.uses = append(s.uses, u)
		return writes, true
	case u.readers == 0:
		return writes, false
	case a == writes:
		return reads, false
	default:
		u.readers++
		return writes, true
	}
}

func (s *shard) leave(m unsafe.Pointer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.of(m)
	if u.readers--; u.readers > 0 {
		return
	}
	last := len(s.uses) - 1
	*u = s.uses[last]
	s.uses[last] = use{}
	s.uses = s.uses[:last]
}

// of is the entry of a map, nil without one. s.mu is held.
func (s *shard) of(m unsafe.Pointer) *use {
	for i := range s.uses {
		if s.uses[i].m == m {
			return &s.uses[i]
		}
	}
	return nil
}

// watchMaps has a node that yaegi goes on running itself list the map that it uses.
func (g *guards) watchMaps(n *Node) {
	m, a := g.mapOf(n)
	if m == nil {
		return
	}
	generate := n.Gen
	n.Gen = func(n *Node) {
		generate(n)
		run := n.Exec
		alone := func(f *Frame, p unsafe.Pointer) Step {
			begin(f, n, p, a)
			defer end(p) // a key may be one that cannot be hashed
			return run(f)
		}
		n.Exec = func(f *Frame) Step {
			if p := m(f); contended(p) {
				return alone(f, p)
			}
			return run(f)
		}
		if a == iterates { // yaegi begins with the first child, and comes to the node's own code by itself
			first, turn := n.Child[0].Exec, n.Exec
			n.Child[0].Exec = func(f *Frame) Step {
				first(f)
				return turn
			}
		}
	}
}

// mapOf is how to get the map that a node uses, and for what; nil of a node that uses none.
func (g *guards) mapOf(n *Node) (m func(*Frame) unsafe.Pointer, a access) {
	switch name := gen(n); {
	case name == "getIndexMap" || name == "getIndexMap2":
		return g.readMap(n.Child[0]), reads
	case name == "rangeMap":
		return iterated(n.Child[0].Findex - 1), iterates
	case name == "_delete":
		return g.readMap(n.Child[1]), writes
	case n.Gen == nil || name == "nop" || len(n.Child) == 0:
		return nil, ""
	case name == "assign" || name == "assignFromCall" || name == "inc" || name == "dec" || changes[name]:
		return g.assignedMap(n), writes
	}
	return nil, ""
}

// assignedMap is the map of the only entry that an assignment sets; lowering makes no others.
func (g *guards) assignedMap(n *Node) func(*Frame) unsafe.Pointer {
	for _, x := range n.Child[:max(n.nleft, 1)] {
		if g.isEntry(x) {
			return g.readMap(x.Child[0])
		}
	}
	return nil
}

// readMap reads a map that a node has been run for.
func (g *guards) readMap(n *Node) func(*Frame) unsafe.Pointer {
	if t := g.typeOf(n); t == nil || t.Kind() != reflect.Map {
		return nil
	}
	v := valueRead(n)
	if v == nil {
		return nil
	}
	return func(f *Frame) unsafe.Pointer {
		if m := v(f); m.Kind() == reflect.Map {
			return m.UnsafePointer()
		}
		return nil
	}
}

// iterated reads the map whose iterator is in a place of the frame.
func iterated(at int) func(*Frame) unsafe.Pointer {
	return func(f *Frame) unsafe.Pointer {
		it, _ := f.Data[at].Interface().(*reflect.MapIter)
		if it == nil {
			return nil
		}
		if m := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(it), offsets.iterated)); m != nil {
			return m
		}
		return *word((*header)(unsafe.Pointer(it))) // it has not begun
	}
}

// What the closures of maps.go do with a map that another goroutine may use.

func readListed[K comparable, V any](f *Frame, n *Node, m unsafe.Pointer, k K) V {
	begin(f, n, m, reads)
	defer end(m)
	return mapOf[K, V](m)[k]
}

func setListed[K comparable, V any](f *Frame, n *Node, m unsafe.Pointer, k K, v V) {
	begin(f, n, m, writes)
	defer end(m)
	mapOf[K, V](m)[k] = v
}

func addListed[K comparable, V integer | floats](f *Frame, n *Node, m unsafe.Pointer, k K, v V) {
	begin(f, n, m, writes)
	defer end(m)
	mapOf[K, V](m)[k] += v
}

// ClearMap empties a map for interpreted code.
func ClearMap(v reflect.Value) {
	p := v.UnsafePointer()
	if p == nil {
		return
	}
	if contended(p) {
		begin(&Frame{}, nil, p, writes)
		defer end(p)
	}
	v.Clear()
}
