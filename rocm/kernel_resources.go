//lint:file-ignore ST1003 names of the CUDA driver, as its manual has them

package rocm

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/internal/occupancy"
	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Resources are what a compiled kernel uses of a GPU.
type Resources struct {
	Arch       string // what it is compiled for
	VGPRs      int    // vector registers of a thread; on NVIDIA GPUs its registers
	SGPRs      int    // scalar registers of a wave; 0 on NVIDIA GPUs
	Spilled    int    // registers that are spilled to memory; -1 where it is not known
	Shared     int    // bytes of static shared memory (LDS) of a block
	Scratch    int    // bytes of private memory of a thread
	Wave       int    // threads that run in lockstep
	MaxThreads int    // in a block
	// occupancy: waves that a SIMD can hold at a time, in blocks of 256 threads; 0 where it is not known
	Waves    int
	MaxWaves int    // the maximum of Waves for any kernel
	Limit    string // what limits Waves: registers, or shared memory; empty where nothing does
}

// Resources returns the resources that the kernel uses on d; nil is the device that Device returns.
func (k *Kernel) Resources(d *Device) (Resources, error) {
	d, err := k.deviceOr(d)
	if err != nil {
		return Resources{}, err
	}
	f, err := k.functionOn(d)
	if err != nil {
		return Resources{}, err
	}
	if d.info.Platform == CUDA {
		return cudaResources(d, f)
	}
	i, err := k.describe(f)
	if err != nil {
		return Resources{}, err
	}
	r := Resources{
		Arch: d.info.Arch, VGPRs: i.VGPRs, SGPRs: i.SGPRs, Spilled: i.SpilledVGPRs + i.SpilledSGPRs, Shared: i.LDS,
		Scratch: i.Scratch,
		Wave:    i.Wave, MaxThreads: i.MaxThreads,
	}
	r.occupy()
	return r, nil
}

// describe reads the description of the kernel in an AMD code object.
func (k *Kernel) describe(f *Function) (emulator.KernelInfo, error) {
	info, err := compile.DescribeKernel(f.module.object, k.symbol)
	return info, public(err)
}

// launchLimits are the limits of a compiled kernel that launches observe; zero where they are not known.
type launchLimits struct {
	threads        int   // in a block
	sizes, offsets []int // of each argument, in bytes
}

// limitsOn returns the limits on a device. They are read once.
func (k *Kernel) limitsOn(d *Device) launchLimits {
	if l, ok := k.limits.Load(d); ok {
		return l.(launchLimits)
	}
	f, err := k.functionOn(d)
	if err != nil {
		return launchLimits{} // the launch returns the error
	}
	var l launchLimits
	if d.info.Platform == CUDA {
		if r, err := cudaResources(d, f); err == nil {
			l.threads = r.MaxThreads
		}
		l.sizes, l.offsets, _ = cudaParams(f)
	} else if i, err := k.describe(f); err == nil {
		l.threads = i.MaxThreads
		for _, a := range i.Args {
			l.sizes, l.offsets = append(l.sizes, a.Size), append(l.offsets, a.Offset)
		}
	}
	k.limits.Store(d, l)
	return l
}

// Numbers of CUfunction_attribute.
const (
	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES     = 1
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES      = 3
	CU_FUNC_ATTRIBUTE_NUM_REGS              = 4
)

func cudaResources(d *Device, f *Function) (Resources, error) {
	r := Resources{Arch: d.info.Arch, Wave: d.info.Wave, Spilled: -1}
	if d.drv.FunctionAttribute == nil {
		return r, &Error{Op: "resources of " + f.name, Text: "the CUDA driver does not tell", Kind: ErrUnsupported}
	}
	for attr, to := range map[int32]*int{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: &r.MaxThreads,
		CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: &r.Shared, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: &r.Scratch,
		CU_FUNC_ATTRIBUTE_NUM_REGS: &r.VGPRs} {
		var v int32
		if err := d.call("FunctionAttribute",
			func() driver.Code { return d.drv.FunctionAttribute(&v, attr, f.handle) }); err != nil {
			return r, err
		}
		*to = int(v)
	}
	return r, nil
}

// cudaParams asks the CUDA driver for the sizes and offsets of a kernel's arguments in bytes. ok is false for a driver
// that does not tell them, which it does from CUDA 12.4 on.
func cudaParams(f *Function) (sizes, offsets []int, ok bool) {
	d := f.module.device
	if d.drv.FunctionParam == nil {
		return nil, nil, false
	}
	for {
		var offset, size uintptr
		last := false
		err := d.call("FunctionParam", func() driver.Code {
			c := d.drv.FunctionParam(f.handle, uintptr(len(sizes)), &offset, &size)
			if last = c == driver.CodeInvalidValue; last { // there are no more
				return 0
			}
			return c
		})
		if err != nil || last {
			return sizes, offsets, err == nil
		}
		sizes, offsets = append(sizes, int(size)), append(offsets, int(offset))
	}
}

// occupy sets the occupancy in blocks of Launch.
func (r *Resources) occupy() {
	r.Waves, r.MaxWaves, r.Limit = occupancy.Of(r.Arch, r.Wave, r.VGPRs, r.Shared,
		min(maxBlock, max(r.MaxThreads, 1)))
}

// String returns the resources in a few lines.
func (r Resources) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d registers a thread", r.Arch, r.VGPRs)
	if r.SGPRs > 0 {
		fmt.Fprintf(&b, " (VGPRs), %d a wave (SGPRs)", r.SGPRs)
	}
	if r.Spilled >= 0 {
		fmt.Fprintf(&b, ", %d spilled", r.Spilled)
	}
	fmt.Fprintf(&b, "\nshared memory %d B a block, private memory %d B a thread", r.Shared, r.Scratch)
	fmt.Fprintf(&b, "\nwaves of %d, blocks of at most %d threads", r.Wave, r.MaxThreads)
	if r.MaxWaves > 0 {
		fmt.Fprintf(&b, "\noccupancy %d of %d waves a SIMD in blocks of %d", r.Waves, r.MaxWaves,
			min(maxBlock, r.MaxThreads))
		if r.Limit != "" {
			fmt.Fprintf(&b, ", limited by %s", r.Limit)
		}
	}
	return b.String()
}

// Disassembly returns the instructions that the kernel is compiled to for a device, one on a line. For a gfx1100
// nothing else is needed; for other AMD GPUs it is what llvm-objdump writes, for NVIDIA GPUs what cuobjdump does, or
// the PTX that the driver translates. Where the program is missing, the error has the kind ErrUnsupported. Device nil
// is the one that Kernel.Device returns.
func (k *Kernel) Disassembly(d *Device) (string, error) {
	d, err := k.deviceOr(d)
	if err != nil {
		return "", err
	}
	f, err := k.functionOn(d)
	if err != nil {
		return "", err
	}
	text, err := compile.Disassemble(driver.Platform(d.info.Platform), f.module.object, k.symbol)
	return text, public(err)
}
