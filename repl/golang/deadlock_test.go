package golang

import (
	"context"
	"io"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/run"
)

func init() {
	run.AsleepAfter = time.Hour // the tests of interrupts have cells that wait for nothing
}

// soonAsleep has cells watched closely.
func soonAsleep(t *testing.T) {
	t.Helper()
	after, most := run.AsleepAfter, run.AsleepMost
	run.AsleepAfter, run.AsleepMost = time.Millisecond, 10*time.Millisecond
	t.Cleanup(func() { run.AsleepAfter, run.AsleepMost = after, most })
}

// TestDeadlock: a cell that waits for goroutines which all wait ends, and tells where each does.
func TestDeadlock(t *testing.T) {
	thorough.Slow(t)
	soonAsleep(t)
	for _, tt := range thorough.Sample([]struct {
		name, code string
		line       int
		notes      []string // in any order, the cell's own first
	}{
		{"send", "c := make(chan int)\nc <- 1", 2, []string{"the cell waits: chan send"}},
		{"receive", "c := make(chan int)\n\nx := 1 + <-c", 3, []string{"the cell waits: chan receive"}},
		{"receive with ok", "c := make(chan int)\nv, ok := <-c\n_, _ = v, ok", 2,
			[]string{"the cell waits: chan receive"}},
		{"nil channel", "var c chan int\n<-c", 2, []string{"the cell waits: chan receive (nil chan)"}},
		{"send to nil", "var c chan int\nc <- 1", 2, []string{"the cell waits: chan send (nil chan)"}},
		{"range", "c := make(chan int, 1)\nc <- 1\nfor v := range c { _ = v }", 3,
			[]string{"the cell waits: chan receive"}},
		{"select", "a, b := make(chan int), make(chan string)\nselect {\ncase <-a:\ncase b <- \"\": }", 2,
			[]string{"the cell waits: select"}},
		{"select of nothing", "select {}", 1, []string{"the cell waits: select (no cases)"}},
		{"mutex", "var mu sync.Mutex\nmu.Lock()\nmu.Lock()", 3, []string{"the cell waits: sync.Mutex.Lock"}},
		{"embedded mutex", "type T struct{ sync.Mutex }\nx := &T{}\nx.Lock()\nx.Lock()", 4,
			[]string{"the cell waits: sync.Mutex.Lock"}},
		{"read lock", "var mu sync.RWMutex\nmu.Lock()\nmu.RLock()", 3, []string{"the cell waits: sync.RWMutex.RLock"}},
		{"wait group", "wg := &sync.WaitGroup{}\nwg.Add(1)\nwg.Wait()", 3,
			[]string{"the cell waits: sync.WaitGroup.Wait"}},
		{"cond", "c := sync.NewCond(&sync.Mutex{})\nc.L.Lock()\nc.Wait()", 3,
			[]string{"the cell waits: sync.Cond.Wait"}},
		{"in a function", "func f(c chan int) int { return <-c }\nf(make(chan int))", 1,
			[]string{"the cell waits: chan receive"}},
		{"in a callback", "sort.Slice(make([]int, 3), func(i, j int) bool {\nselect {}\n})", 2,
			[]string{"the cell waits: select (no cases)"}},
		{"workers", "jobs, done := make(chan int), make(chan int)\nvar wg sync.WaitGroup\nfor range 2 { wg.Go(func() {\nfor range jobs { }\ndone <- 1\n}) }\njobs <- 1\nwg.Wait()", 8,
			[]string{"the cell waits: sync.WaitGroup.Wait",
				"2 goroutines wait: chan receive\ncell[2], line 4, in func literal\n  for range jobs { }"}},
		{"each other's lock", "var a, b sync.Mutex\nready, end := make(chan bool), make(chan bool)\ngo func() {\nb.Lock()\nready <- true\na.Lock()\nend <- true\n}()\na.Lock()\n<-ready\nb.Lock()\n<-end", 11,
			[]string{"the cell waits: sync.Mutex.Lock",
				"a goroutine waits: sync.Mutex.Lock\ncell[2], line 6, in func literal\n  a.Lock()"}},
		{"after a context", "ctx, cancel := context.WithTimeout(context.Background(), time.Hour)\ncancel()\n<-ctx.Done()\nselect {}", 4, []string{"the cell waits: select (no cases)"}},
		{"after a timer", "c := make(chan int)\ntime.AfterFunc(1, func() { c <- 1 })\n<-c\n<-c", 4,
			[]string{"the cell waits: chan receive"}},
		{"after a ticker", "t := time.NewTicker(1)\n<-t.C\nt.Stop()\nc := make(chan int)\n<-c", 5,
			[]string{"the cell waits: chan receive"}},
	}, 2, 0) {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := newEngine(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f := e.Eval(ctx, 2, tt.code).Failure
			if f == nil || f.Name != "Deadlock" || f.Message != "all goroutines are asleep - deadlock!" {
				t.Fatalf("%+v", f)
			}
			if len(f.Frames) == 0 || f.Frames[0].Cell != "cell[2]" || f.Frames[0].Line != tt.line {
				t.Errorf("at %+v, want line %d", f.Frames, tt.line)
			}
			got := strings.Join(f.Notes, "\n")
			if !strings.HasPrefix(got, tt.notes[0]) {
				t.Errorf("notes %q", f.Notes)
			}
			for _, n := range tt.notes[1:] {
				if !strings.Contains(got, n) {
					t.Errorf("notes\n%s\nwant\n%s", got, n)
				}
			}
			if got := value(t, e, "6 * 7"); got != "42 int" {
				t.Error("afterwards", got)
			}
		})
	}
}

// TestDeadlockOfMany: thousands of goroutines that wait at one place are one note.
func TestDeadlockOfMany(t *testing.T) {
	thorough.Slow(t)
	soonAsleep(t)
	n := 2000
	if thorough.On() {
		n = 10_000
	}
	e, _ := newEngine(t)
	runCell(t, e, 1, "c, mu := make(chan int), &sync.Mutex{}\nvar all sync.WaitGroup")
	f := e.Eval(t.Context(), 2, "for range "+strconv.Itoa(n)+" {\nall.Go(func() { <-c }) }\nmu.Lock()\nall.Go(func() { mu.Lock() })\nselect {}").Failure
	want := []string{"the cell waits: select (no cases)", // beside goroutines that other tests have left
		strconv.Itoa(n) + " goroutines wait: chan receive\ncell[2], line 2, in func literal\n  all.Go(func() { <-c }) }",
		"a goroutine waits: sync.Mutex.Lock\ncell[2], line 4, in func literal\n  all.Go(func() { mu.Lock() })"}
	if f == nil || f.Name != "Deadlock" {
		t.Fatalf("%+v", f)
	}
	for _, w := range want {
		if !slices.Contains(f.Notes, w) {
			t.Errorf("%q lacks %q", f.Notes, w)
		}
	}
	runCell(t, e, 3, "close(c)\nmu.Unlock()\nall.Wait()") // other tests look at all goroutines
}

// TestDeadlockBesideOthers: what waits in another session of the process, or since before %reset, has no place in this
// one, whatever stands there.
func TestDeadlockBesideOthers(t *testing.T) {
	soonAsleep(t)
	const wait = "c := make(chan int)\ngo func() {\n<-c }()\ngo func() {\nselect { case <-c: case <-(chan int)(nil): } }()"
	before, _ := newEngine(t)
	runCell(t, before, 1, wait)
	e, _ := newEngine(t)
	f := e.Eval(t.Context(), 1, wait+"\nselect {}").Failure
	if f == nil || f.Name != "Deadlock" {
		t.Fatalf("%+v", f)
	}
	got := strings.Join(f.Notes, "\n")
	for _, w := range []string{"a goroutine waits: chan receive\ncell[1], line 3, in func literal\n  <-c }()",
		"a goroutine waits: select\ncell[1], line 5",
		"chan receive\nin code from before %reset", "select\nin code from before %reset"} { // and what other tests have left
		if !strings.Contains(got, w) {
			t.Errorf("%s\nlacks %q", got, w)
		}
	}
	runCell(t, before, 2, "close(c)") // other tests look at all goroutines
	runCell(t, e, 2, "close(c)")
}

// TestDeadlockProfiled: the goroutine that writes a profile wakes no other.
func TestDeadlockProfiled(t *testing.T) {
	soonAsleep(t)
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Skip(err) // by go test -cpuprofile
	}
	defer pprof.StopCPUProfile()
	e, _ := newEngine(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if f := e.Eval(ctx, 1, "<-make(chan int)").Failure; f == nil || f.Name != "Deadlock" {
		t.Fatalf("%+v", f)
	}
}

// TestNoDeadlock: a cell that something will wake goes on, however long nothing moves.
func TestNoDeadlock(t *testing.T) {
	thorough.Slow(t)
	soonAsleep(t)
	const wait = "100*time.Millisecond"
	for _, tt := range thorough.Sample([]struct{ name, code string }{
		{"sleep", "time.Sleep(" + wait + ")"},
		{"after", "<-time.After(" + wait + ")"},
		{"timer", "t := time.NewTimer(" + wait + ")\nselect { case <-t.C: case <-make(chan int): }"},
		{"timer that is started again", "t := time.NewTimer(time.Hour)\nt.Stop()\nt.Reset(" + wait +
			")\nv, ok := <-t.C\n_, _ = v, ok"},
		{"ticker", "for range time.NewTicker(" + wait + ").C { break }"},
		{"function of a timer", "c := make(chan int)\ntime.AfterFunc(" + wait + ", func() { c <- 1 })\n<-c"},
		{"function of a timer that is started again",
			"c := make(chan int)\nt := time.AfterFunc(time.Hour, func() { c <- 1 })\nt.Stop()\nt.Reset(" + wait +
				")\n<-c"},
		{"deadline", "ctx, cancel := context.WithTimeout(context.Background(), " + wait +
			")\ndefer cancel()\n<-ctx.Done()"},
		{"child of a deadline", "ctx, cancel := context.WithDeadlineCause(context.Background(), time.Now().Add(" +
			wait + "), io.EOF)\ndefer cancel()\nsub, end := context.WithCancel(ctx)\ndefer end()\nselect { case <-sub.Done(): }"},
		{"goroutine that sleeps", "c := make(chan int)\ngo func() { time.Sleep(" + wait + "); c <- 1 }()\n<-c"},
		{"goroutine that computes", "var wg sync.WaitGroup\nwg.Go(func() { for t := time.Now(); time.Since(t) < " +
			wait + "; { } })\nwg.Wait()"},
		{"goroutine of an earlier cell", "<-late"},
		{"lock", "var mu sync.Mutex\nmu.Lock()\ngo func() { time.Sleep(" + wait + "); mu.Unlock() }()\nmu.Lock()"},
		{"program", "c := make(chan error)\ngo func() { c <- exec.Command(\"sleep\", \"0.1\").Run() }()\n<-c"},
		{"network", "ln, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")\nc := make(chan int)\ngo func() { x, _ := ln.Accept(); x.Close(); c <- 1 }()\ntime.AfterFunc(" + wait + ", func() { net.Dial(\"tcp\", ln.Addr().String()) })\n<-c"},
		{"compiled goroutine", "c := make(chan int)\ns := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c <- 1 }))\ndefer s.Close()\ntime.AfterFunc(" + wait + ", func() { http.Get(s.URL) })\n<-c"},
		{"signal", "c := make(chan os.Signal, 1)\nsignal.Notify(c, syscall.SIGUSR1)\ngo func() { exec.Command(\"sh\", \"-c\", \"sleep 0.1; kill -USR1 \"+strconv.Itoa(os.Getpid())).Run() }()\n<-c"},
		{"compiled wait with a timer", "c := make(chan int)\ngo func() { (&http.Server{}).Shutdown(context.Background()); time.Sleep(" + wait + "); close(c) }()\n<-c"},
		{"coroutine", "next, stop := iter.Pull(func(yield func(int) bool) { time.Sleep(" + wait +
			"); yield(1) })\ndefer stop()\nnext()"},
	}, 3, 0) {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := newEngine(t)
			runCell(t, e, 1, "late := make(chan int)\ngo func() { time.Sleep(200*time.Millisecond); late <- 1 }()")
			runCell(t, e, 2, tt.code)
		})
	}
}

// TestWakes: what the front end may wake is not asleep.
func TestWakes(t *testing.T) {
	soonAsleep(t)
	asked := make(chan bool, 1)
	e, err := New(Options{Wakes: func() bool {
		select {
		case asked <- true:
		default:
		}
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		<-asked
		cancel()
	}()
	if f := e.Eval(ctx, 2, "select {}").Failure; f == nil || f.Name != "Interrupted" {
		t.Errorf("%+v", f)
	}
}
