package rocm

import (
	"slices"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// Ahead are compilations ahead of time: see CompileAhead.
type Ahead struct {
	device *Device
	target compile.Target

	mu      sync.Mutex
	waiting []Program
	jobs    []*compile.Ahead // the last one takes programs until none is waiting
	ended   bool             // it has found none
	stopped bool
}

// CompileAhead compiles programs in the background into the cache on disk, where Load finds them, and returns at once.
// Programs that are in the cache, or have a code object for the device, are left out. Compilations that somebody waits
// for come first. It does nothing for an emulated device, and in programs that do not call ServeCompiler. The end of
// the process ends it.
func CompileAhead(d *Device, programs []Program) *Ahead {
	a := &Ahead{device: d, target: targetOf(d), ended: true}
	a.Prefer(programs)
	return a
}

// Prefer compiles programs before those that wait already, which may be among them.
func (a *Ahead) Prefer(programs []Program) {
	if a.device.Emulated() {
		return
	}
	programs = withoutObject(a.device, programs)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = slices.Concat(programs, a.waiting)
	if a.ended && len(a.waiting) > 0 && !a.stopped {
		a.ended = false
		a.jobs = append(a.jobs, compile.StartAhead(a.next))
	}
}

// next returns the next compilation, nil where there is none.
func (a *Ahead) next() *compile.Job {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.waiting) > 0 && !a.ended {
		p := a.waiting[0]
		a.waiting = a.waiting[1:]
		source, err := p.Source()
		if err != nil {
			continue // Load returns it
		}
		j, err := compile.NewJob(a.target, source)
		if err != nil { // there is no compiler for the device
			a.waiting = nil
			break
		}
		return j.Named(p.Name)
	}
	a.ended = true
	return nil
}

// Stop begins no further compilation.
func (a *Ahead) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	for _, j := range a.jobs {
		j.Stop()
	}
}

// Wait waits until all is compiled, or stopped. It returns the number of compilations, and the error of the first that
// failed: Load of that program returns it, too.
func (a *Ahead) Wait() (compiled int, err error) {
	a.mu.Lock()
	jobs := slices.Clone(a.jobs)
	a.mu.Unlock()
	for _, j := range jobs {
		n, e := j.Wait()
		compiled += n
		if err == nil {
			err = public(e)
		}
	}
	return compiled, err
}
