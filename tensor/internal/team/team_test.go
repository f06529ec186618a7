package team

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

func setProcs(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// TestRunCovers counts how often each unit is done, and in how many parts.
func TestRunCovers(t *testing.T) {
	setProcs(t, 4)
	for _, c := range []struct{ n, each, least, most int }{
		{0, 1, 1, 1}, {1, 1 << 30, 1, 1}, {1 << 14, 1, 1, 1}, {1<<15 - 1, 1, 1, 1}, // one core
		{1 << 15, 1, 8, 8},           // two cores; parts of a quarter of a grain
		{3, Grain, 3, 3},             // no more parts than units
		{1 << 20, 1, 32, 32},         // all cores, eight parts each
		{1000, Grain, 32, 32},        // work is n times each
		{31, 1 << 20, 31, 31},        // fewer units than parts
		{1 << 16, -1, 4 * 4, 4 * 4},  // each is at least 1
		{1<<16 + 12345, 1, 16, 1000}, // sizes that parts do not divide
	} {
		var team Team
		done := make([]atomic.Int32, c.n)
		parts := atomic.Int32{}
		team.Run(c.n, c.each, func(lo, hi int) {
			parts.Add(1)
			for i := lo; i < hi; i++ {
				done[i].Add(1)
			}
		})
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Fatalf("Run(%d, %d): unit %d was done %d times", c.n, c.each, i, n)
			}
		}
		if p := int(parts.Load()); p < c.least || p > c.most {
			t.Errorf("Run(%d, %d): %d parts, want %d to %d", c.n, c.each, p, c.least, c.most)
		}
		if small := c.n*max(c.each, 1) < 2*Grain || c.n < 2; small == (team.regions.Load() > 0) {
			t.Errorf("Run(%d, %d): %d regions were open to helpers", c.n, c.each, team.regions.Load())
		}
	}
}

// all runs a region whose parts wait for one another, so that it needs so many goroutines at once.
func all(t *testing.T, team *Team, cores int) {
	t.Helper()
	var began sync.WaitGroup
	began.Add(cores)
	finished := make(chan struct{})
	go func() {
		select {
		case <-finished:
		case <-time.After(time.Minute):
			panic("a helper was not woken")
		}
	}()
	team.run(cores, cores, cores, func(lo, hi int) {
		began.Done()
		began.Wait()
	})
	close(finished)
}

// TestWake has helpers that poll, are about to park, are parked, or have ended. None may miss a region.
func TestWake(t *testing.T) {
	thorough.Slow(t)
	for _, procs := range []int{2, 5, 16} {
		setProcs(t, procs)
		var team Team
		for i := range 300 {
			all(t, &team, procs)
			switch i % 4 {
			case 1:
				time.Sleep(spinTime - 20*time.Microsecond + time.Duration(i)*time.Microsecond)
			case 2:
				time.Sleep(time.Millisecond)
			}
		}
		for i := 1; i < procs; i++ {
			h := &team.helpers[i]
			if h.started.Load() == 0 || h.joined.Load() < 100 {
				t.Errorf("GOMAXPROCS=%d: helper %d was started %d times, joined %d of 300 regions", procs, i,
					h.started.Load(), h.joined.Load())
			}
		}
		if h := &team.helpers[procs]; h.started.Load() > 0 {
			t.Errorf("GOMAXPROCS=%d: helper %d was started", procs, procs)
		}
	}
}

// TestIdle: helpers end when nobody has called for some time, and start again.
func TestIdle(t *testing.T) {
	setProcs(t, 4)
	var team Team
	for range 2 {
		all(t, &team, 4)
		for i := 1; i < 4; i++ {
			for end := time.Now().Add(time.Minute); team.helpers[i].state.Load() != absent; time.Sleep(idleTime / 10) {
				if time.Now().After(end) {
					t.Fatalf("helper %d did not end", i)
				}
			}
		}
	}
	for i := 1; i < 4; i++ {
		if n := team.helpers[i].started.Load(); n != 2 {
			t.Errorf("helper %d was started %d times, want 2", i, n)
		}
	}
}

// TestFewerHelpers: a region for few cores wakes no others.
func TestFewerHelpers(t *testing.T) {
	setProcs(t, 8)
	var team Team
	for range 20 {
		all(t, &team, 3)
	}
	for i := 3; i < 8; i++ {
		if n := team.helpers[i].started.Load(); n != 0 {
			t.Errorf("helper %d was started for regions of 3 cores", i)
		}
	}
}

// gauge has the most goroutines that were in enter to leave at once.
type gauge struct{ now, most atomic.Int32 }

func (g *gauge) enter() {
	n := g.now.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
}

func (g *gauge) leave() { g.now.Add(-1) }

// TestCallers: many callers at once get the right results, and no more than GOMAXPROCS goroutines compute, unless the
// callers alone are more. While a caller begins a region, helpers may be in the middle of one part each.
func TestCallers(t *testing.T) {
	const procs = 6
	setProcs(t, procs)
	for _, callers := range []int{1, 2, 5, 6, 20} {
		var team Team
		var g gauge
		var begun, ended sync.WaitGroup
		begun.Add(callers)
		for range callers {
			ended.Go(func() {
				begun.Done()
				for range 30 {
					units := atomic.Int64{}
					team.run(64, 64, procs, func(lo, hi int) {
						// helpers leave after the part in which a caller came: those parts do not count
						if team.callers.Load() == int32(callers) {
							g.enter()
							for range 50 {
								pause()
							}
							g.leave()
						}
						units.Add(int64(hi - lo))
					})
					if n := units.Load(); n != 64 {
						t.Errorf("%d callers: %d units of 64", callers, n)
					}
				}
			})
		}
		ended.Wait()
		if n := team.callers.Load(); n != 0 {
			t.Errorf("%d callers have not left", n)
		}
		// between the load and enter a helper of the last caller's arrival may still be in its part
		if limit := int32(max(procs, callers) + procs - 1); g.most.Load() > limit {
			t.Errorf("%d callers: %d goroutines at once, at most %d", callers, g.most.Load(), limit)
		}
	}
}

// TestAdmits has the bound itself: callers and the helpers that may work are GOMAXPROCS in all.
func TestAdmits(t *testing.T) {
	var team Team
	team.procs.Store(6)
	for callers, want := range []int{5, 5, 4, 3, 2, 1, 0, 0} {
		team.callers.Store(int32(callers))
		helpers := 0
		for i := 1; i < 20; i++ {
			if team.admits(i) {
				helpers++
			}
		}
		if helpers != want {
			t.Errorf("%d callers: %d helpers are admitted, want %d", callers, helpers, want)
		}
	}
}

// TestNested: regions within parts count no callers and no goroutines beside those of the team.
func TestNested(t *testing.T) {
	const procs = 4
	setProcs(t, procs)
	var team Team
	var g gauge
	units, callers := atomic.Int64{}, atomic.Int32{}
	for range 50 {
		team.run(16, 16, procs, func(lo, hi int) {
			team.run(8, 8, procs, func(lo, hi int) {
				g.enter()
				defer g.leave()
				if n := team.callers.Load(); n > callers.Load() {
					callers.Store(n)
				}
				units.Add(int64(hi - lo))
			})
		})
	}
	if n := units.Load(); n != 50*16*8 {
		t.Errorf("%d units, want %d", n, 50*16*8)
	}
	if g.most.Load() > procs || callers.Load() != 1 {
		t.Errorf("%d goroutines computed at once, and %d callers counted: want at most %d, and 1", g.most.Load(),
			callers.Load(), procs)
	}
}

// TestProcs: GOMAXPROCS counts as it is when a region begins.
func TestProcs(t *testing.T) {
	var team Team
	for _, procs := range []int{6, 2, 1, 3} {
		setProcs(t, procs)
		var g gauge
		team.Run(1000, Grain, func(lo, hi int) {
			g.enter()
			defer g.leave()
			time.Sleep(10 * time.Microsecond)
		})
		if g.most.Load() > int32(procs) {
			t.Errorf("GOMAXPROCS=%d: %d goroutines at once", procs, g.most.Load())
		}
	}
}

// TestPanic: a caller that recovers from a panic of its function leaves a team that works.
func TestPanic(t *testing.T) {
	setProcs(t, 2)
	var team Team
	main := scope.Goroutine()
	for range 20 {
		func() {
			panics := make(chan struct{})
			defer func() {
				if recover() != "part" {
					t.Error("the panic did not reach the caller")
				}
			}()
			team.run(8, 8, 2, func(lo, hi int) {
				if scope.Goroutine() == main {
					close(panics)
					panic("part")
				}
				<-panics
			})
		}()
	}
	if n := team.callers.Load(); n != 0 {
		t.Errorf("%d callers have not left", n)
	}
	all(t, &team, 2)
}

// TestPause: helpers sleep during Pause, and work after it.
func TestPause(t *testing.T) {
	setProcs(t, 3)
	all(t, &shared, 3)
	Pause(func() {
		for i := 1; i < 3; i++ {
			for end := time.Now().Add(time.Minute); shared.helpers[i].state.Load() == awake; runtime.Gosched() {
				if time.Now().After(end) {
					t.Fatalf("helper %d does not park", i)
				}
			}
		}
	})
	all(t, &shared, 3)
}

// TestAllocations: a region allocates nothing.
func TestAllocations(t *testing.T) {
	setProcs(t, 2)
	var team Team
	f := func(lo, hi int) {}
	if n := testing.AllocsPerRun(200, func() { team.Run(1<<16, 1, f) }); n >= 1 && !thorough.Race {
		t.Errorf("a region makes %v allocations", n)
	}
}
