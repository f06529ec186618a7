package rocm

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Graph is a list of launches and copies on one device, which Replay puts on the stream in one call. It uses the memory
// that was used when it was captured, at the same addresses, and keeps that memory alive.
type Graph struct {
	device  *Device
	exec    uintptr // what the driver replays
	steps   []func() error
	kernels int
	memory  []*Buffer
}

// capture is a capture under way.
type capture struct {
	mu      sync.Mutex
	memory  map[*Buffer]bool
	kernels int
	steps   []func() error // of an emulated device
	stream  uintptr        // the one that is captured
	thread  int            // the one whose work is captured; 0 for all
}

// Capture records what f launches on the device that is open (the first one if there are several; rocm:0 if none is).
// See Device.Capture.
func Capture(f func()) (*Graph, error) {
	d := firstOpenDevice()
	if d == nil {
		var err error
		if d, err = Open("rocm"); err != nil {
			return nil, err
		}
	}
	return d.Capture(f)
}

func firstOpenDevice() *Device {
	if list := openDevices(); len(list) > 0 {
		return list[0]
	}
	return nil
}

// Capture records what f launches and copies on the device, by any goroutine, without executing it: results have no
// values before the first Replay. In f, waiting for the device and transfers between it and the host are errors. Run f
// once before, so that its kernels are loaded. Convolutions and pools are computed by gorocm's kernels, not by a
// library; so are products where the library was not used before. If f panics, so does Capture, and the device
// continues as before.
func (d *Device) Capture(f func()) (*Graph, error) {
	d.capturing.Lock()
	defer d.capturing.Unlock()
	return captureOn(d, &capture{memory: map[*Buffer]bool{}, stream: d.stream}, f)
}

// captureOn captures what f does on the capture's stream.
func captureOn(d *Device, c *capture, f func()) (*Graph, error) {
	if err := d.launchDeferred(true); err != nil {
		return nil, err
	}
	if drv := d.drv; !d.Emulated() && (drv.BeginCapture == nil || drv.EndCapture == nil ||
		drv.GraphInstantiate == nil || drv.GraphLaunch == nil || drv.GraphDestroy == nil ||
		drv.GraphExecDestroy == nil) {
		return nil, &Error{Op: "capture", Text: "the driver has no graphs", Kind: ErrUnsupported}
	}
	if err := d.counters.allocate(d); err != nil { // they cannot be made in a capture
		return nil, err
	}
	if !d.Emulated() {
		// hipStreamCaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED: memory may be allocated and kernels loaded
		// meanwhile
		const relaxed = 2
		if err := d.call("BeginCapture",
			func() driver.Code { return d.drv.BeginCapture(c.stream, relaxed) }); err != nil {
			return nil, err
		}
	}
	d.capture.Store(c)
	var graph uintptr
	var err error
	end := func() {
		d.capture.Store(nil)
		if !d.Emulated() {
			err = d.call("EndCapture", func() driver.Code { return d.drv.EndCapture(c.stream, &graph) })
		}
	}
	finished := false
	defer func() {
		if !finished { // f panics
			end()
			destroyGraph(d, graph)
		}
	}()
	f()
	finished = true
	end()
	defer destroyGraph(d, graph)
	if err != nil {
		return nil, err
	}
	g := &Graph{device: d, kernels: c.kernels, steps: c.steps}
	for b := range c.memory {
		g.memory = append(g.memory, b)
	}
	if d.Emulated() {
		return g, nil
	}
	if err := d.call("GraphInstantiate",
		func() driver.Code { return d.drv.GraphInstantiate(&g.exec, graph, 0) }); err != nil {
		return nil, err
	}
	exec := g.exec
	runtime.AddCleanup(g, func(exec uintptr) {
		// a cleanup returns no error
		_ = d.call("GraphExecDestroy", func() driver.Code { return d.drv.GraphExecDestroy(exec) })
	}, exec)
	return g, nil
}

// destroyGraph destroys the driver's graph. What was instantiated from it stays.
func destroyGraph(d *Device, graph uintptr) {
	if graph != 0 {
		_ = d.call("GraphDestroy", func() driver.Code { return d.drv.GraphDestroy(graph) }) // it is not needed any more
	}
}

// Launches is the number of kernels in the graph.
func (g *Graph) Launches() int { return g.kernels }

// String describes the graph.
func (g *Graph) String() string {
	return fmt.Sprintf("graph of %s on %v", plural(g.kernels, "kernel"), g.device)
}

// Replay puts the graph on its device's stream. It does not wait. It is an error, of kind ErrInvalid, when memory of
// the graph was freed.
func (g *Graph) Replay() error {
	d := g.device
	if d.recording() != nil {
		return invalid("replay", "a capture is under way on %v", d)
	}
	if slices.ContainsFunc(g.memory, (*Buffer).freed) {
		return invalid("replay", "memory that the graph uses was freed")
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

// recordLaunch adds a launch to the capture under way. It reports whether the launch is done with: on a GPU, the driver
// captures it.
func recordLaunch(d *Device, f *Function, grid, block [3]int, shared int, args *Args) bool {
	c := d.recording()
	if c == nil {
		return false
	}
	c.add(args.buffers...)
	if !d.Emulated() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	own := NewArgs()
	own.data = slices.Clone(args.data) // the caller may reuse args; the graph keeps the buffers alive
	c.steps = append(c.steps, func() error { return d.Launch(f, grid, block, shared, own) })
	return true
}

// add counts a kernel, or a product of a library, and keeps its memory.
func (c *capture) add(memory ...*Buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kernels++
	for _, b := range memory {
		c.memory[b] = true
	}
}

// recordCopy is recordLaunch for a copy on the device.
func recordCopy(d *Device, dst *Buffer, off int, src *Buffer, srcOff, n int) bool {
	c := d.recording()
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory[dst], c.memory[src] = true, true
	if !d.Emulated() {
		return false
	}
	c.steps = append(c.steps, func() error { return dst.CopyFrom(off, src, srcOff, n) })
	return true
}

// notCapturing fails during a capture, for work that cannot be captured.
func (d *Device) notCapturing(what string) error {
	if d.recording() == nil {
		return nil
	}
	return &Error{Op: what, Text: "a capture is under way, which can record launches only", Kind: ErrInvalid,
		Detail: "make operands before it, and look at results after Replay"}
}
