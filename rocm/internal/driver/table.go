package driver

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator"
)

// Table is the table of driver calls. HIP and the CUDA driver take the same arguments for all of them, so a row has
// two names; a leading ? marks a call that may be missing (its field is then nil). The emulated device fills the same
// fields with Go functions.
//
// C int is int32, size_t and handles are uintptr. Pointers that are passed stay valid and unmoved during the call: calls through
// func fields make what they point to escape to the heap. No call keeps one afterwards, except hipModuleLoadData, which
// may refer to the image as long as the module lives.
type Table struct {
	init            func(flags uint32) Code                           `hip:"hipInit" cuda:"cuInit"`
	version         func(v *int32) Code                               `hip:"hipRuntimeGetVersion" cuda:"cuDriverGetVersion"`
	DeviceCount     func(n *int32) Code                               `hip:"hipGetDeviceCount" cuda:"cuDeviceGetCount"`
	DeviceName      func(text *byte, size int32, device int32) Code   `hip:"hipDeviceGetName" cuda:"cuDeviceGetName"`
	TotalMem        func(n *uintptr, device int32) Code               `hip:"hipDeviceTotalMem" cuda:"cuDeviceTotalMem_v2"`
	DeviceAttribute func(value *int32, attr int32, device int32) Code `hip:"hipDeviceGetAttribute" cuda:"cuDeviceGetAttribute"`

	// PCIBusID is the PCI address, by which the system's files and NVML name a GPU.
	PCIBusID func(text *byte, size int32, device int32) Code `hip:"?hipDeviceGetPCIBusId" cuda:"?cuDeviceGetPCIBusId"`

	// hipGetDeviceProperties is needed for the architecture's name alone: no single attribute has it. Since ROCm 6 the C name
	// is a macro for the R0600 symbol, and the plain symbol still fills the older struct.
	PropertiesR0600 func(p *byte, device int32) Code `hip:"?hipGetDevicePropertiesR0600"`
	properties      func(p *byte, device int32) Code `hip:"?hipGetDeviceProperties"`

	// RetainContext returns CUDA's primary context of a device. SetCurrent makes a device current on this thread: HIP takes its index, CUDA its context.
	RetainContext func(context *uintptr, device int32) Code `cuda:"cuDevicePrimaryCtxRetain"`
	SetCurrent    func(device uintptr) Code                 `hip:"hipSetDevice" cuda:"cuCtxSetCurrent"`

	MemInfo   func(free, total *uintptr) Code                       `hip:"hipMemGetInfo" cuda:"cuMemGetInfo_v2"`
	Malloc    func(p *uintptr, n uintptr) Code                      `hip:"hipMalloc" cuda:"cuMemAlloc_v2"`
	Free      func(p uintptr) Code                                  `hip:"hipFree" cuda:"cuMemFree_v2"`
	HostAlloc func(p *unsafe.Pointer, n uintptr, flags uint32) Code `hip:"?hipHostMalloc" cuda:"?cuMemHostAlloc"`
	HostFree  func(p unsafe.Pointer) Code                           `hip:"?hipHostFree" cuda:"?cuMemFreeHost"`
	// HostRegister pins memory that is allocated already, until HostUnregister.
	HostRegister   func(p unsafe.Pointer, n uintptr, flags uint32) Code `hip:"?hipHostRegister" cuda:"?cuMemHostRegister_v2"`
	HostUnregister func(p uintptr) Code                                 `hip:"?hipHostUnregister" cuda:"?cuMemHostUnregister"`

	Upload   func(dst uintptr, src unsafe.Pointer, n, stream uintptr) Code `hip:"hipMemcpyHtoDAsync" cuda:"cuMemcpyHtoDAsync_v2"`
	Download func(dst unsafe.Pointer, src, n, stream uintptr) Code         `hip:"hipMemcpyDtoHAsync" cuda:"cuMemcpyDtoHAsync_v2"`
	Copy     func(dst, src, n, stream uintptr) Code                        `hip:"hipMemcpyDtoDAsync" cuda:"cuMemcpyDtoDAsync_v2"`
	// The devices of CopyPeer and of EnablePeerAccess are those that SetCurrent takes. The flags are 0.
	CopyPeer         func(dst, dstDevice, src, srcDevice, n, stream uintptr) Code `hip:"?hipMemcpyPeerAsync" cuda:"?cuMemcpyPeerAsync"`
	CanAccessPeer    func(can *int32, device, peer int32) Code                    `hip:"?hipDeviceCanAccessPeer" cuda:"?cuDeviceCanAccessPeer"`
	EnablePeerAccess func(peer uintptr, flags uint32) Code                        `hip:"?hipDeviceEnablePeerAccess" cuda:"?cuCtxEnablePeerAccess"`

	// Memset sets n bytes, Memset32 n words of 4 bytes.
	Memset   func(dst uintptr, value uint8, n, stream uintptr) Code  `hip:"?hipMemsetD8Async" cuda:"?cuMemsetD8Async"`
	Memset32 func(dst uintptr, value uint32, n, stream uintptr) Code `hip:"?hipMemsetD32Async" cuda:"?cuMemsetD32Async"`

	StreamCreate      func(stream *uintptr, flags uint32) Code `hip:"hipStreamCreateWithFlags" cuda:"cuStreamCreate"`
	StreamSynchronize func(stream uintptr) Code                `hip:"hipStreamSynchronize" cuda:"cuStreamSynchronize"`
	// Of two priorities the lower number is the more urgent one.
	StreamCreateWithPriority func(stream *uintptr, flags uint32, priority int32) Code `hip:"?hipStreamCreateWithPriority" cuda:"?cuStreamCreateWithPriority"`
	PriorityRange            func(least, greatest *int32) Code                        `hip:"?hipDeviceGetStreamPriorityRange" cuda:"?cuCtxGetStreamPriorityRange"`
	// StreamQuery and EventQuery return CodeNotReady before the work is done.
	StreamQuery func(stream uintptr) Code `hip:"?hipStreamQuery" cuda:"?cuStreamQuery"`
	// LaunchHostFunc calls a C function with data on a thread of the driver.
	LaunchHostFunc func(stream, function, data uintptr) Code `hip:"?hipLaunchHostFunc" cuda:"?cuLaunchHostFunc"`

	ModuleLoad           func(module *uintptr, image unsafe.Pointer) Code                   `hip:"hipModuleLoadData" cuda:"cuModuleLoadData"`
	ModuleUnload         func(module uintptr) Code                                          `hip:"?hipModuleUnload" cuda:"?cuModuleUnload"`
	ModuleFunction       func(function *uintptr, module uintptr, name *byte) Code           `hip:"hipModuleGetFunction" cuda:"cuModuleGetFunction"`
	FunctionAttribute    func(value *int32, attr int32, function uintptr) Code              `cuda:"?cuFuncGetAttribute"`
	SetFunctionAttribute func(function uintptr, attr, value int32) Code                     `cuda:"?cuFuncSetAttribute"`
	FunctionParam        func(function, index uintptr, offset, size *uintptr) Code          `cuda:"?cuFuncGetParamInfo"`
	ModuleGlobal         func(p, size *uintptr, module uintptr, name *byte) Code            `hip:"?hipModuleGetGlobal" cuda:"?cuModuleGetGlobal_v2"`
	MaxResidentBlocks    func(n *int32, function uintptr, block int32, shared uintptr) Code `hip:"?hipModuleOccupancyMaxActiveBlocksPerMultiprocessor" cuda:"?cuOccupancyMaxActiveBlocksPerMultiprocessor"`
	// LaunchCooperative takes the address of each argument; it has no extra.
	LaunchCooperative func(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr, params *unsafe.Pointer) Code `hip:"?hipModuleLaunchCooperativeKernel" cuda:"?cuLaunchCooperativeKernel"`
	// Launch counts the grid in blocks.
	Launch func(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, extra *LaunchExtra) Code `hip:"hipModuleLaunchKernel" cuda:"cuLaunchKernel"`

	// Events, for profiles and for streams that wait.
	EventCreate      func(event *uintptr, flags uint32) Code    `hip:"?hipEventCreateWithFlags" cuda:"?cuEventCreate"`
	EventRecord      func(event, stream uintptr) Code           `hip:"?hipEventRecord" cuda:"?cuEventRecord"`
	EventSynchronize func(event uintptr) Code                   `hip:"?hipEventSynchronize" cuda:"?cuEventSynchronize"`
	EventElapsed     func(ms *float32, begin, end uintptr) Code `hip:"?hipEventElapsedTime" cuda:"?cuEventElapsedTime"`
	EventDestroy     func(event uintptr) Code                   `hip:"?hipEventDestroy" cuda:"?cuEventDestroy_v2"`
	EventQuery       func(event uintptr) Code                   `hip:"?hipEventQuery" cuda:"?cuEventQuery"`
	// StreamWaitEvent makes a stream wait for an event. The flags are 0.
	StreamWaitEvent func(stream, event uintptr, flags uint32) Code `hip:"?hipStreamWaitEvent" cuda:"?cuStreamWaitEvent"`

	// Graphs. The flags of GraphInstantiate are 0.
	BeginCapture     func(stream uintptr, mode int32) Code                 `hip:"?hipStreamBeginCapture" cuda:"?cuStreamBeginCapture_v2"`
	EndCapture       func(stream uintptr, graph *uintptr) Code             `hip:"?hipStreamEndCapture" cuda:"?cuStreamEndCapture"`
	GraphInstantiate func(exec *uintptr, graph uintptr, flags uint64) Code `hip:"?hipGraphInstantiateWithFlags" cuda:"?cuGraphInstantiateWithFlags"`
	GraphLaunch      func(exec, stream uintptr) Code                       `hip:"?hipGraphLaunch" cuda:"?cuGraphLaunch"`
	GraphDestroy     func(graph uintptr) Code                              `hip:"?hipGraphDestroy" cuda:"?cuGraphDestroy"`
	GraphExecDestroy func(exec uintptr) Code                               `hip:"?hipGraphExecDestroy" cuda:"?cuGraphExecDestroy"`

	// Memory of other processes. IPCOpen takes the handle, 64 bytes, by value: see OpenMemory.
	IPCGet   func(handle *[IPCHandleSize]byte, p uintptr) Code `hip:"?hipIpcGetMemHandle" cuda:"?cuIpcGetMemHandle"`
	IPCOpen  Call                                              `hip:"?hipIpcOpenMemHandle" cuda:"?cuIpcOpenMemHandle_v2"`
	IPCClose func(p uintptr) Code                              `hip:"?hipIpcCloseMemHandle" cuda:"?cuIpcCloseMemHandle"`

	// What brings a GPU back after an error that all later calls repeat. hipDeviceReset is about the device that is current.
	ResetDevice  func() Code             `hip:"?hipDeviceReset"`
	ResetContext func(device int32) Code `cuda:"?cuDevicePrimaryCtxReset_v2"`

	HIPErrorName   func(c Code) string            `hip:"hipGetErrorName"`
	HIPErrorString func(c Code) string            `hip:"hipGetErrorString"`
	CUErrorName    func(c Code, text **byte) Code `cuda:"cuGetErrorName"`
	CUErrorString  func(c Code, text **byte) Code `cuda:"cuGetErrorString"`

	Platform Platform
	Library  *Library // nil for the emulated device
	ExtraEnd uintptr  // the end mark of LaunchExtra: 3 for HIP, 0 for CUDA

	// What the emulated device does differently; nil on GPUs. Explain returns the error of a code.
	LoadObject   func(module *uintptr, image []byte) Code
	Explain      func(call string, c Code) error
	Interrupt    func() // ends a running kernel
	Emulator     *emulator.GPU
	Runtime      string // HIP 6.3.1, CUDA 12.8
	Major, Minor int32  // of HIP
	none         bool   // CUDA found no GPU when it was initialised

	first       atomic.Int32 // 1 more than the index of the GPU that was opened first; 0 before
	SeveralGPUs atomic.Bool  // more than one GPU is in use

	Pinned pinnedRanges // with HostRegister
}

// MarkUsed records that a GPU is in use.
func (drv *Table) MarkUsed(index int) {
	if n := int32(index) + 1; !drv.first.CompareAndSwap(0, n) && drv.first.Load() != n {
		drv.SeveralGPUs.Store(true)
	}
}

// LaunchExtra is the extra argument of a launch: five words that say where the packed kernel arguments are. The fields after them are not the driver's.
type LaunchExtra struct {
	BufferTag uintptr // 1
	Buffer    unsafe.Pointer
	SizeTag   uintptr // 2
	Size      *uintptr
	End       uintptr

	words [11]uintptr // the arguments of the call; a slice for each call would be an allocation
}

// Set sets the address and size of the arguments.
func (x *LaunchExtra) Set(data []byte, size *uintptr, end uintptr) {
	x.BufferTag, x.Buffer, x.SizeTag, x.Size, x.End = 1, unsafe.Pointer(unsafe.SliceData(data)), 2, size, end
}

// CName is the C name of a field of the driver table.
func (drv *Table) CName(field string) string {
	return CName[Table](field, drv.Platform.Column())
}

// Fail turns a driver's code into an error; field is the table's field that was called.
func (drv *Table) Fail(field string, c Code, detail string) error {
	if drv.Explain != nil {
		return drv.Explain(drv.CName(field), c)
	}
	e := &Error{Op: drv.CName(field), Code: int(c), Kind: Kinds[c], Detail: detail}
	switch {
	case drv.HIPErrorName != nil:
		e.Name = drv.HIPErrorName(c)
		if drv.HIPErrorString != nil {
			e.Text = drv.HIPErrorString(c)
		}
	case drv.CUErrorName != nil:
		e.Name, e.Text = cuText(drv.CUErrorName, c), cuText(drv.CUErrorString, c)
	}
	if e.Name == "" {
		e.Name = fmt.Sprintf("error %d", c)
	}
	if e.Text == e.Name {
		e.Text = ""
	}
	if hint := hints[c]; hint != "" {
		if e.Text != "" {
			e.Text += "; "
		}
		e.Text += hint
	}
	return e
}

func cuText(get func(Code, **byte) Code, c Code) string {
	var text *byte
	if get == nil || get(c, &text) != 0 {
		return ""
	}
	return GoString(text)
}
