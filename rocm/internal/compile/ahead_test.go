package compile

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// orderly is a Compiler that writes down what it does, and waits where a test wants it to.
type orderly struct {
	mu    sync.Mutex
	log   []string
	gates map[string]chan struct{} // by source: begins when received from, ends when received from again
}

func (o *orderly) Version() string                  { return "orderly" }
func (o *orderly) Options(string) ([]string, error) { return nil, nil }

func (o *orderly) say(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = append(o.log, fmt.Sprintf(format, args...))
}

func (o *orderly) run(how, source string) ([]byte, error) {
	o.say("%s %s begins", how, source)
	if gate := o.gates[source]; gate != nil {
		gate <- struct{}{}
		gate <- struct{}{}
	}
	o.say("%s %s ends", how, source)
	if source == "bad" {
		return nil, errors.New("bad source")
	}
	return []byte(source), nil
}

func (o *orderly) Compile(_, source string, _ []string) ([]byte, error) {
	return o.run("wanted", source)
}

func (o *orderly) compileAhead(_, source string, _ []string) ([]byte, error) {
	return o.run("ahead", source)
}

// job is a job of the compiler.
func (o *orderly) job(source string) *Job {
	return &Job{source: source, compiler: o, key: cacheKey(source), name: source}
}

// jobs are what StartAhead asks for.
func (o *orderly) jobs(sources ...string) func() *Job {
	return func() *Job {
		if len(sources) == 0 {
			return nil
		}
		j := o.job(sources[0])
		sources = sources[1:]
		return j
	}
}

func aheadTest(t *testing.T) *orderly {
	t.Setenv("GOROCM_CACHE", t.TempDir())
	InChildren.Store(true)
	was := few
	few = true
	t.Cleanup(func() { InChildren.Store(false); few = was })
	return &orderly{gates: map[string]chan struct{}{}}
}

// TestAhead: everything is compiled once, also when one fails, and not again when it is cached.
func TestAhead(t *testing.T) {
	o := aheadTest(t)
	if n, err := StartAhead(o.jobs("a", "bad", "b", "a")).Wait(); n != 2 || err == nil || err.Error() != "bad source" {
		t.Errorf("%d compiled (%v)", n, err)
	}
	if image, ok := o.job("b").Cached(); !ok || string(image) != "b" {
		t.Errorf("the cache has %q", image)
	}
	if n, err := StartAhead(o.jobs("a", "b")).Wait(); n != 0 || err != nil {
		t.Errorf("%d compiled once more (%v)", n, err)
	}
	InChildren.Store(false)
	if n, err := StartAhead(o.jobs("c")).Wait(); n != 0 || err != nil {
		t.Errorf("%d compiled in this process (%v)", n, err)
	}
}

// TestAheadLast: who waits for a compilation has it before any more is compiled ahead of time.
func TestAheadLast(t *testing.T) {
	o := aheadTest(t)
	first, waited := make(chan struct{}), make(chan struct{})
	o.gates["first"], o.gates["waited"] = first, waited
	hold := make(chan struct{}) // until it is closed there is one job
	next := o.jobs("first", "second", "third")
	a := StartAhead(func() *Job {
		j := next()
		if j != nil && j.source == "second" {
			<-hold
		}
		return j
	})
	<-first
	done := make(chan error)
	go func() {
		_, err := o.job("waited").Run("waited")
		done <- err
	}()
	<-waited
	close(hold)
	<-first
	for !slices.Contains(o.written(), "ahead first ends") {
		runtime.Gosched()
	}
	<-waited
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n, err := a.Wait(); n != 3 || err != nil {
		t.Errorf("%d compiled (%v)", n, err)
	}
	log := o.written()
	at := slices.Index(log, "wanted waited ends")
	for _, later := range []string{"ahead second begins", "ahead third begins"} {
		if slices.Index(log, later) < at {
			t.Errorf("%q", log)
		}
	}
}

func (o *orderly) written() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.log)
}

// TestAheadShared: who needs what is being compiled ahead of time waits for that.
func TestAheadShared(t *testing.T) {
	o := aheadTest(t)
	gate := make(chan struct{})
	o.gates["a"] = gate
	a := StartAhead(o.jobs("a"))
	<-gate
	done := make(chan string)
	go func() {
		image, err := o.job("a").Run("a")
		done <- fmt.Sprint(string(image), err)
	}()
	for turnsWaiting() == 0 {
		runtime.Gosched()
	}
	<-gate
	if got := <-done; got != "a<nil>" {
		t.Errorf("got %s", got)
	}
	if n, _ := a.Wait(); n != 1 || len(o.written()) != 2 {
		t.Errorf("%d compiled: %q", n, o.written())
	}
}

func turnsWaiting() int {
	turns.mu.Lock()
	defer turns.mu.Unlock()
	return turns.waiting
}

// TestAheadStops: nothing begins after Stop.
func TestAheadStops(t *testing.T) {
	o := aheadTest(t)
	gate := make(chan struct{})
	o.gates["a"] = gate
	a := StartAhead(o.jobs("a", "a", "a"))
	<-gate
	a.Stop()
	<-gate
	if n, err := a.Wait(); n != 1 || err != nil {
		t.Errorf("%d compiled (%v)", n, err)
	}
}

func TestAheadChild(t *testing.T) {
	thorough.Slow(t)
	childtest.Run(t, "TestAheadInChildren", append(childtest.FakeHIP(t, "../../testdata"), "GOROCM_CACHE="+t.TempDir())...)
}

// TestAheadInChildren: children of the stand-in compiler compile; one that dies costs a message.
func TestAheadInChildren(t *testing.T) {
	childtest.Only(t)
	r, options := fakeRTC(t)
	InChildren.Store(true)
	sources := []string{"void k()", "#abort", "void l()"}
	job := func(source string) *Job {
		return &Job{source: source, compiler: r, options: options, key: cacheKey(source), name: "k.hip"}
	}
	rest := sources
	n, err := StartAhead(func() *Job {
		if len(rest) == 0 {
			return nil
		}
		j := job(rest[0])
		rest = rest[1:]
		return j
	}).Wait()
	if n != 2 || !errors.Is(err, driver.ErrCompile) {
		t.Errorf("%d compiled (%v)", n, err)
	}
	if _, ok := job("void l()").Cached(); !ok {
		t.Error("the cache lacks what was compiled")
	}
}
