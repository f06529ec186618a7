package gpu

import (
	"slices"
	"sync/atomic"
	"weak"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Storage is device memory, or a deferred result that will have some. The memory returns to the pool when the last
// tensor that uses it is collected.
type Storage struct {
	own      rocm.Buffer // first, so that the garbage collector has one object to watch
	on       *Backend
	buffer   *rocm.Buffer // &own, unless the memory was moved here from another storage; nil while deferred
	bytes    int
	deferred atomic.Pointer[deferred] // the operation that computes the elements; nil once it has
	// the memory may be written to at any time: its address was given away, or a graph writes to it
	exposed atomic.Bool
	pinned  atomic.Bool // a graph reads the memory
	given   atomic.Bool // the address was given away
	backend.Marks

	number   uint64 // the only element, if isNumber
	isNumber bool

	// Under fusion.mu of the backend:
	recomputed     int                     // how often kernels of dependents recomputed it
	hadDependents  bool                    // some deferred result was made of this one
	dependents     []weak.Pointer[Storage] // deferred results that are made of this one, and some that are done
	dependentLimit int                     // the length of dependents at which done ones are removed
}

func (s *Storage) Size() int { return s.bytes }

func (s *Storage) DeviceBuffer() *rocm.Buffer { return s.buffer }

func (s *Storage) SetConstant(bits uint64) { s.number, s.isNumber = bits, true }

func buffer(s backend.Storage) *rocm.Buffer { return s.(*Storage).buffer }

// stored is called when a storage has got memory. A graph writes to the memory of its capture whenever it is
// replayed.
func (s *Storage) stored() {
	if s.on.dev.Capturing() {
		s.exposed.Store(true)
	}
}

// Materialize computes the elements if they are deferred.
func (s *Storage) Materialize() error {
	if s.on.dev.Capturing() {
		s.pinned.Store(true)
	}
	if s.deferred.Load() == nil {
		return nil
	}
	s.on.fusion.mu.Lock()
	defer s.on.fusion.mu.Unlock()
	return s.on.fusion.compute(s)
}

// PrepareWrite is called before a write to the memory of s. It computes the elements, and every result that depends
// on the old ones. exposed says that more writes may come at any time without further calls.
func (s *Storage) PrepareWrite(exposed bool) error {
	f := &s.on.fusion
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := s.on.fusion.compute(s); err != nil {
		return err
	}
	if exposed {
		s.given.Store(true)
	}
	if exposed || s.on.dev.Capturing() {
		s.exposed.Store(true)
	}
	if err := s.computeDependents(); err != nil {
		return err
	}
	for _, r := range s.liveDependents() {
		if err := s.on.fusion.compute(r); err != nil {
			return err
		}
	}
	s.dependents = nil
	return nil
}

// PrepareOverwrite is called before a write to all elements of s. Results that only other results depend on, as in
// w.Set(w.Sub(g.Mul(0.1))), are probably never needed: they keep the old memory, and s gets new memory.
func (s *Storage) PrepareOverwrite() error {
	f := &s.on.fusion
	f.mu.Lock()
	if s.deferred.Load() == nil && !s.exposed.Load() && !s.pinned.Load() &&
		s.on.dev.MayDefer() && !s.on.Capturing() {
		err := s.computeDependents()
		left := s.liveDependents()
		if err == nil && len(left) > 0 {
			if b := new(rocm.Buffer); s.on.allocIn(b, s.bytes) == nil {
				s.moveMemory(left)
				s.buffer = b
			}
		}
	}
	f.mu.Unlock()
	return s.PrepareWrite(false)
}

// addDependent records that a deferred result is made of s.
func (s *Storage) addDependent(w weak.Pointer[Storage]) {
	if s.dependents = append(s.dependents, w); len(s.dependents) > max(8, s.dependentLimit) {
		s.dependents = slices.DeleteFunc(s.dependents, isDone)
		s.dependentLimit = 2 * len(s.dependents)
	}
}

// liveDependents are the deferred results that are made of s and may still be needed.
func (s *Storage) liveDependents() (list []*Storage) {
	for _, w := range s.dependents {
		if r := w.Value(); r != nil && r.reads() && !(r.IsFreed() && len(r.liveDependents()) == 0) {
			list = append(list, r)
		}
	}
	return list
}

// reads reports whether a deferred result may read the memory of its operands before the calling goroutine is done:
// what a capture of another one has deferred reads it in replays.
func (s *Storage) reads() bool {
	e := s.deferred.Load()
	return e != nil && (e.capture == nil || e.capture == rocm.RecordingOn(s.on.dev))
}

// computeDependents computes the results that are made of s and have no deferred dependents themselves.
func (s *Storage) computeDependents() error {
	for _, r := range s.liveDependents() {
		if err := r.computeDependents(); err != nil {
			return err
		}
		if r.hadDependents || r.IsFreed() {
			continue
		}
		if err := s.on.fusion.compute(r); err != nil {
			return err
		}
	}
	return nil
}

// Release gives the memory back. Results that depend on it are computed first. Those that only other results depend
// on are probably never needed: they keep the memory until they are collected.
func (s *Storage) Release() {
	f := &s.on.fusion
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := s.deferred.Load(); e != nil {
		if len(s.liveDependents()) == 0 {
			s.clearDeferred(e)
		}
		return
	}
	_ = s.computeDependents() // a result that failed reads the memory later
	left := s.liveDependents()
	if len(left) == 0 {
		s.buffer.Free()
		return
	}
	s.moveMemory(left)
}

// Drop is Release of memory that nothing refers to but deferred results. They are not computed for that: the last one
// that is frees the memory.
func (s *Storage) Drop() {
	f := &s.on.fusion
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.MarkFreed() {
		s.freeDropped()
	}
}

// freeDropped frees the memory of s if it was dropped and no deferred result needs it any more. The caller holds the
// mutex.
func (s *Storage) freeDropped() {
	if !s.IsFreed() || s.isNumber || s.inUse() || len(s.liveDependents()) > 0 {
		return
	}
	if e := s.deferred.Load(); e != nil {
		s.clearDeferred(e)
	} else if s.buffer != nil {
		s.buffer.Free()
	}
}

// inUse reports whether memory that was dropped may still be used: by who was given its address, or by a graph. During
// a capture its own memory may be freed, since the graph's launches have an order.
func (s *Storage) inUse() bool {
	return s.given.Load() || (s.exposed.Load() || s.pinned.Load()) && !s.on.dev.Capturing()
}

// moveMemory moves the memory of s to a new storage, which becomes the operand of the deferred results that are made
// of s. The last one of them that is computed frees it.
func (s *Storage) moveMemory(readers []*Storage) {
	heir := &Storage{on: s.on, buffer: s.buffer, bytes: s.bytes, dependents: s.dependents}
	heir.MarkFreed()
	s.dependents = nil
	for _, r := range readers {
		os := r.deferred.Load().operands()
		for i := range os {
			if os[i].Store == s {
				os[i].Store = heir
			}
		}
	}
}
