package rocm

import (
	"errors"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/compile"
)

// deferred holds the callbacks of packages that defer launches.
type deferred struct {
	mu     sync.Mutex
	launch []func(all bool) error
}

// OnWait registers a function that launches what its package has deferred. It is called before the device is waited
// for, measured, profiled or captured. all says that everything has to be launched, as before a capture; otherwise
// intermediate results may stay deferred.
func (d *Device) OnWait(f func(all bool) error) {
	d.deferred.mu.Lock()
	defer d.deferred.mu.Unlock()
	d.deferred.launch = append(d.deferred.launch, f)
}

func (d *Device) launchDeferred(all bool) error {
	if d.recording() != nil {
		return nil
	}
	return d.deferred.flush(all)
}

// flush is launchDeferred also in a capture.
func (q *deferred) flush(all bool) error {
	q.mu.Lock()
	list := q.launch
	q.mu.Unlock()
	for _, f := range list {
		if err := f(all); err != nil {
			return err
		}
	}
	return nil
}

var errNotCached = errors.New("not in the cache")

// MayDefer reports whether launches may be deferred: not with GOROCM_SYNC, which wants the error of each at once, and
// not during a capture, but by the function of CaptureStep.
func (d *Device) MayDefer() bool {
	if d.capture.Load() == nil {
		return !d.syncLaunches
	}
	c := d.recording()
	return c != nil && c.compared && !d.syncLaunches
}

// Capturing reports whether launches are being captured.
func (d *Device) Capturing() bool { return d.recording() != nil }

// CanCompile reports whether there is a compiler for the device. The first call looks for one, which takes some
// milliseconds.
func (d *Device) CanCompile() bool {
	c, err := targetOf(d).Compiler()
	if err == nil {
		_, err = c.Options(d.info.Arch)
	}
	return err == nil
}

// LoadCached is Load without compiling: it reports false when the program is neither loaded nor in the cache on disk,
// and has no code object that loads.
func (d *Device) LoadCached(p Program) (*Module, bool) {
	m, err := d.programs.get(p.Name, func() (*Module, error) {
		if image, ok := shippedObject(d, p); ok {
			if m, err := d.load(p.Name, image); err == nil {
				return m, nil
			}
		}
		source, err := p.Source()
		if err != nil {
			return nil, err
		}
		j, err := compile.NewJob(targetOf(d), source)
		if err != nil {
			return nil, err
		}
		image, ok := j.Cached()
		if !ok {
			return nil, errNotCached
		}
		return d.load(p.Name, image)
	})
	return m, err == nil
}
