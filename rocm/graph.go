package rocm

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Graph is a list of launches and copies on one device, which Replay puts on the stream in one call. Memory that was
// allocated in its capture belongs to the graph: later launches of the graph reuse what earlier ones have freed, and
// nobody else gets it before Free. The graph keeps other memory that it uses alive.
type Graph struct {
	device  *Device
	exec    uintptr // what the driver replays
	destroy runtime.Cleanup
	trace   []traced
	kernels int
	outside []usedMemory // memory that was there before the capture
	own     []*Buffer    // memory of the capture
	*hooks

	mu    sync.Mutex
	freed bool
	steps []func() error // of an emulated device
}

// usedMemory is memory, and the first kernel that uses it.
type usedMemory struct {
	memory *Buffer
	kernel string
}

// Launches is the number of kernels in the graph.
func (g *Graph) Launches() int { return g.kernels }

// Memory is the number of bytes that the graph keeps for itself: what was in use at the same time during its capture,
// rounded up as allocations are.
func (g *Graph) Memory() (bytes int64) {
	for _, b := range g.own {
		bytes += int64(b.block.class.size)
	}
	return bytes
}

// String describes the graph.
func (g *Graph) String() string {
	return fmt.Sprintf("graph of %s on %v", plural(g.kernels, "kernel"), g.device)
}

// Replay puts the graph on its device's stream. It does not wait. It is an error, of kind ErrInvalid, when memory of
// the graph was freed, or when something changed that the graph cannot follow: see Recording.BeforeReplay.
func (g *Graph) Replay() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	d := g.device
	if err := g.ready(); err != nil {
		return err
	}
	if err := g.prepare(d); err != nil {
		return err
	}
	defer runtime.KeepAlive(g)
	if d.Emulated() {
		for _, step := range g.steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}
	d.lastLaunched.Store(&Function{name: g.String()})
	launch := func() driver.Code { return d.drv.GraphLaunch(g.exec, d.stream) }
	if p := d.profiler.Load(); p != nil {
		untimed := launch
		launch = func() driver.Code { return timeLaunch(d, p, timedLaunch{kernel: g.String()}, untimed) }
	}
	if err := d.call("GraphLaunch", d.timer.measured(d, launch)); err != nil {
		return err
	}
	return d.synchronous(g.String())
}

// ready says why the graph cannot be replayed.
func (g *Graph) ready() error {
	if g.device.recording() != nil {
		return invalid("replay", "a capture is under way on %v", g.device)
	}
	if g.freed {
		return invalid("replay", "the graph was freed")
	}
	i := slices.IndexFunc(g.outside, func(u usedMemory) bool { return u.memory.freed() })
	if i < 0 {
		return nil
	}
	u := g.outside[i]
	return &Error{Op: "replay", Kind: ErrInvalid, Text: "memory that the graph uses was freed",
		Detail: fmt.Sprintf("%s reads or writes %s of it: capture again after memory was replaced", u.kernel,
			byteText(int64(u.memory.n)))}
}

// Free frees the graph and its memory at once, and not when both are collected. Results of the graph are freed with
// it. Replays that are on the stream already may still use it. Free may be called more than once.
func (g *Graph) Free() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.freed {
		return
	}
	g.freed, g.steps = true, nil
	for _, b := range g.own {
		b.Free()
	}
	if g.exec != 0 {
		g.destroy.Stop()
		destroyExec(g.device, g.exec)
	}
	g.hooks.release()
}

// destroyExec destroys what the driver replays.
func destroyExec(d *Device, exec uintptr) {
	_ = d.call("GraphExecDestroy", func() driver.Code { return d.drv.GraphExecDestroy(exec) }) // nobody needs it
}

// destroyGraph destroys the driver's graph. What was instantiated from it stays.
func destroyGraph(d *Device, graph uintptr) {
	if graph != 0 {
		_ = d.call("GraphDestroy", func() driver.Code { return d.drv.GraphDestroy(graph) }) // it is not needed any more
	}
}
