package compile

import (
	"errors"
	"os"
	"runtime"
	"sync"
)

// Compilations that somebody waits for come before those ahead of time: where processors are few, a worker begins none
// while somebody waits; its child has the lowest priority, and takes no place of the others. Who needs what a worker is
// compiling waits for that.
var turns = struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting int                      // compilations that somebody waits for
	ahead   map[string]chan struct{} // by key: closed when a worker is done with it
}{ahead: map[string]chan struct{}{}}

// few says that compilations ahead of time and those that somebody waits for would take processors from one another.
var few = runtime.NumCPU() < 8

func init() { turns.changed = sync.NewCond(&turns.mu) }

// wanted is called when somebody waits for a compilation, and done after it. underWay is closed when a worker that
// compiles the same is done; it is nil if none does.
func wanted(key string) (underWay chan struct{}, done func()) {
	turns.mu.Lock()
	defer turns.mu.Unlock()
	turns.waiting++
	return turns.ahead[key], func() {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		turns.waiting--
		turns.changed.Broadcast()
	}
}

// Ahead are compilations ahead of time, into the cache on disk.
type Ahead struct {
	mu       sync.Mutex
	next     func() *Job
	stopped  bool
	compiled int
	err      error
	workers  sync.WaitGroup
}

// childCompiler is a Compiler that can compile in a child of low priority.
type childCompiler interface {
	compileAhead(name, source string, options []string) ([]byte, error)
}

// StartAhead compiles the jobs that next returns, until it returns nil, in child processes, as many at once as half of
// the processors, or three quarters of many. Jobs in the cache are left out. It does nothing in programs that compile
// in their own process, where nothing could have priority.
func StartAhead(next func() *Job) *Ahead {
	a := &Ahead{next: next}
	if !InChildren.Load() || cacheFolder() == "" {
		return a
	}
	workers := max(1, runtime.NumCPU()/2)
	if !few {
		workers = runtime.NumCPU() * 3 / 4
	}
	for range workers {
		a.workers.Go(func() {
			for j := a.take(); j != nil; j = a.take() {
				a.compile(j)
			}
		})
	}
	return a
}

// Stop begins no further compilation. Those under way end by themselves, or with the process.
func (a *Ahead) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
}

// Wait waits until all is compiled or stopped, and returns how many compilations there were, and the error of the first
// that failed. Whoever uses that kernel compiles it again, and gets its error.
func (a *Ahead) Wait() (compiled int, err error) {
	a.workers.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.compiled, a.err
}

func (a *Ahead) take() *Job {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped {
		return nil
	}
	return a.next()
}

// compile compiles a job when nobody waits for another.
func (a *Ahead) compile(j *Job) {
	c, ok := j.compiler.(childCompiler)
	if !ok || j.isCached() {
		return
	}
	done := make(chan struct{})
	turns.mu.Lock()
	for few && turns.waiting > 0 {
		turns.changed.Wait()
	}
	if turns.ahead[j.key] != nil || j.isCached() { // who waited may have compiled it
		turns.mu.Unlock()
		return
	}
	turns.ahead[j.key] = done
	turns.mu.Unlock()
	image, err := c.compileAhead(j.name, j.source, j.options)
	if err == nil {
		writeCache(j.key, image)
	}
	turns.mu.Lock()
	delete(turns.ahead, j.key)
	close(done)
	turns.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = a.stopped || errors.Is(err, errNoChild)
	if err == nil {
		a.compiled++
	} else if a.err == nil {
		a.err = err
	}
}

// isCached reports whether the cache has the entry of a job. Its contents are not checked.
func (j *Job) isCached() bool {
	_, err := os.Stat(cachePath(j.key))
	return err == nil
}
