package rocm

import (
	"errors"
	"math"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Launch puts a kernel on the device's stream: grid blocks of block threads each, shared bytes of dynamic shared memory
// per block. It does not wait; what goes wrong while the kernel runs is returned by the next call that does. A grid
// with a 0 launches nothing. The emulated device runs the kernel before Launch returns.
func (d *Device) Launch(f *Function, grid, block [3]int, shared int, args *Args) error {
	if args == nil {
		args = NewArgs()
		defer args.Recycle()
	}
	if err := d.checkLaunch(f, grid, block, shared, args); err != nil {
		return err
	}
	if grid[0] == 0 || grid[1] == 0 || grid[2] == 0 {
		return nil
	}
	if err := checkElsewhere(d, f.name); err != nil {
		return err
	}
	if recordLaunch(d, f, grid, block, shared, args) {
		return nil
	}
	args.size = uintptr(len(args.data))
	args.extra.Set(args.data, &args.size, d.drv.ExtraEnd)
	d.lastLaunched.Store(f)
	stream, capturing := d.stream, false
	if c := d.recording(); c != nil {
		stream, capturing = c.stream, true // no timing: events would be captured, too
	}
	var err error
	if p := d.profiler.Load(); !capturing && (p != nil || d.timer.active()) {
		err = launchTimed(d, p, f, grid, block, shared, args)
	} else if capturing || !launchAtOnce(d, f, grid, block, shared, args) {
		err = d.call("Launch", func() driver.Code { return f.put(d.drv, grid, block, shared, stream, args) })
	}
	runtime.KeepAlive(args)
	if err != nil {
		if d.Emulated() {
			d.counters.reset()
		}
		return named(err, f.name)
	}
	if !capturing {
		d.launches.Add(1)
	}
	return d.synchronous(f.name)
}

// Launches returns the number of kernels that Launch has launched on the device since it was opened. Launches of
// replayed graphs and of libraries are not counted. Benchmarks can verify with it that their work was done: operations
// on tensors may be deferred.
func (d *Device) Launches() uint64 { return d.launches.Load() }

// launchAtOnce launches without setting the device, which takes a good part of the time of a launch. It reports false
// where the launch has to be made again with the device set. Only CUDA is known to refuse launches on threads without a
// context. With a second GPU in use, a thread may have the context of that one.
func launchAtOnce(d *Device, f *Function, grid, block [3]int, shared int, args *Args) bool {
	if d.drv.Platform != driver.CUDA || d.drv.SeveralGPUs.Load() || inHostFunc() || d.state.lost.Load() != nil {
		return false
	}
	d.activity.calls.Add(1)
	c := f.put(d.drv, grid, block, shared, d.stream, args)
	d.activity.calls.Add(-1)
	return c == 0
}

// launchTimed is the launch when a timer or a profiler runs. It is a function of its own, since its closures are
// allocations.
func launchTimed(d *Device, p *profiler, f *Function, grid, block [3]int, shared int, args *Args) error {
	launch := func() driver.Code { return f.put(d.drv, grid, block, shared, d.stream, args) }
	return callTimed(d, p, "Launch", describeLaunch(d, f, grid, block), launch)
}

// callTimed makes a call that launches, for the timer and the profiler. p is nil without a profiler.
func callTimed(d *Device, p *profiler, field string, what timedLaunch, launch func() driver.Code) error {
	if p != nil {
		untimed := launch
		launch = func() driver.Code { return timeLaunch(d, p, what, untimed) }
	}
	return d.call(field, d.timer.measured(d, launch))
}

// put makes the call of a launch, with the kernel's launch attributes.
func (f *Function) put(drv *driver.Table, grid, block [3]int, shared int, stream uintptr, args *Args) driver.Code {
	return drv.Launch(f.handle, uint32(grid[0]), uint32(grid[1]), uint32(grid[2]),
		uint32(block[0]+f.extraThreads), uint32(block[1]), uint32(block[2]), uint32(shared+f.extraShared), stream, 0,
		&args.extra)
}

// synchronous waits after a launch when GOROCM_SYNC is set, so that each launch returns its own failure.
func (d *Device) synchronous(kernel string) error {
	if !d.syncLaunches || d.recording() != nil {
		return nil
	}
	if err := d.wait(); err != nil {
		return named(err, kernel)
	}
	return nil
}

// named adds the kernel's name to the call in an error.
func named(err error, kernel string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Op += " " + kernel
	}
	return err
}

func (d *Device) checkLaunch(f *Function, grid, block [3]int, shared int, args *Args) error {
	if args.err != nil {
		var e *Error
		if errors.As(args.err, &e) {
			copied := *e
			copied.Op = "launch " + f.name
			return &copied
		}
		return args.err
	}
	if f.module.device != d {
		return invalid("launch "+f.name, "the kernel was loaded on %v, not on %v", f.module.device, d)
	}
	if err := f.module.check("launch " + f.name); err != nil {
		return err
	}
	for _, b := range args.buffers {
		if b.device != d {
			return invalid("launch "+f.name, "a buffer is on %v, the kernel on %v", b.device, d)
		}
	}
	for i := range 3 {
		if grid[i] < 0 || grid[i] > math.MaxInt32 {
			return invalid("launch "+f.name, "grid %v: each part must be 0 to %d", grid, math.MaxInt32)
		}
		if block[i] < 1 || block[i] > 1024 {
			return invalid("launch "+f.name, "block %v: each part must be 1 to 1024", block)
		}
		if n := uint64(grid[i]) * uint64(block[i]); n > math.MaxUint32 && d.info.Platform != CUDA {
			axis := "xyz"[i : i+1]
			return invalid("launch "+f.name,
				"grid %v of blocks of %v has %d threads in %s, and HIP takes at most %d: launch fewer blocks, "+
					"and let each thread do several elements "+
					"in a loop with the stride gridDim.%s * blockDim.%s", grid, block, n, axis, uint32(math.MaxUint32),
				axis, axis)
		}
	}
	if n := block[0] * block[1] * block[2]; n > 1024 {
		return invalid("launch "+f.name, "block %v has %d threads, more than 1024", block, n)
	}
	if shared < 0 || shared > math.MaxInt32 {
		return invalid("launch "+f.name, "%d bytes of shared memory", shared)
	}
	return nil
}
