package gpu

import (
	"slices"
	"sync/atomic"
	"weak"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Storage is device memory. It goes back to the pool when the last tensor that uses it is collected.
type Storage struct {
	own      rocm.Buffer // comes first, so that Go's collector has one thing to watch
	on       *Backend
	buffer   *rocm.Buffer // own, unless the memory comes from another storage; nil while the elements are deferred
	bytes    int
	deferred atomic.Pointer[deferred] // how the elements will be computed; nil when they are
	exposed  atomic.Bool              // the memory may be written to at any time: its address was given to somebody, or to a graph
	pinned   atomic.Bool              // a graph reads the memory
	backend.Freed

	number   uint64 // the one element, if isNumber
	isNumber bool

	// Under the accelerator's fusion.mu:
	recomputed     int                     // how often it was computed in the kernels of others
	hadDependents  bool                    // other deferred results were made of this one
	dependents     []weak.Pointer[Storage] // deferred results that are made of this one, and some that are no more
	dependentLimit int                     // how many may be in readers before the others are taken out
}

func (s *Storage) Size() int { return s.bytes }

func (s *Storage) DeviceBuffer() *rocm.Buffer { return s.buffer }

func (s *Storage) SetConstant(bits uint64) { s.number, s.isNumber = bits, true }

func buffer(s backend.Storage) *rocm.Buffer { return s.(*Storage).buffer }

// stored comes when a storage has new memory. A graph writes to what it was captured with whenever it is replayed.
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
	return s.on.compute(s)
}

// PrepareWrite is called before something writes to the memory of s: it computes what is made of its elements. exposed says that there may be more
// writes at any time, without further calls.
func (s *Storage) PrepareWrite(exposed bool) error {
	f := &s.on.fusion
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := s.on.compute(s); err != nil {
		return err
	}
	if exposed || s.on.dev.Capturing() {
		s.exposed.Store(true)
	}
	if err := s.computeDependents(); err != nil {
		return err
	}
	for _, r := range s.liveDependents() {
		if err := s.on.compute(r); err != nil {
			return err
		}
	}
	s.dependents = nil
	return nil
}

// PrepareOverwrite comes before all elements of s are written to. What only other results were made of, as in w.Set(w.Sub(g.Mul(0.1))), is
// likely to be wanted by nobody: it keeps the memory, and s gets some that is new.
func (s *Storage) PrepareOverwrite() error {
	f := &s.on.fusion
	f.mu.Lock()
	if s.deferred.Load() == nil && !s.exposed.Load() && !s.pinned.Load() && s.on.dev.MayDefer() {
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

// addDependent notes that a deferred result is made of s.
func (s *Storage) addDependent(w weak.Pointer[Storage]) {
	if s.dependents = append(s.dependents, w); len(s.dependents) > max(8, s.dependentLimit) {
		s.dependents = slices.DeleteFunc(s.dependents, isDone)
		s.dependentLimit = 2 * len(s.dependents)
	}
}

// liveDependents are the deferred results that are made of s and that somebody may want.
func (s *Storage) liveDependents() (list []*Storage) {
	for _, w := range s.dependents {
		if r := w.Value(); r != nil && r.deferred.Load() != nil && !(r.IsFreed() && len(r.liveDependents()) == 0) {
			list = append(list, r)
		}
	}
	return list
}

// computeDependents computes the results that are made of s, and that no other deferred one is made of.
func (s *Storage) computeDependents() error {
	for _, r := range s.liveDependents() {
		if err := r.computeDependents(); err != nil {
			return err
		}
		if r.hadDependents || r.IsFreed() {
			continue
		}
		if err := s.on.compute(r); err != nil {
			return err
		}
	}
	return nil
}

// Release gives the memory back. What is still to be made of it is computed; what only other results were made of, and is likely to be wanted by
// nobody, keeps the memory until it is collected.
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
	_ = s.computeDependents() // what failed reads the memory later
	left := s.liveDependents()
	if len(left) == 0 {
		s.buffer.Free()
		return
	}
	s.moveMemory(left)
}

// moveMemory gives the memory of s to a storage of its own, for deferred results that are made of it.
func (s *Storage) moveMemory(readers []*Storage) {
	heir := &Storage{on: s.on, buffer: s.buffer, bytes: s.bytes, dependents: s.dependents}
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
