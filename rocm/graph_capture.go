package rocm

import (
	"runtime"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Recording is a capture under way.
type Recording struct {
	device *Device
	stream uintptr // the one that is captured
	thread int     // the one whose work is captured; 0 for all
	caller int     // the thread that called Capture; 0 where threads cannot be told apart

	compared bool // several captures are: see CaptureStep

	mu      sync.Mutex
	memory  map[*Buffer]string // with the first kernel that uses it
	used    []*Buffer          // the keys of memory, in order
	modules []*Module
	kernels int
	trace   []traced
	steps   []func() error // of an emulated device
	own     ownMemory
	values  map[any]any // of Kept
	*hooks
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
// values before the first Replay. In f, waiting for the device, transfers between it and the host, and launches on
// other devices are errors. Run f once before, so that its kernels are loaded. Convolutions and pools are computed by
// gorocm's kernels, not by a library; so are products where the library was not used before. If f panics, so does
// Capture, and the device continues as before. A capture in f is an error with the kind ErrInvalid; one of another
// goroutine waits for the end of this one.
//
// A replay reads its inputs where the capture has read them: copy other elements into place, with CopySet of tensors or
// CopyFrom of buffers. Numbers that f passes to kernels are those of the capture, except for the random numbers of a
// device and for the optimizers of nn, which go on from replay to replay.
func (d *Device) Capture(f func()) (*Graph, error) {
	runtime.LockOSThread() // the thread says who launches
	defer runtime.UnlockOSThread()
	if err := beginCapturing(d); err != nil {
		return nil, err
	}
	defer d.capturing.Unlock()
	return captureOn(d, newRecording(d, d.stream, 0), f)
}

// beginCapturing waits for the captures of other goroutines, and refuses one in the function of another, which would
// wait for itself.
func beginCapturing(d *Device) error {
	if c := d.capture.Load(); c != nil && c.caller != 0 && c.caller == threadID() {
		return &Error{Op: "capture", Kind: ErrInvalid, Text: "a capture is under way on " + d.String() + " already",
			Detail: "its function cannot capture another graph: capture one after the other, and replay both"}
	}
	d.capturing.Lock()
	return nil
}

func newRecording(d *Device, stream uintptr, thread int) *Recording {
	return &Recording{device: d, stream: stream, thread: thread, caller: threadID(), memory: map[*Buffer]string{},
		own: ownMemory{unused: map[int][]*Buffer{}}, hooks: &hooks{}}
}

// hasGraphs says whether the driver can capture.
func hasGraphs(d *Device) error {
	if drv := d.drv; !d.Emulated() && (drv.BeginCapture == nil || drv.EndCapture == nil ||
		drv.GraphInstantiate == nil || drv.GraphLaunch == nil || drv.GraphDestroy == nil ||
		drv.GraphExecDestroy == nil) {
		return &Error{Op: "capture", Text: "the driver has no graphs", Kind: ErrUnsupported}
	}
	return nil
}

// captureOn captures what f does on the recording's stream.
func captureOn(d *Device, c *Recording, f func()) (g *Graph, err error) {
	if err := d.launchDeferred(true); err != nil {
		return nil, err
	}
	if err := hasGraphs(d); err != nil {
		return nil, err
	}
	if err := d.counters.allocate(d); err != nil { // they cannot be made in a capture
		return nil, err
	}
	if err := c.begin(); err != nil {
		return nil, err
	}
	var graph uintptr
	finished := false
	defer func() {
		if !finished { // f panics
			graph, _ = c.end()
		}
		destroyGraph(d, graph)
		if g == nil {
			c.abandon()
		}
	}()
	f()
	late := d.deferred.flush(true)
	finished = true
	if graph, err = c.end(); err == nil {
		err = late
	}
	if err != nil {
		return nil, err
	}
	return c.instantiate(graph)
}

// begin begins the capture.
func (c *Recording) begin() error {
	d := c.device
	if !d.Emulated() {
		// hipStreamCaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED: memory may be allocated and kernels loaded
		// meanwhile
		const relaxed = 2
		if err := d.call("BeginCapture",
			func() driver.Code { return d.drv.BeginCapture(c.stream, relaxed) }); err != nil {
			return err
		}
	}
	captures.Add(1)
	d.capture.Store(c)
	return nil
}

// end ends the capture and returns the driver's graph, 0 for an emulated device.
func (c *Recording) end() (graph uintptr, err error) {
	d := c.device
	d.capture.Store(nil)
	captures.Add(-1)
	if !d.Emulated() {
		err = d.call("EndCapture", func() driver.Code { return d.drv.EndCapture(c.stream, &graph) })
	}
	return graph, err
}

// instantiate returns the graph of what was captured.
func (c *Recording) instantiate(graph uintptr) (*Graph, error) {
	d := c.device
	g := &Graph{device: d, kernels: c.kernels, steps: c.steps, trace: c.trace, own: c.own.list, hooks: c.hooks}
	for _, b := range c.used {
		if c.own.number(b.holder) < 0 && c.own.number(b) < 0 {
			g.outside = append(g.outside, usedMemory{b, c.memory[b]})
		}
	}
	if d.Emulated() {
		runtime.AddCleanup(g, (*hooks).release, g.hooks)
		return g, nil
	}
	if err := d.call("GraphInstantiate",
		func() driver.Code { return d.drv.GraphInstantiate(&g.exec, graph, 0) }); err != nil {
		return nil, err
	}
	hooks, exec := g.hooks, g.exec
	g.destroy = runtime.AddCleanup(g, func(exec uintptr) {
		destroyExec(d, exec)
		hooks.release()
	}, exec)
	return g, nil
}

// abandon gives the memory of a capture back that became no graph. Its results have no values, so that using them is
// an error.
func (c *Recording) abandon() {
	for _, b := range c.own.list {
		b.Free()
	}
	c.hooks.release()
}

// recordLaunch adds a launch to the capture under way. It reports whether the launch is done with: on a GPU, the driver
// captures it.
func recordLaunch(d *Device, f *Function, grid, block [3]int, shared int, args *Args) bool {
	c := d.recording()
	if c == nil {
		return false
	}
	c.add(f.name, args.buffers...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepModule(f.module)
	c.traceLaunch(f, grid, block, shared, args)
	if !d.Emulated() {
		return false
	}
	own := NewArgs()
	own.data = slices.Clone(args.data) // the caller may reuse args; the graph keeps the buffers alive
	c.steps = append(c.steps, func() error {
		err := d.Launch(f, grid, block, shared, own)
		if err == nil {
			d.launches.Add(^uint64(0)) // as on a GPU, replayed launches are not counted
		}
		return err
	})
	return true
}

// add counts a kernel, or work of a library, and keeps its memory.
func (c *Recording) add(name string, memory ...*Buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kernels++
	c.keep(name, memory...)
}

// keep keeps memory alive as long as the graph. The caller holds the mutex.
func (c *Recording) keep(name string, memory ...*Buffer) {
	for _, b := range memory {
		if _, ok := c.memory[b]; !ok {
			c.memory[b] = name
			c.used = append(c.used, b)
		}
	}
}

// keepModule keeps a module loaded as long as the graph. The caller holds the mutex.
func (c *Recording) keepModule(m *Module) {
	if slices.Contains(c.modules, m) {
		return
	}
	c.modules = append(c.modules, m)
	m.graphs.Add(1)
	c.after = append(c.after, func() { m.graphs.Add(-1) })
}

// addLibrary is add for work of a library, whose launches only the driver sees.
func (c *Recording) addLibrary(name string, memory ...*Buffer) {
	c.add(name, memory...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trace = append(c.trace, traced{kernel: name, memory: c.places(memory)})
}

// recordCopy is recordLaunch for a copy on the device.
func recordCopy(d *Device, dst *Buffer, off int, src *Buffer, srcOff, n int) bool {
	c := d.recording()
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep("a copy", dst, src)
	c.trace = append(c.trace, traced{kernel: "a copy", memory: c.places([]*Buffer{dst, src}),
		numbers: appendNumbers(nil, off, srcOff, n)})
	if !d.Emulated() {
		return false
	}
	to, from := dst.Ptr()+uintptr(off), src.Ptr()+uintptr(srcOff)
	c.steps = append(c.steps, func() error {
		return d.call("Copy", func() driver.Code { return d.drv.Copy(to, from, uintptr(n), d.stream) })
	})
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
