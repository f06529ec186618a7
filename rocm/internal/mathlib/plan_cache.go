package mathlib

import (
	"errors"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// planCache is a device's use of a library that wants work described before it computes. It keeps what was made for each shape of work.
type planCache[L any] struct {
	libraryHandle
	lib   L
	plans map[any]plan[L]
}

// plan is what was made for work of one shape.
type plan[L any] interface{ destroySteps(lib L) []libraryStep }

// MaxPlans is how many plans a device keeps. More are dropped, all at once.
const MaxPlans = 256

// put remembers a plan. When there are too many, all others go: what is on the stream needs no descriptors.
func (n *planCache[L]) put(d Device, key any, p plan[L]) {
	if len(n.plans) >= MaxPlans {
		n.clear(d)
	}
	if n.plans == nil {
		n.plans = map[any]plan[L]{}
	}
	n.plans[key] = p
}

// Forget drops all plans.
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

// clear drops all plans.
func (n *planCache[L]) clear(d Device) {
	for key, p := range n.plans {
		n.destroy(d, p)
		delete(n.plans, key)
	}
}

func (n *planCache[L]) destroy(d Device, p plan[L]) {
	for _, s := range p.destroySteps(n.lib) {
		_ = n.call(d, s) // a descriptor that will not go is small
	}
}

// destroySteps are the calls that give descriptors back; those that are 0 were not made.
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

// errDifferentResult is why a library is not used for what it would compute otherwise than gorocm. That is no failure, and reported nowhere.
var errDifferentResult = errors.New("the library computes it otherwise")

// refuseShape remembers why work of one shape is not for the library, under a kind for people to read.
func (n *planCache[L]) refuseShape(d Device, key any, kind string, err error) {
	if errors.Is(err, driver.ErrOutOfMemory) {
		return
	}
	if !errors.Is(err, errDifferentResult) {
		n.refuse(kind, err)
	}
	n.put(d, key, refusedPlan[L]{})
}

// runPlanned does work of one shape: by the plan that was made for it before, or by a new one that fill fills. call is what computes with a plan, and
// after is called when it is on the stream. A capture has the plans that are there. A shape that the library fails in is false, from then on; when memory was short, this time only.
func (n *planCache[L]) runPlanned(d Device, key any, text, elem string, fresh plan[L], fill func() error, call func(p plan[L]) (s libraryStep, after func(), err error)) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, known := n.plans[key]
	if !known {
		if d.Recording() { // libraries load and allocate for what they have not done before
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
	if refused != nil {
		delete(n.plans, key)
		n.destroy(d, p)
		n.refuseShape(d, key, text, refused)
	}
	return refused == nil, nil
}

// isRefused reports whether work of one shape is known not to be for the library.
func (n *planCache[L]) isRefused(key any) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, refused := n.plans[key].(refusedPlan[L])
	return refused
}

// refusedPlan stands for work that the library does not do.
type refusedPlan[L any] struct{}

func (refusedPlan[L]) destroySteps(L) []libraryStep { return nil }
