package rocm

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm/internal/driver"
	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// Platform says what executes kernels.
type Platform string

// The platforms.
const (
	HIP      = Platform(driver.HIP)      // an AMD GPU
	CUDA     = Platform(driver.CUDA)     // an NVIDIA GPU
	Emulated = Platform(driver.Emulated) // the gfx1100 in Go
)

// Info describes a device.
type Info struct {
	Index        int      // from 0
	Name         string   // AMD Radeon RX 7900 XTX
	Arch         string   // what kernels are compiled for: gfx1100, gfx90a:sramecc+:xnack-, sm_90
	Platform     Platform // HIP, CUDA or Emulated
	Wave         int      // threads that run in lockstep: 32 or 64
	ComputeUnits int      // compute units, as data sheets count them, or streaming multiprocessors
	// what the driver counts as multiprocessors, each of which has whole blocks: compute units, or work group
	// processors of two each from the Radeon RX 5000 on, or streaming multiprocessors
	Multiprocessors int
	TotalMemory     int64  // bytes
	Integrated      bool   // an APU: its memory is the host's
	Runtime         string // HIP 6.3.42134, CUDA 12.8, or what the emulator is
	Library         string // path of the driver library, empty for the emulated device
	Note            string // why the device is emulated
}

// infoOf converts the description of a driver.
func infoOf(i driver.Info) Info {
	return Info{
		Index: i.Index, Name: i.Name, Arch: i.Arch, Platform: Platform(i.Platform), Wave: i.Wave,
		ComputeUnits: i.ComputeUnits, Multiprocessors: i.Multiprocessors,
		TotalMemory: i.TotalMemory, Integrated: i.Integrated, Runtime: i.Runtime, Library: i.Library, Note: i.Note,
	}
}

// infosOf is infoOf for several devices.
func infosOf(list []driver.Info) []Info {
	infos := make([]Info, len(list))
	for i, one := range list {
		infos[i] = infoOf(one)
	}
	return infos
}

// Device is one GPU, or the emulated one. Its methods may be called by several goroutines; work is done in the order of
// the calls.
type Device struct {
	drv          *driver.Table
	info         Info
	name         string  // of a further stream; empty for the device's first
	handle       uintptr // what driver.Table.SetCurrent takes
	stream       uintptr
	syncLaunches bool // wait after each launch
	blas         mathlib.BLAS
	blasLt       mathlib.BLASLt
	dnn          mathlib.DNN
	fft          mathlib.FFT
	solver       mathlib.Solver
	sparse       mathlib.Sparse
	pool         pool
	staging      staging
	transfers    transfers
	counters     counters
	peers        sync.Map    // handles of devices whose memory was made reachable
	programs     moduleCache // by Program.Name
	sources      moduleCache // by name and source
	timer        timer
	capturing    sync.Mutex                // held during a capture
	capture      atomic.Pointer[Recording] // the one under way, or nil
	recorder     uintptr                   // the stream of CaptureAlone; 0 before the first
	profiler     atomic.Pointer[profiler]  // nil without a profile
	lastLaunched atomic.Pointer[Function]  // the last kernel launched, for errors that a later call reports
	activity     activity
	launches     atomic.Uint64 // by Launch
	deferred     deferred
	warned       sync.Map // the kernels of warnIfEmpty
	kept         kept
	state        *gpuState             // of its GPU
	hostFailure  atomic.Pointer[Error] // of a function of LaunchHostFunc, for the next call that waits
}

// nonBlocking is a flag of streams: they do not wait for the default stream.
const nonBlocking = 1 // hipStreamNonBlocking, CU_STREAM_NON_BLOCKING

// newDevice creates a device of an initialised driver.
func newDevice(drv *driver.Table, info Info) (*Device, error) {
	return newDeviceOn(drv, info, func(d *Device) error {
		return d.call("StreamCreate", func() driver.Code { return drv.StreamCreate(&d.stream, nonBlocking) })
	})
}

// newDeviceOn is newDevice with the stream that a function creates.
func newDeviceOn(drv *driver.Table, info Info, createStream func(*Device) error) (*Device, error) {
	share, err := memoryShare(info.TotalMemory)
	if err != nil {
		return nil, err
	}
	d := &Device{drv: drv, info: info, handle: uintptr(info.Index), syncLaunches: driver.EnvBool("GOROCM_SYNC"),
		state: gpuStateOf(drv, info.Index)}
	if drv.RetainContext != nil {
		if c := drv.RetainContext(&d.handle, int32(info.Index)); c != 0 {
			return nil, public(drv.Fail("RetainContext", c, ""))
		}
	}
	drv.MarkUsed(info.Index)
	if err := createStream(d); err != nil {
		return nil, err
	}
	d.transfers.maxCopiers, d.transfers.maxChunk = maxCopiers, maxChunk
	d.pool.share = share
	d.pool.init(d.pool.ofShare(info.TotalMemory))
	if info.Platform == Emulated {
		d.pool.giveUnderPressure()
	}
	d.pool.malloc = func(n int) (ptr uintptr, err error) {
		if err := checkIntegrated(info, n); err != nil {
			return 0, err
		}
		err = d.call("Malloc", func() driver.Code { return drv.Malloc(&ptr, uintptr(n)) })
		return ptr, err
	}
	d.pool.free = func(ptr uintptr) error { return d.call("Free", func() driver.Code { return drv.Free(ptr) }) }
	d.pool.synchronize = d.wait
	if d.Emulated() {
		// With exact sizes the emulator finds every access past the end of a buffer.
		d.pool.unusedLimit, d.pool.exactSizes = emulatedUnused, true
		if drv.Emulator != nil && d.Checks().Init {
			keepUnused(d, false)
		}
	}
	return d, nil
}

// emulatedUnused is how many unused bytes the pool of an emulated device keeps for new buffers.
const emulatedUnused = 256 << 20

// call makes a call of the driver: it locks the thread, makes the device current on it and calls f. field is the field
// of the driver table that f calls, for errors. The device is set every time, since another library in the process may
// have set another one. Only launchAtOnce calls the driver without it.
func (d *Device) call(field string, f func() driver.Code) error {
	if inHostFunc() {
		return invalid(d.drv.CName(field), "a host function must not use a device: the stream waits for it")
	}
	if lost := d.state.lost.Load(); lost != nil {
		return lostError(d, field, *lost)
	}
	d.activity.calls.Add(1)
	defer d.activity.calls.Add(-1)
	runtime.LockOSThread()
	c := d.drv.SetCurrent(d.handle)
	if c != 0 {
		field = "SetCurrent"
	} else {
		c = f()
	}
	if c != 0 && driver.MayBeLost(c) {
		d.state.probe(d, field, c)
	}
	runtime.UnlockOSThread()
	if c == 0 {
		return nil
	}
	return public(d.drv.Fail(field, c, failureDetail(d, c)))
}

// failureDetail says which kernel may have caused a failure that a later call reports.
func failureDetail(d *Device, c driver.Code) string {
	if d.state.lost.Load() != nil {
		return strings.TrimPrefix(lastKernel(d, c)+"\n"+reopenText(d), "\n")
	}
	return lastKernel(d, c)
}

func lastKernel(d *Device, c driver.Code) string {
	if f := d.lastLaunched.Load(); f != nil && driver.Kinds[c] == ErrFault {
		return "the last kernel launched on " + d.String() + " was " + f.name
	}
	return ""
}

// String returns the name that Open takes, rocm:0, or that of a further stream: rocm:0 (stream 1).
func (d *Device) String() string {
	if d.name != "" {
		return d.name
	}
	return d.info.Device()
}

// Device returns the name that Open takes: rocm:0.
func (i Info) Device() string {
	if i.Platform == CUDA {
		return fmt.Sprintf("cuda:%d", i.Index)
	}
	return fmt.Sprintf("rocm:%d", i.Index)
}

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// Emulated reports whether kernels run on the emulated gfx1100 in place of a GPU.
func (d *Device) Emulated() bool { return d.info.Platform == Emulated }

// Synchronize waits for all work on the device. It returns the error of a kernel that failed.
func (d *Device) Synchronize() error {
	if err := d.launchDeferred(false); err != nil {
		return err
	}
	return d.wait()
}

// wait is Synchronize without launching what was deferred.
func (d *Device) wait() error {
	if err := d.notCapturing("synchronize"); err != nil {
		return err
	}
	err := d.call("StreamSynchronize", func() driver.Code { return d.drv.StreamSynchronize(d.stream) })
	if failed := d.hostFailure.Load(); failed != nil && err == nil && d.hostFailure.CompareAndSwap(failed, nil) {
		return failed
	}
	return err
}

// Interrupt abandons the kernel that an emulated device is running: the call that runs it fails with ErrInterrupted.
// On a GPU it does nothing; kernels there cannot be stopped.
func (d *Device) Interrupt() {
	if d.drv.Interrupt != nil {
		d.drv.Interrupt()
	}
}

// MemoryInfo says how a device's memory is used, in bytes.
type MemoryInfo struct {
	InUse    int64 // by live buffers, rounded up to the pool's size classes
	Reserved int64 // allocated from the driver: in use, and cached for the next buffers
	Peak     int64 // the highest InUse so far
	Free     int64 // of the device, for all processes
	Total    int64
	Buffers  int   // live ones
	Pinned   int64 // of the host's memory, by Pin, for all devices of the driver
}

// String formats the use of memory, as in 1.5 MiB in use by 12 buffers (at most 3 MiB so far), 2 MiB reserved, 15.9 GiB
// of 16 GiB free. It omits zeros.
func (m MemoryInfo) String() string {
	text := byteText(m.InUse) + " in use"
	if m.Buffers > 0 {
		text += fmt.Sprintf(" by %d buffers", m.Buffers)
	}
	if m.Peak > 0 {
		text += fmt.Sprintf(" (at most %s so far)", byteText(m.Peak))
	}
	text += fmt.Sprintf(", %s reserved", byteText(m.Reserved))
	if m.Total > 0 {
		text += fmt.Sprintf(", %s of %s free", byteText(m.Free), byteText(m.Total))
	}
	if m.Pinned > 0 {
		text += fmt.Sprintf(", %s of the host's pinned", byteText(m.Pinned))
	}
	return text
}

// Memory returns how the device's memory is used. Free is 0 when the driver does not say. Where GOROCM_GPU_MEMORY
// limits this process to a share of the memory, Total is the share, and Free what is left of it.
func (d *Device) Memory() MemoryInfo {
	var free, total uintptr
	if err := d.call("MemInfo", func() driver.Code { return d.drv.MemInfo(&free, &total) }); err != nil {
		total = uintptr(d.info.TotalMemory)
	}
	p := &d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	return MemoryInfo{InUse: p.inUse, Reserved: p.reserved, Peak: p.peak, Free: p.leftOfShare(int64(free)),
		Total: p.ofShare(int64(total)), Buffers: len(p.blocks), Pinned: d.drv.Pinned.Total()}
}

// Trim returns cached memory to the driver, for other processes: device memory that no buffer uses, and the host's
// memory that transfers have pinned. It waits for the device.
func (d *Device) Trim() {
	d.pool.trim()
	d.transfers.trim(d)
	d.staging.trim(d)
}

// registry holds the open devices, so that Open returns the same one each time.
var registry struct {
	sync.Mutex
	devices map[string]*Device
}
