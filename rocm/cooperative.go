package rocm

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// gridBarrier is the variable by which the blocks of a grid wait for one another (internal/compile/hip/groups.h).
const gridBarrier = "gorocm_grid_barrier"

// MaxCooperativeBlocks returns how many blocks of block threads each, with shared bytes of dynamic shared memory, the
// device can run at the same time: the largest grid of LaunchCooperative. It depends on the registers and the shared
// memory that the kernel uses. Device nil is the one that Device returns.
func (k *Kernel) MaxCooperativeBlocks(d *Device, block [3]int, shared int) (int, error) {
	d, err := k.deviceOr(d)
	if err != nil {
		return 0, err
	}
	f, err := k.functionOn(d)
	if err != nil {
		return 0, err
	}
	return residentBlocks(d, f, block, shared)
}

func residentBlocks(d *Device, f *Function, block [3]int, shared int) (int, error) {
	if d.drv.MaxResidentBlocks == nil {
		return 0, lacks(d, "cooperative launch of "+f.name, "MaxResidentBlocks")
	}
	threads := int32(block[0]*block[1]*block[2] + f.extraThreads)
	var each int32
	err := d.call("MaxResidentBlocks", func() driver.Code {
		return d.drv.MaxResidentBlocks(&each, f.handle, threads, uintptr(shared+f.extraShared))
	})
	if d.Emulated() {
		return int(each), err
	}
	return int(each) * d.info.Multiprocessors, err
}

// LaunchCooperative is LaunchGrid of blocks that all run at the same time, so that they can wait for one another:
//
//	#include <hip/hip_cooperative_groups.h>
//	…
//	cooperative_groups::this_grid().sync();  // all blocks have come here, and see what the others have written
//
// A grid of more blocks than MaxCooperativeBlocks is an error of kind ErrInvalid that says how many there may be. It
// cannot be captured. The kind is ErrUnsupported where the driver or the GPU has no cooperative launches.
func (k *Kernel) LaunchCooperative(grid, block [3]int, shared int, args ...any) error {
	if err := k.someBlocks(grid); err != nil {
		return err
	}
	packed, starts, d, err := k.pack(args)
	if err != nil {
		return err
	}
	f, err := k.functionOn(d)
	if err != nil {
		return err
	}
	return f.launchCooperative(grid, block, shared, packed, starts)
}

// MaxCooperativeBlocks is that of Kernel, for blocks of block threads without dynamic shared memory on the function's
// device.
func (f *Function) MaxCooperativeBlocks(block [3]int) (int, error) {
	return residentBlocks(f.module.device, f, block, 0)
}

// LaunchCooperative is that of Kernel, for a kernel whose one argument is a struct, which args holds.
func (f *Function) LaunchCooperative(grid, block [3]int, args *Args) error {
	return f.launchCooperative(grid, block, 0, args, []int{0})
}

func (f *Function) launchCooperative(grid, block [3]int, shared int, packed *Args, starts []int) error {
	op, d := "launch "+f.name, f.module.device
	if err := d.checkLaunch(f, grid, block, shared, packed); err != nil {
		return err
	}
	if err := d.notCapturing(op); err != nil {
		return err
	}
	if err := checkElsewhere(d, f.name); err != nil {
		return err
	}
	if d.drv.LaunchCooperative == nil {
		return lacks(d, op, "LaunchCooperative")
	}
	if d.Checks() != (Checks{}) {
		return &Error{Op: op, Kind: ErrUnsupported, Text: "cooperative launches cannot be checked for races or " +
			"uninitialised memory: switch the checks off"}
	}
	most, err := residentBlocks(d, f, block, shared)
	if err != nil {
		return named(err, f.name)
	}
	switch {
	case grid[0] == 0 || grid[1] == 0 || grid[2] == 0:
		return nil
	case grid[0] > most || grid[1] > most || grid[2] > most || grid[0]*grid[1]*grid[2] > most:
		return invalid(op, "a cooperative launch of grid %v has more blocks than can run at the same time: %v runs %d "+
			"of %d threads: launch fewer, and let each do several parts in a loop", grid, d, most,
			block[0]*block[1]*block[2])
	}
	if err := resetBarrier(f.module); err != nil {
		return err
	}
	return putCooperative(d, f, grid, block, shared, packed, starts)
}

// resetBarrier sets the barrier of a module's grids to 0, if it has one: a launch that was interrupted leaves it
// anywhere.
func resetBarrier(m *Module) error {
	b, err := m.Global(gridBarrier)
	if errors.Is(err, ErrNoKernel) {
		return nil
	}
	if err != nil {
		return err
	}
	return b.Fill(0, 4, 0)
}

func putCooperative(d *Device, f *Function, grid, block [3]int, shared int, args *Args, starts []int) error {
	addresses := make([]unsafe.Pointer, len(starts)+1) // not empty
	for i, at := range starts {
		if at < len(args.data) { // a struct without fields has no bytes
			addresses[i] = unsafe.Pointer(&args.data[at])
		}
	}
	params := &addresses[0]
	if d.Emulated() {
		args.size = uintptr(len(args.data))
		args.extra.Set(args.data, &args.size, d.drv.ExtraEnd)
		params = (*unsafe.Pointer)(unsafe.Pointer(&args.extra))
	}
	var pinner runtime.Pinner // the driver reads addresses that it reads from memory
	defer pinner.Unpin()
	pinner.Pin(&addresses[0])
	if len(args.data) > 0 {
		pinner.Pin(&args.data[0])
	}
	d.lastLaunched.Store(f)
	launch := func() driver.Code {
		return d.drv.LaunchCooperative(f.handle, uint32(grid[0]), uint32(grid[1]), uint32(grid[2]),
			uint32(block[0]+f.extraThreads), uint32(block[1]), uint32(block[2]), uint32(shared+f.extraShared), d.stream,
			params)
	}
	err := callTimed(d, d.profiler.Load(), "LaunchCooperative", describeLaunch(d, f, grid, block), launch)
	runtime.KeepAlive(args)
	var e *Error
	if errors.As(err, &e) && e.Code == int(driver.CodeTooLarge) {
		e.Detail = fmt.Sprintf("grid %v of blocks of %v threads, with %d bytes of dynamic shared memory", grid, block,
			shared)
	}
	if err != nil {
		return named(err, f.name)
	}
	d.launches.Add(1)
	return d.synchronous(f.name)
}
