package driver

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/internal/meminfo"
	"github.com/gorocm/gorocm/rocm/emulator"
)

const (
	EmulatedArch    = "gfx1100"
	EmulatedRuntime = "gfx1100 emulator in Go"
	wave64Suffix    = ":wave64" // ends the architecture whose waves have 64 threads
	coresSuffix     = ":cores"  // before it, and before the number of the GPU whose matrix cores are emulated
)

// EmulatedDevices describes the emulated devices, of which there are as many as GOROCM_EMULATED_DEVICES says, one by
// default. note says why they are emulated. The table is that of the first device; further ones have tables of their
// own, from NewEmulator.
func EmulatedDevices(note string, checks emulator.Check) (*Table, []Info, error) {
	info := Info{
		Name: "emulated " + EmulatedArch, Arch: EmulatedArch, Platform: Emulated, Wave: 32,
		ComputeUnits: runtime.GOMAXPROCS(0), Multiprocessors: runtime.GOMAXPROCS(0),
		TotalMemory: EmulatedMemory(), Runtime: EmulatedRuntime, Note: note,
	}
	if err := emulateArch(&info); err != nil {
		return nil, nil, err
	}
	if info.Arch == EmulatedArch {
		if err := emulateWaves(&info); err != nil {
			return nil, nil, err
		}
	}
	drv, err := firstEmulatorTable(info.Arch, checks)
	infos := make([]Info, emulatedCount())
	for i := range infos {
		infos[i], infos[i].Index = info, i
	}
	return drv, infos, err
}

// EmulatedName returns the name of the GPU that the environment asks for, gfx1100 if it asks for none that can be
// emulated, and what executes its code.
func EmulatedName() (name, runtime string) {
	info := Info{Name: "emulated " + EmulatedArch, Runtime: EmulatedRuntime}
	_ = emulateArch(&info) // an architecture that cannot be emulated is an error when the device is opened
	return info.Name, info.Runtime
}

// Of an emulated MI300X.
const (
	instinctArch  = emulator.GFX942 + ":sramecc+:xnack-" // as HIP writes it
	instinctUnits = 304
)

// emulateArch makes the device an MI300X or an RDNA 4 GPU if GOROCM_EMULATED_ARCH asks for its architecture.
func emulateArch(info *Info) error {
	arch := os.Getenv("GOROCM_EMULATED_ARCH")
	switch arch {
	case "", EmulatedArch:
		return nil
	case emulator.GFX942:
		info.Name, info.Arch, info.Wave = "emulated Instinct MI300X", instinctArch, 64
		info.ComputeUnits, info.Multiprocessors = instinctUnits, instinctUnits
	case emulator.GFX1200, emulator.GFX1201:
		info.Name, info.Arch = "emulated "+arch, arch
	default:
		return Invalid("open rocm", "GOROCM_EMULATED_ARCH is %q: gfx1100, gfx1200, gfx1201 and gfx942 can be emulated", arch)
	}
	for _, name := range []string{"GOROCM_EMULATED_WAVE", "GOROCM_EMULATED_CORES"} {
		if os.Getenv(name) != "" {
			return Invalid("open rocm", "GOROCM_EMULATED_ARCH is %s and %s is set, which is for a gfx1100: unset it", arch, name)
		}
	}
	info.Runtime = arch + " emulator in Go"
	return nil
}

// emulateWaves sets the size of waves, and whose matrix cores are emulated in the registers of their lanes.
func emulateWaves(info *Info) error {
	wave, cores := os.Getenv("GOROCM_EMULATED_WAVE"), os.Getenv("GOROCM_EMULATED_CORES")
	switch cores {
	case "":
	case "gfx942", "gfx950", "gfx1200", "gfx1250":
		own := "32"
		if cores[3] == '9' {
			own = "64"
		}
		if wave != "" && wave != own {
			return Invalid("open rocm", "GOROCM_EMULATED_WAVE is %s and GOROCM_EMULATED_CORES %s, whose waves have %s threads",
				wave, cores, own)
		}
		wave, info.Name, info.Arch = own, info.Name+" with matrix cores of "+cores, info.Arch+coresSuffix+cores[3:]
	default:
		return Invalid("open rocm", "GOROCM_EMULATED_CORES is %q: gfx942, gfx950, gfx1200 and gfx1250 can be emulated", cores)
	}
	switch wave {
	case "", "32":
	case "64":
		info.Name, info.Arch, info.Wave = info.Name+" with waves of 64", info.Arch+wave64Suffix, 64
	default:
		return Invalid("open rocm", "GOROCM_EMULATED_WAVE is %q: waves have 32 or 64 threads", wave)
	}
	return nil
}

// SplitEmulated splits the architecture of an emulated device: what compilers call it, the number of the GPU whose
// matrix cores are emulated, if any, and whether its waves have 64 threads. Another architecture stays as it is.
func SplitEmulated(arch string) (base, cores string, wide bool) {
	base, wide = strings.CutSuffix(arch, wave64Suffix)
	base, cores, _ = strings.Cut(base, coresSuffix)
	return base, cores, wide
}

// EmulatedGPU is the GPU that the emulator has for the architecture of a device.
func EmulatedGPU(arch string) string {
	base, _, _ := strings.Cut(arch, ":")
	return base
}

// firstEmulator is the driver of the first emulated device.
var firstEmulator struct {
	once sync.Once
	drv  *Table
	err  error
}

// firstEmulatorTable creates the table at its first call, with the architecture and the checks of that call.
func firstEmulatorTable(arch string, checks emulator.Check) (*Table, error) {
	first := &firstEmulator
	first.once.Do(func() {
		first.drv, first.err = NewEmulator(emulator.Config{Arch: EmulatedGPU(arch), Memory: uint64(EmulatedMemory()),
			Checks: checks})
		if dir := os.Getenv("GOROCM_EMULATED_RECORD"); dir != "" && first.err == nil {
			if err := first.drv.Emulator.Record(dir); err != nil {
				first.err = emulatorError("open rocm:0", err)
			}
		}
	})
	return first.drv, first.err
}

// maxEmulated limits GOROCM_EMULATED_DEVICES.
const maxEmulated = 64

// emulatedCount is how many emulated devices there are.
func emulatedCount() int {
	n, err := strconv.Atoi(os.Getenv("GOROCM_EMULATED_DEVICES"))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, maxEmulated)
}

// emulatedDriver implements the driver table with an emulated GPU. Its stream is a mutex: launches and copies run
// before the calls return.
type emulatedDriver struct {
	gpu    *emulator.GPU
	stream sync.Mutex
	sizes  sync.Map // address to bytes, of what was allocated

	// The code of a failure is negative, and the key of its error.
	failures atomic.Int32
	errors   sync.Map // code to error

	handles   sync.Mutex
	modules   []*emulator.Module // handle i+1
	functions []*emulator.Kernel
}

// NewEmulator makes the table of an emulated GPU of its own.
func NewEmulator(config emulator.Config) (*Table, error) {
	gpu, err := emulator.New(config)
	if err != nil {
		return nil, emulatorError("open rocm:0", err)
	}
	e := &emulatedDriver{gpu: gpu}
	return &Table{
		Platform: Emulated, ExtraEnd: 3, Runtime: gpu.Arch() + " emulator in Go", Emulator: gpu, Explain: e.explain,
		Interrupt:  gpu.Interrupt,
		SetCurrent: func(uintptr) Code { return 0 },
		MemInfo:    e.memInfo,
		Malloc:     e.malloc,
		Free:       e.free,
		// Its memory is the host's: there is nothing to pin.
		HostRegister:   func(unsafe.Pointer, uintptr, uint32) Code { return 0 },
		HostUnregister: func(uintptr) Code { return 0 },
		Upload:         e.upload,
		Download:       e.download,
		Copy: func(dst, src, n, _ uintptr) Code {
			return e.onStream(func() error { return gpu.Copy(uint64(dst), uint64(src), uint64(n)) })
		},
		Memset: func(dst uintptr, value uint8, n, _ uintptr) Code {
			return e.onStream(func() error { return gpu.Set(uint64(dst), value, uint64(n)) })
		},
		Memset32:          e.memset32,
		StreamCreate:      func(*uintptr, uint32) Code { return 0 },
		StreamSynchronize: func(uintptr) Code { return e.onStream(func() error { return nil }) },
		LoadObject:        e.loadObject,
		ModuleUnload:      e.unload,
		ModuleGlobal:      e.global,
		ModuleFunction:    e.function,
		Launch:            e.launch,
		MaxResidentBlocks: func(n *int32, _ uintptr, _ int32, _ uintptr) Code { *n = emulatedResident; return 0 },
		LaunchCooperative: e.launchCooperative,
	}, nil
}

// onStream runs f on the stream.
func (e *emulatedDriver) onStream(f func() error) Code {
	e.stream.Lock()
	defer e.stream.Unlock()
	return e.codeOf(f())
}

func (e *emulatedDriver) upload(dst uintptr, src unsafe.Pointer, n, _ uintptr) Code {
	return e.onStream(func() error { return e.gpu.Write(uint64(dst), unsafe.Slice((*byte)(src), n)) })
}

func (e *emulatedDriver) download(dst unsafe.Pointer, src, n, _ uintptr) Code {
	return e.onStream(func() error { return e.gpu.Read(unsafe.Slice((*byte)(dst), n), uint64(src)) })
}

func (e *emulatedDriver) memset32(dst uintptr, value uint32, n, _ uintptr) Code {
	return e.onStream(func() error {
		words := make([]byte, 4*min(n, 16<<10))
		for i := 0; i < len(words); i += 4 {
			binary.LittleEndian.PutUint32(words[i:], value)
		}
		for at := uintptr(0); at < 4*n; at += uintptr(len(words)) {
			if err := e.gpu.Write(uint64(dst+at), words[:min(uintptr(len(words)), 4*n-at)]); err != nil {
				return err
			}
		}
		return nil
	})
}

// module returns a loaded module. The caller holds the mutex.
func (e *emulatedDriver) module(handle uintptr) (*emulator.Module, error) {
	if handle == 0 || handle > uintptr(len(e.modules)) || e.modules[handle-1] == nil {
		return nil, &emulator.Error{Code: int(CodeInvalidValue), Op: "module", Message: "the module is not loaded"}
	}
	return e.modules[handle-1], nil
}

// unload frees a module after what is on the stream.
func (e *emulatedDriver) unload(handle uintptr) Code {
	return e.onStream(func() error {
		e.handles.Lock()
		defer e.handles.Unlock()
		m, err := e.module(handle)
		if err != nil {
			return err
		}
		e.modules[handle-1] = nil
		return m.Unload()
	})
}

func (e *emulatedDriver) global(p, size *uintptr, handle uintptr, name *byte) Code {
	e.handles.Lock()
	defer e.handles.Unlock()
	m, err := e.module(handle)
	if err != nil {
		return e.codeOf(err)
	}
	address, n, err := m.Global(GoString(name))
	*p, *size = uintptr(address), uintptr(n)
	return e.codeOf(err)
}

func (e *emulatedDriver) loadObject(handle *uintptr, image []byte) Code {
	m, err := e.gpu.Load(image)
	if err != nil {
		return e.codeOf(err)
	}
	e.handles.Lock()
	defer e.handles.Unlock()
	e.modules = append(e.modules, m)
	*handle = uintptr(len(e.modules))
	return 0
}

func (e *emulatedDriver) function(handle *uintptr, module uintptr, name *byte) Code {
	e.handles.Lock()
	defer e.handles.Unlock()
	m, err := e.module(module)
	if err != nil {
		return e.codeOf(err)
	}
	k, err := m.Kernel(GoString(name))
	if err != nil {
		return e.codeOf(err)
	}
	e.functions = append(e.functions, k)
	*handle = uintptr(len(e.functions))
	return 0
}

func (e *emulatedDriver) launch(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, _, _ uintptr,
	extra *LaunchExtra) Code {
	e.handles.Lock()
	k := e.functions[function-1]
	e.handles.Unlock()
	args := unsafe.Slice((*byte)(extra.Buffer), *extra.Size)
	return e.onStream(func() error {
		return e.gpu.Launch(k, [3]uint32{gx, gy, gz}, [3]uint32{bx, by, bz}, shared, args)
	})
}

// emulatedResident is how many blocks of a cooperative launch there may be: each has a goroutine.
const emulatedResident = 32

// launchCooperative takes the packed arguments in the place of their addresses: params points to a LaunchExtra.
func (e *emulatedDriver) launchCooperative(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, _ uintptr,
	params *unsafe.Pointer) Code {
	e.handles.Lock()
	k := e.functions[function-1]
	e.handles.Unlock()
	extra := (*LaunchExtra)(unsafe.Pointer(params))
	args := unsafe.Slice((*byte)(extra.Buffer), *extra.Size)
	return e.onStream(func() error {
		return e.gpu.LaunchCooperative(k, [3]uint32{gx, gy, gz}, [3]uint32{bx, by, bz}, shared, args)
	})
}

// codeOf stores an error for explain and returns its code.
func (e *emulatedDriver) codeOf(err error) Code {
	if err == nil {
		return 0
	}
	c := Code(-e.failures.Add(1))
	e.errors.Store(c, err)
	return c
}

func (e *emulatedDriver) explain(call string, c Code) error {
	err, ok := e.errors.LoadAndDelete(c)
	if !ok {
		return &Error{Op: call, Code: int(c), Name: "unknown error"}
	}
	return emulatorError(call, err.(error))
}

// emulatorCodeNames are HIP's names of the emulator's codes.
var emulatorCodeNames = map[int]string{
	1: "hipErrorInvalidValue", 2: "hipErrorOutOfMemory", 9: "hipErrorInvalidConfiguration",
	17:  "hipErrorInvalidDevicePointer",
	200: "hipErrorInvalidImage", 209: "hipErrorNoBinaryForGpu", 500: "hipErrorNotFound", 700: "hipErrorIllegalAddress",
	719: "hipErrorLaunchFailure",
}

// emulatorError converts an error of the emulator to one of a driver.
func emulatorError(call string, err error) error {
	if exceeded := (*budget.Exceeded)(nil); errors.As(err, &exceeded) {
		const code = emulator.CodeOutOfMemory
		return &Error{Op: call, Code: code, Name: emulatorCodeNames[code], Kind: ErrOutOfMemory,
			Detail: "an emulated device has its memory from the host: " + exceeded.Error()}
	}
	var from *emulator.Error
	if !errors.As(err, &from) {
		return &Error{Op: call, Text: err.Error()}
	}
	e := &Error{Op: call, Code: from.Code, Name: emulatorCodeNames[from.Code], Text: from.Message,
		Kind: Kinds[Code(from.Code)], SourceLine: from.Source}
	if from.Interrupted {
		e.Kind = ErrInterrupted
	}
	return e
}

// EmulatedMemory is the size of an emulated device: what GOROCM_EMULATED_MEMORY says, or its share of the process's
// budget, at most the emulator's default. It is address space: the host commits what is used, and the budget counts it.
func EmulatedMemory() int64 {
	if n, err := strconv.ParseInt(os.Getenv("GOROCM_EMULATED_MEMORY"), 10, 64); err == nil && n > 0 {
		return n
	}
	n := int64(emulator.DefaultMemory)
	if limit, err := budget.Limit(); err == nil {
		n = min(n, limit/int64(emulatedCount()))
	}
	if left, ok := meminfo.AddressSpace(); ok {
		n = min(n, left/2/int64(emulatedCount())) // Go needs some, too
	}
	return n
}

// EmulatedBytes is what emulated devices take of the host's memory.
var EmulatedBytes = budget.NewAccount("emulated devices")

func (e *emulatedDriver) malloc(p *uintptr, n uintptr) Code {
	if err := EmulatedBytes.Take(int64(n)); err != nil {
		return e.codeOf(err)
	}
	addr, err := e.gpu.Malloc(uint64(n))
	if err != nil {
		EmulatedBytes.Give(int64(n))
		return e.codeOf(err)
	}
	*p = uintptr(addr)
	e.sizes.Store(*p, int64(n))
	return 0
}

func (e *emulatedDriver) free(p uintptr) Code {
	return e.onStream(func() error {
		err := e.gpu.Free(uint64(p))
		if n, ok := e.sizes.LoadAndDelete(p); ok && err == nil {
			EmulatedBytes.Give(n.(int64))
		}
		return err
	})
}

// memInfo tells what is free on the device, and no more than the budget has left.
func (e *emulatedDriver) memInfo(free, total *uintptr) Code {
	f, t := e.gpu.MemInfo()
	if limit, err := budget.Limit(); err == nil {
		f = min(f, uint64(max(limit-budget.Values()-budget.Elsewhere(), 0)))
	}
	*free, *total = uintptr(f), uintptr(t)
	return 0
}
