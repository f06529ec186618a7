package native

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

const versionsSource = `
func step(n int) int {
	t := 0
	for i := range n { t += len(make([]int, 1+i%%3)) }
	return t*4096 + %[1]d
}
func call(n int) int { return step(n) }
func nested(n int, f func()) int {
	if n == 0 { f(); return %[1]d }
	return nested(n-1, f) + 1
}
func literal() func(int) int {
	k := 0
	return func(n int) int { k += len(make([]int, n)); return k*4096 + %[1]d }
}`

// versions declares functions again and again.
type versions struct {
	p     *Program
	older []Source
	n     int
	now   map[string]Outcome
}

func (v *versions) next(t *testing.T) {
	v.n++
	list := sourcesOf(t, fmt.Sprintf(versionsSource, v.n))
	var units []Unit
	for i, s := range list {
		u := Unit{Source: s, Name: s.Object.Name(), Called: s.Object}
		if v.older != nil {
			u.Older = v.older[i].Object
		}
		units = append(units, u)
	}
	v.now = map[string]Outcome{}
	for i, o := range v.p.Compile(units) {
		if o.Reason != nil {
			t.Fatal(o.Reason)
		}
		v.now[units[i].Name] = o
	}
	v.older = list
}

// TestVersionsAreForgotten declares functions again and again, beside a collector that overwrites what it frees, while
// goroutines run older versions of them: what is known of a version, and the memory of its code, stay as long as
// something can run it, and no longer.
func TestVersionsAreForgotten(t *testing.T) {
	thorough.Slow(t)
	if enter.Unsupported() != "" {
		t.Skip(enter.Unsupported())
	}
	if thorough.Race {
		t.Skip("the race detector does not see generated code load the address of what it then calls")
	}
	if os.Getenv("GOROCM_NATIVE_STRESS") == "" {
		for _, debug := range thorough.Sample([]string{"clobberfree=1", "clobberfree=1,gcstoptheworld=1"}, 2, 0) {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestVersionsAreForgotten$", "-test.v")
			cmd.Env = append(os.Environ(), "GOROCM_NATIVE_STRESS=1s", "GOGC=1", "GODEBUG="+debug)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", debug, err, out[:min(len(out), 6000)])
			}
		}
		return
	}
	v := &versions{p: New(plainType)}
	h := testHost()
	v.p.SetHost(h)
	v.next(t)
	type intOf = func(int) int
	step, call := asWith[intOf](t, v.now, "step", h), asWith[intOf](t, v.now, "call", h)
	nested := asWith[func(int, func()) int](t, v.now, "nested", h)
	first := asWith[func() func(int) int](t, v.now, "literal", h)()
	direct, _ := v.now["step"].Proc.Direct()
	code := map[uintptr]bool{}
	var latest atomic.Int64
	latest.Store(1)
	done := make(chan bool)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for last, i := 0, 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				n := 3 * (1 + i%20)
				f := []intOf{step, call, *(*intOf)(unsafe.Pointer(&direct))}[(i+g)%3]
				got := f(n)
				k := got % 4096 // interpreted code may call the newest version a moment before machine code does
				if got/4096 != 2*n || k < last-1 || k > int(latest.Load()) {
					t.Errorf("step(%d) is %d of version %d, after version %d", n, got/4096, k, last)
					return
				}
				last = k
			}
		})
	}
	times := 100
	if thorough.On() {
		times = 1500
	}
	for i := range times {
		again := func() {
			latest.Add(1)
			v.next(t)
			code[v.now["step"].Proc.Code().thunk] = true
		}
		if again(); i%10 == 0 {
			version := v.n
			got := nested(5, func() {
				again()
				runtime.GC()
				again()
				if i%20 == 0 {
					panicsBelow(t, nested)
				}
			})
			if got%4096 < version {
				t.Errorf("nested is %d of version %d", got, version)
			}
		}
		if got := first(3); got != 3*(i+1)*4096+1 {
			t.Fatalf("the first literal returns %d, %d", got/4096, got%4096)
		}
	}
	close(done)
	wg.Wait()
	for range 3 {
		runtime.GC()
		runtime.Gosched()
		v.next(t)
	}
	if n := len(v.p.versions); n > 40 {
		t.Errorf("%d versions are known, of 4 functions", n)
	}
	if n := len(v.p.foreignList); n > 400 {
		t.Errorf("there are %d foreign calls", n)
	}
	if len(code) > times/2 {
		t.Errorf("the code of %d versions was at %d addresses", times, len(code))
	}
}

// panicsBelow has a panic leave frames of older versions.
func panicsBelow(t *testing.T, nested func(int, func()) int) {
	defer func() {
		if r := recover(); r != "below" {
			t.Errorf("recovered %v", r)
		}
	}()
	nested(3, func() { runtime.GC(); panic("below") })
}
