// Command emulatedhip is a HIP runtime whose GPU is the emulated one, as a shared library: libamdhip64.so.7, or
// amdhip64_7.dll. With it the tests of tensors take the way of an AMD GPU, through the loader, the C calling convention
// and the driver's table for HIP, and compute what they are to:
//
//	go build -buildmode=c-shared -o DIR/libamdhip64.so.7 ./rocm/testdata/emulatedhip
//	GOROCM_LIBRARY_PATH=DIR GOROCM_REQUIRE_GPU=1 go test -run 'TestROCm$' ./tensor/devicetest
//
// For Windows, GOOS=windows CC=x86_64-w64-mingw32-gcc CGO_ENABLED=1 builds it; .ci/wine/run does so.
package main

import "C"

import (
	"encoding/binary"
	"errors"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

const (
	version      = 70_125_424 // of ROCm 7.1
	memory       = 4 << 30
	arch         = emulator.GFX1100
	invalidValue = int32(driver.CodeInvalidValue)
	archOffset   = 1160 // of gcnArchName in hipDeviceProp_t, since ROCm 6
	propertySize = 1472
)

var table = sync.OnceValue(func() *driver.Table {
	t, err := driver.NewEmulator(emulator.Config{Arch: arch, Memory: memory})
	if err != nil {
		panic(err)
	}
	return t
})

func main() {}

// code is HIP's code of an emulator's.
func code(c driver.Code) int32 {
	if c == 0 {
		return 0
	}
	var e *driver.Error
	if errors.As(table().Explain("", c), &e) && e.Code > 0 {
		return int32(e.Code)
	}
	return invalidValue
}

//export hipInit
func hipInit(uint32) int32 { return 0 }

//export hipRuntimeGetVersion
func hipRuntimeGetVersion(v *int32) int32 { *v = version; return 0 }

//export hipGetDeviceCount
func hipGetDeviceCount(n *int32) int32 { *n = 1; return 0 }

//export hipDeviceGetName
func hipDeviceGetName(text *byte, size, device int32) int32 {
	copy(unsafe.Slice(text, size), "Emulated Radeon\x00")
	return 0
}

//export hipDeviceTotalMem
func hipDeviceTotalMem(n *uintptr, device int32) int32 { *n = memory; return 0 }

//export hipDeviceGetAttribute
func hipDeviceGetAttribute(v *int32, attribute, device int32) int32 {
	switch attribute {
	case 16: // integrated
		*v = 0
	case 63: // work group processors
		*v = 2
	case 87: // size of waves
		*v = 32
	default:
		return invalidValue
	}
	return 0
}

//export hipGetDevicePropertiesR0600
func hipGetDevicePropertiesR0600(p *byte, device int32) int32 {
	b := unsafe.Slice(p, propertySize)
	clear(b)
	copy(b, "Emulated Radeon")
	copy(b[archOffset:], arch)
	return 0
}

//export hipSetDevice
func hipSetDevice(device int32) int32 { return 0 }

//export hipGetErrorName
func hipGetErrorName(c int32) *C.char { return C.CString("emulated error") }

//export hipGetErrorString
func hipGetErrorString(c int32) *C.char { return C.CString("an error of the emulated GPU") }

//export hipMemGetInfo
func hipMemGetInfo(free, total *uintptr) int32 { return code(table().MemInfo(free, total)) }

//export hipMalloc
func hipMalloc(p *uintptr, n uintptr) int32 { return code(table().Malloc(p, n)) }

//export hipFree
func hipFree(p uintptr) int32 { return code(table().Free(p)) }

//export hipMemcpyHtoDAsync
func hipMemcpyHtoDAsync(dst uintptr, src unsafe.Pointer, n, stream uintptr) int32 {
	return code(table().Upload(dst, src, n, stream))
}

//export hipMemcpyDtoHAsync
func hipMemcpyDtoHAsync(dst unsafe.Pointer, src, n, stream uintptr) int32 {
	return code(table().Download(dst, src, n, stream))
}

//export hipMemcpyDtoDAsync
func hipMemcpyDtoDAsync(dst, src, n, stream uintptr) int32 {
	return code(table().Copy(dst, src, n, stream))
}

//export hipMemsetD8Async
func hipMemsetD8Async(dst uintptr, value uint8, n, stream uintptr) int32 {
	return code(table().Memset(dst, value, n, stream))
}

//export hipMemsetD32Async
func hipMemsetD32Async(dst uintptr, value uint32, n, stream uintptr) int32 {
	return code(table().Memset32(dst, value, n, stream))
}

//export hipStreamCreateWithFlags
func hipStreamCreateWithFlags(stream *uintptr, flags uint32) int32 { *stream = 1; return 0 }

//export hipStreamSynchronize
func hipStreamSynchronize(stream uintptr) int32 { return code(table().StreamSynchronize(stream)) }

//export hipModuleLoadData
func hipModuleLoadData(module *uintptr, image *byte) int32 {
	header := unsafe.Slice(image, 64)
	sections := binary.LittleEndian.Uint64(header[0x28:]) // which end an ELF file
	size := uint64(binary.LittleEndian.Uint16(header[0x3a:])) * uint64(binary.LittleEndian.Uint16(header[0x3c:]))
	return code(table().LoadObject(module, unsafe.Slice(image, sections+size)))
}

//export hipModuleUnload
func hipModuleUnload(module uintptr) int32 { return code(table().ModuleUnload(module)) }

//export hipModuleGetFunction
func hipModuleGetFunction(function *uintptr, module uintptr, name *byte) int32 {
	return code(table().ModuleFunction(function, module, name))
}

//export hipModuleGetGlobal
func hipModuleGetGlobal(p, size *uintptr, module uintptr, name *byte) int32 {
	return code(table().ModuleGlobal(p, size, module, name))
}

//export hipModuleLaunchKernel
func hipModuleLaunchKernel(function uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, extra unsafe.Pointer) int32 {
	var x driver.LaunchExtra
	args := (*driver.LaunchExtra)(extra) // of which the caller has the five words
	if args.BufferTag != 1 || args.SizeTag != 2 || args.End != 3 || params != 0 {
		return invalidValue
	}
	x.Set(unsafe.Slice((*byte)(args.Buffer), *args.Size), args.Size, args.End)
	return code(table().Launch(function, gx, gy, gz, bx, by, bz, shared, stream, params, &x))
}
