package mathlib

import (
	"errors"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// planCache is the handle of a library that needs work described before it computes, with the descriptors for each
// shape of work.
type planCache[L any] struct {
	libraryHandle
	lib   L
	plans map[any]plan[L]
}

// plan is the descriptors and the algorithm for work of one shape.
type plan[L any] interface{ destroySteps(lib L) []libraryStep }

// MaxPlans is how many plans a device keeps. More are dropped, all at once.
const MaxPlans = 256

// put caches a plan. When there are too many, all others are destroyed: work on the stream needs no descriptors.
func (n *planCache[L]) put(d Device, key any, p plan[L]) {
	if len(n.plans) >= MaxPlans {
		n.clear(d)
	}
	if n.plans == nil {
		n.plans = map[any]plan[L]{}
	}
	n.plans[key] = p
}

// Forget destroys all plans.
func (n *planCache[L]) Forget(d Device) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clear(d)
}

// Plans is how many there are.
func (n *planCache[L]) Plans() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.plans)
}

// clear is Forget with the mutex held.
func (n *planCache[L]) clear(d Device) {
	for key, p := range n.plans {
		n.destroy(d, p)
		delete(n.plans, key)
	}
}

func (n *planCache[L]) destroy(d Device, p plan[L]) {
	for _, s := range p.destroySteps(n.lib) {
		_ = n.call(d, s) // a descriptor that is not destroyed is small
	}
}

// destroySteps are the calls that destroy descriptors. Those that are 0 were never created.
func destroySteps(list ...descriptor) []libraryStep {
	var steps []libraryStep
	for _, l := range list {
		if l.handle != 0 {
			steps = append(steps, libraryStep{l.destroyName, func() driver.Code { return l.destroy(l.handle) }})
		}
	}
	return steps
}

type descriptor struct {
	destroyName string
	destroy     func(uintptr) driver.Code
	handle      uintptr
}

// errDifferentResult refuses work that a library would compute with other results than gorocm. It is not a failure of
// the library, and Info does not report it.
var errDifferentResult = errors.New("the library computes it otherwise")

// refuseShape records that the library is not used for work of one shape. Info reports it as a kind of work.
func (n *planCache[L]) refuseShape(d Device, key any, kind string, err error) {
	if errors.Is(err, driver.ErrOutOfMemory) {
		return
	}
	if !errors.Is(err, errDifferentResult) {
		n.refuse(kind, err)
	}
	n.put(d, key, refusedPlan[L]{})
}

// runPlanned does work of one shape with its cached plan, or with fresh, which fill fills. call returns the call that
// computes with a plan, and after, which is called when the work is on the stream. During a capture no plan is made.
// The result is false when the library does not do the work: for a shape that it has failed in from then on, when
// memory was short this time only.
func (n *planCache[L]) runPlanned(d Device, key any, text, elem string, fresh plan[L], fill func() error,
	call func(p plan[L]) (s libraryStep, after func(), err error)) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, known := n.plans[key]
	if !known {
		if d.Recording() { // libraries load code and allocate for a new shape
			return false, nil
		}
		if err := fill(); err != nil {
			n.destroy(d, fresh)
			n.refuseShape(d, key, text, err)
			return false, nil
		}
		n.put(d, key, fresh)
		p = fresh
	}
	if _, refused := p.(refusedPlan[L]); refused {
		return false, nil
	}
	s, after, err := call(p)
	refused := err
	if err == nil {
		defer after()
		if refused, err = n.launch(d, s, s.name+"_"+elem); err != nil {
			return false, err
		}
	}
	if refused != nil && !d.Recording() { // a capture may be why
		delete(n.plans, key)
		n.destroy(d, p)
		n.refuseShape(d, key, text, refused)
	}
	return refused == nil, nil
}

// isKnown reports whether there is a plan for work of one shape.
func (n *planCache[L]) isKnown(key any) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, known := n.plans[key]
	return known
}

// isRefused reports whether the library has refused work of one shape.
func (n *planCache[L]) isRefused(key any) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, refused := n.plans[key].(refusedPlan[L])
	return refused
}

// refusedPlan marks a shape that the library does not compute.
type refusedPlan[L any] struct{}

func (refusedPlan[L]) destroySteps(L) []libraryStep { return nil }
