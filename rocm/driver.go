package rocm

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
)

// driver is the table of driver calls. HIP and the CUDA driver take the same arguments for all of them, so a row has
// two names; a leading ? marks a call that may be missing (its field is then nil). The emulated device fills the same
// fields with Go functions.
//
// C int is int32, size_t and handles are uintptr. Pointers that are passed stay valid and unmoved during the call: calls through
// func fields make what they point to escape to the heap. No call keeps one afterwards, except hipModuleLoadData, which
// may refer to the image as long as the module lives.
type driver struct {
	init      func(flags uint32) code                           `hip:"hipInit" cuda:"cuInit"`
	version   func(v *int32) code                               `hip:"hipRuntimeGetVersion" cuda:"cuDriverGetVersion"`
	count     func(n *int32) code                               `hip:"hipGetDeviceCount" cuda:"cuDeviceGetCount"`
	name      func(text *byte, size int32, device int32) code   `hip:"hipDeviceGetName" cuda:"cuDeviceGetName"`
	total     func(n *uintptr, device int32) code               `hip:"hipDeviceTotalMem" cuda:"cuDeviceTotalMem_v2"`
	attribute func(value *int32, attr int32, device int32) code `hip:"hipDeviceGetAttribute" cuda:"cuDeviceGetAttribute"`

	// pciBusID is the place on the bus, as the system's files and NVML call it.
	pciBusID func(text *byte, size int32, device int32) code `hip:"?hipDeviceGetPCIBusId" cuda:"?cuDeviceGetPCIBusId"`

	// hipGetDeviceProperties is needed for the architecture's name alone: no single attribute has it. Since ROCm 6 the C name
	// is a macro for the R0600 symbol, and the plain symbol still fills the older struct.
	propertiesR0600 func(p *byte, device int32) code `hip:"?hipGetDevicePropertiesR0600"`
	properties      func(p *byte, device int32) code `hip:"?hipGetDeviceProperties"`

	// retain gives CUDA's context of a device. use makes a device current on this thread: HIP takes its index, CUDA its context.
	retain func(context *uintptr, device int32) code `cuda:"cuDevicePrimaryCtxRetain"`
	use    func(device uintptr) code                 `hip:"hipSetDevice" cuda:"cuCtxSetCurrent"`

	memInfo   func(free, total *uintptr) code                       `hip:"hipMemGetInfo" cuda:"cuMemGetInfo_v2"`
	malloc    func(p *uintptr, n uintptr) code                      `hip:"hipMalloc" cuda:"cuMemAlloc_v2"`
	free      func(p uintptr) code                                  `hip:"hipFree" cuda:"cuMemFree_v2"`
	hostAlloc func(p *unsafe.Pointer, n uintptr, flags uint32) code `hip:"?hipHostMalloc" cuda:"?cuMemHostAlloc"`
	hostFree  func(p unsafe.Pointer) code                           `hip:"?hipHostFree" cuda:"?cuMemFreeHost"`
	// hostRegister locks pages of memory that is there already, until hostUnregister.
	hostRegister   func(p unsafe.Pointer, n uintptr, flags uint32) code `hip:"?hipHostRegister" cuda:"?cuMemHostRegister_v2"`
	hostUnregister func(p uintptr) code                                 `hip:"?hipHostUnregister" cuda:"?cuMemHostUnregister"`

	upload   func(dst uintptr, src unsafe.Pointer, n, stream uintptr) code `hip:"hipMemcpyHtoDAsync" cuda:"cuMemcpyHtoDAsync_v2"`
	download func(dst unsafe.Pointer, src, n, stream uintptr) code         `hip:"hipMemcpyDtoHAsync" cuda:"cuMemcpyDtoHAsync_v2"`
	copy     func(dst, src, n, stream uintptr) code                        `hip:"hipMemcpyDtoDAsync" cuda:"cuMemcpyDtoDAsync_v2"`
	// copyPeer's devices are what use takes, and so is that of enablePeer; its flags are 0.
	copyPeer   func(dst, dstDevice, src, srcDevice, n, stream uintptr) code `hip:"?hipMemcpyPeerAsync" cuda:"?cuMemcpyPeerAsync"`
	canPeer    func(can *int32, device, peer int32) code                    `hip:"?hipDeviceCanAccessPeer" cuda:"?cuDeviceCanAccessPeer"`
	enablePeer func(peer uintptr, flags uint32) code                        `hip:"?hipDeviceEnablePeerAccess" cuda:"?cuCtxEnablePeerAccess"`

	streamCreate func(stream *uintptr, flags uint32) code `hip:"hipStreamCreateWithFlags" cuda:"cuStreamCreate"`
	streamWait   func(stream uintptr) code                `hip:"hipStreamSynchronize" cuda:"cuStreamSynchronize"`

	moduleLoad        func(module *uintptr, image unsafe.Pointer) code         `hip:"hipModuleLoadData" cuda:"cuModuleLoadData"`
	function          func(function *uintptr, module uintptr, name *byte) code `hip:"hipModuleGetFunction" cuda:"cuModuleGetFunction"`
	functionAttribute func(value *int32, attr int32, function uintptr) code    `cuda:"?cuFuncGetAttribute"`
	functionSet       func(function uintptr, attr, value int32) code           `cuda:"?cuFuncSetAttribute"`
	global            func(p, size *uintptr, module uintptr, name *byte) code  `cuda:"?cuModuleGetGlobal_v2"`
	// launch counts the grid in blocks.
	launch func(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, extra *launchExtra) code `hip:"hipModuleLaunchKernel" cuda:"cuLaunchKernel"`

	// Events, for profiles and for streams that wait.
	eventCreate  func(event *uintptr, flags uint32) code    `hip:"?hipEventCreateWithFlags" cuda:"?cuEventCreate"`
	eventRecord  func(event, stream uintptr) code           `hip:"?hipEventRecord" cuda:"?cuEventRecord"`
	eventWait    func(event uintptr) code                   `hip:"?hipEventSynchronize" cuda:"?cuEventSynchronize"`
	eventElapsed func(ms *float32, begin, end uintptr) code `hip:"?hipEventElapsedTime" cuda:"?cuEventElapsedTime"`
	eventDestroy func(event uintptr) code                   `hip:"?hipEventDestroy" cuda:"?cuEventDestroy_v2"`
	// streamWaitEvent makes a stream wait. The flags are 0.
	streamWaitEvent func(stream, event uintptr, flags uint32) code `hip:"?hipStreamWaitEvent" cuda:"?cuStreamWaitEvent"`

	// Graphs. The flags of graphInstantiate are 0.
	graphBegin       func(stream uintptr, mode int32) code                 `hip:"?hipStreamBeginCapture" cuda:"?cuStreamBeginCapture_v2"`
	graphEnd         func(stream uintptr, graph *uintptr) code             `hip:"?hipStreamEndCapture" cuda:"?cuStreamEndCapture"`
	graphInstantiate func(exec *uintptr, graph uintptr, flags uint64) code `hip:"?hipGraphInstantiateWithFlags" cuda:"?cuGraphInstantiateWithFlags"`
	graphLaunch      func(exec, stream uintptr) code                       `hip:"?hipGraphLaunch" cuda:"?cuGraphLaunch"`
	graphDestroy     func(graph uintptr) code                              `hip:"?hipGraphDestroy" cuda:"?cuGraphDestroy"`
	graphExecDestroy func(exec uintptr) code                               `hip:"?hipGraphExecDestroy" cuda:"?cuGraphExecDestroy"`

	hipErrorName   func(c code) string            `hip:"hipGetErrorName"`
	hipErrorString func(c code) string            `hip:"hipGetErrorString"`
	cuErrorName    func(c code, text **byte) code `cuda:"cuGetErrorName"`
	cuErrorString  func(c code, text **byte) code `cuda:"cuGetErrorString"`

	platform Platform
	lib      *library // nil for the emulated device
	extraEnd uintptr  // the end mark of launchExtra: 3 for HIP, 0 for CUDA

	// What the emulated device does its own way; nil on GPUs. explain makes the error of a code.
	loadObject   func(module *uintptr, image []byte) code
	explain      func(call string, c code) error
	interrupt    func() // ends a running kernel
	emulation    *emulation
	runtime      string // HIP 6.3.1, CUDA 12.8
	major, minor int32  // of HIP

	first   atomic.Int32 // 1 more than the index of the GPU that was opened first; 0 before
	several atomic.Bool  // more than one GPU is in use

	pinned pinnedRanges // with hostRegister
}

// opened notes that a GPU is in use.
func (drv *driver) opened(index int) {
	if n := int32(index) + 1; !drv.first.CompareAndSwap(0, n) && drv.first.Load() != n {
		drv.several.Store(true)
	}
}

// launchExtra is the extra argument of a launch: five words that say where the packed kernel arguments are. What follows them is ours.
type launchExtra struct {
	bufferTag uintptr // 1
	buffer    unsafe.Pointer
	sizeTag   uintptr // 2
	size      *uintptr
	end       uintptr

	words [11]uintptr // what the call is made of: a slice of its own for each call would be an allocation
}

// set says where the arguments are.
func (x *launchExtra) set(data []byte, size *uintptr, end uintptr) {
	x.bufferTag, x.buffer, x.sizeTag, x.size, x.end = 1, unsafe.Pointer(unsafe.SliceData(data)), 2, size, end
}

// column is the tag that has a platform's names. The emulated device goes by HIP's.
func (p Platform) column() string {
	if p == CUDA {
		return "cuda"
	}
	return "hip"
}

// bind fills the fields of table, a pointer to a struct of functions, from the tags of one column.
// It fails with the names that none of the libraries has.
func bind(table any, column string, libs ...*library) error {
	v := reflect.ValueOf(table).Elem()
	var missing []string
	for i := range v.NumField() {
		name, ok := v.Type().Field(i).Tag.Lookup(column)
		if !ok {
			continue
		}
		name, optional := strings.CutPrefix(name, "?")
		var symbol uintptr
		for _, lib := range libs {
			if s, err := purego.Dlsym(lib.handle, name); err == nil && s != 0 {
				symbol = s
				break
			}
		}
		switch {
		case symbol != 0:
			bindField(reflect.NewAt(v.Field(i).Type(), v.Field(i).Addr().UnsafePointer()).Interface(), symbol)
		case !optional:
			missing = append(missing, name)
		}
	}
	if missing != nil {
		var paths []string
		for _, lib := range libs {
			paths = append(paths, lib.path)
		}
		return &Error{Op: "load " + strings.Join(paths, ", "), Text: "lacks " + strings.Join(missing, ", "), Kind: ErrNoLibrary}
	}
	return nil
}

// bindField sets one function field. The calls of every operation avoid reflection: SyscallN costs 0.2 µs, a call that
// RegisterFunc made 2 µs.
func bindField(field any, symbol uintptr) {
	switch f := field.(type) {
	case *func(uintptr) code: // use, free, streamWait, eventWait
		*f = func(a uintptr) code { return result(purego.SyscallN(symbol, a)) }
	case *func(uintptr, uintptr) code: // eventRecord, graphLaunch
		*f = func(a, b uintptr) code { return result(purego.SyscallN(symbol, a, b)) }
	case *func(*uintptr, uintptr) code: // malloc
		*f = func(p *uintptr, n uintptr) code {
			return result(purego.SyscallN(symbol, uintptr(unsafe.Pointer(p)), n))
		}
	case *func(uintptr, unsafe.Pointer, uintptr, uintptr) code: // upload
		*f = func(dst uintptr, src unsafe.Pointer, n, stream uintptr) code {
			return result(purego.SyscallN(symbol, dst, uintptr(src), n, stream))
		}
	case *func(unsafe.Pointer, uintptr, uintptr, uintptr) code: // download
		*f = func(dst unsafe.Pointer, src, n, stream uintptr) code {
			return result(purego.SyscallN(symbol, uintptr(dst), src, n, stream))
		}
	case *func(uintptr, uintptr, uintptr, uintptr) code: // copy
		*f = func(dst, src, n, stream uintptr) code { return result(purego.SyscallN(symbol, dst, src, n, stream)) }
	case *func(uintptr, uint32, uint32, uint32, uint32, uint32, uint32, uint32, uintptr, uintptr, *launchExtra) code:
		*f = func(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, extra *launchExtra) code {
			extra.words = [...]uintptr{fn, uintptr(gx), uintptr(gy), uintptr(gz), uintptr(bx), uintptr(by), uintptr(bz),
				uintptr(shared), stream, params, uintptr(unsafe.Pointer(extra))}
			return result(purego.SyscallN(symbol, extra.words[:]...))
		}
	case *libraryCall:
		*f = func(args ...uintptr) code { return result(purego.SyscallN(symbol, args...)) }
	default:
		purego.RegisterFunc(field, symbol)
	}
}

// result is the C int in the return register; its upper half is undefined.
func result(r, _, _ uintptr) code { return code(int32(uint32(r))) }

// callName is the C name of a field of the driver table.
func (drv *driver) callName(field string) string {
	return tagName[driver](field, drv.platform.column())
}

// tagName is the C name of a field of a table of functions, the field itself if it has none.
func tagName[Table any](field, column string) string {
	key := tagKey{reflect.TypeFor[Table](), field, column}
	if name, ok := tagNames.Load(key); ok {
		return name.(string)
	}
	name := field
	if f, ok := key.table.FieldByName(field); ok {
		if tag, ok := f.Tag.Lookup(column); ok {
			name = strings.TrimPrefix(tag, "?")
		}
	}
	tagNames.Store(key, name)
	return name
}

// tagNames are the answers of tagName: every call of a library asks, and tables are long.
var tagNames sync.Map // tagKey to string

type tagKey struct {
	table         reflect.Type
	field, column string
}

// fail turns a driver's code into an error; field is the table's field that was called.
func (drv *driver) fail(field string, c code, detail string) error {
	if drv.explain != nil {
		return drv.explain(drv.callName(field), c)
	}
	e := &Error{Op: drv.callName(field), Code: int(c), Kind: kinds[c], Detail: detail}
	switch {
	case drv.hipErrorName != nil:
		e.Name = drv.hipErrorName(c)
		if drv.hipErrorString != nil {
			e.Text = drv.hipErrorString(c)
		}
	case drv.cuErrorName != nil:
		e.Name, e.Text = cuText(drv.cuErrorName, c), cuText(drv.cuErrorString, c)
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

func cuText(get func(code, **byte) code, c code) string {
	var text *byte
	if get == nil || get(c, &text) != 0 {
		return ""
	}
	return goString(text)
}

// goString copies a C string; nil gives "".
func goString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// cString returns s with a final NUL, for C to read during one call.
func cString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}
