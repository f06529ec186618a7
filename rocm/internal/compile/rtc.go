//lint:file-ignore ST1003 names of hiprtc, as its manual has them

package compile

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// RTC is the table of a run-time compiler's calls; hiprtc and NVRTC differ in names alone.
type RTC struct {
	rtcVersion  func(major, minor *int32) driver.Code                                                `hip:"hiprtcVersion" cuda:"nvrtcVersion"`
	create      func(p *uintptr, source, name *byte, headers int32, texts, names **byte) driver.Code `hip:"hiprtcCreateProgram" cuda:"nvrtcCreateProgram"`
	build       func(p uintptr, n int32, options **byte) driver.Code                                 `hip:"hiprtcCompileProgram" cuda:"nvrtcCompileProgram"`
	logSize     func(p uintptr, n *uintptr) driver.Code                                              `hip:"hiprtcGetProgramLogSize" cuda:"nvrtcGetProgramLogSize"`
	log         func(p uintptr, text *byte) driver.Code                                              `hip:"hiprtcGetProgramLog" cuda:"nvrtcGetProgramLog"`
	codeSize    func(p uintptr, n *uintptr) driver.Code                                              `hip:"hiprtcGetCodeSize" cuda:"?nvrtcGetCUBINSize"`
	code        func(p uintptr, image *byte) driver.Code                                             `hip:"hiprtcGetCode" cuda:"?nvrtcGetCUBIN"`
	ptxSize     func(p uintptr, n *uintptr) driver.Code                                              `cuda:"nvrtcGetPTXSize"`
	ptx         func(p uintptr, image *byte) driver.Code                                             `cuda:"nvrtcGetPTX"`
	destroy     func(p *uintptr) driver.Code                                                         `hip:"hiprtcDestroyProgram" cuda:"nvrtcDestroyProgram"`
	errorString func(c driver.Code) string                                                           `hip:"hiprtcGetErrorString" cuda:"nvrtcGetErrorString"`
	archCount   func(n *int32) driver.Code                                                           `cuda:"?nvrtcGetNumSupportedArchs"`
	archs       func(list *int32) driver.Code                                                        `cuda:"?nvrtcGetSupportedArchs"`

	mu       sync.Mutex // hiprtc is not safe for several compilations at once in every version; NVRTC is
	Platform driver.Platform
	Library  *driver.Library
	// the compiler's own number, and for hiprtc that of HIP: hiprtcVersion says 9.0 in all releases of 5.x
	Major, Minor int32
}

var (
	LoadHIPRTC = sync.OnceValues(func() (*RTC, error) { return openRTC(driver.HIP) })
	LoadNVRTC  = sync.OnceValues(func() (*RTC, error) { return openRTC(driver.CUDA) })
)

// openRTC loads a run-time compiler. Older releases have hiprtc in the HIP runtime, which is tried second.
func openRTC(platform driver.Platform) (*RTC, error) {
	r := &RTC{Platform: platform}
	if platform == driver.CUDA {
		lib, err := driver.SearchNVRTC().Load()
		if err != nil {
			return nil, err
		}
		r.Library = lib
	} else {
		var beside *driver.Library
		var major, minor int32
		if hip, err := driver.LoadHIP(); err == nil {
			beside, major, minor = hip.Library, hip.Major, hip.Minor
		}
		lib, err := driver.SearchHIPRTC(beside, major, minor).Load()
		if err != nil && beside == nil {
			return nil, err
		}
		if err != nil {
			lib = beside
		}
		r.Library = lib
	}
	if err := driver.Bind(r, platform.Column(), r.Library); err != nil {
		return nil, err
	}
	if c := r.rtcVersion(&r.Major, &r.Minor); c != 0 {
		return nil, r.fail("version", c)
	}
	if hip, err := driver.LoadHIP(); platform == driver.HIP && err == nil {
		r.Major, r.Minor = hip.Major, hip.Minor
	}
	return r, nil
}

func (r *RTC) fail(op string, c driver.Code) error {
	return &driver.Error{Op: r.Library.Path + " " + op, Code: int(c), Name: r.errorString(c), Kind: driver.ErrCompile}
}

// Version includes the file, its size and time, since builds of one version differ, and the headers.
func (r *RTC) Version() string {
	text := fmt.Sprintf("%s rtc %d.%d %s", r.Platform, r.Major, r.Minor, r.Library.Path)
	if info, err := os.Stat(r.Library.Path); err == nil {
		text += fmt.Sprintf(" %d %d", info.Size(), info.ModTime().UnixNano())
	}
	return text + allHeaders()
}

// Options are such that a kernel rounds the same everywhere: no fused multiply-add unless the source has one.
func (r *RTC) Options(arch string) ([]string, error) {
	if r.Platform == driver.CUDA {
		return []string{"--gpu-architecture=" + r.nvidiaArch(arch), "--std=c++17", "--fmad=false",
			"--pre-include=hip/hip_runtime.h"}, nil
	}
	if base, _, _ := driver.SplitEmulated(arch); base != arch {
		return nil, &driver.Error{Op: "compile for " + arch, Kind: driver.ErrCompile,
			Text: "hiprtc makes waves of 32 for a gfx1100, with its own matrix cores: clang 17 or newer makes others"}
	}
	if err := r.checkArch(arch); err != nil {
		return nil, err
	}
	return []string{"--offload-arch=" + arch, "-O3", "-std=c++17", "-ffp-contract=off"}, nil
}

// checkArch refuses architectures that this hiprtc lacks: hiprtc 5.2 ends the process for them.
func (r *RTC) checkArch(arch string) error {
	base, _, _ := strings.Cut(arch, ":")
	if r.Major > 5 || r.Major == 5 && r.Minor >= 7 {
		return nil
	}
	old := []string{"gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1010", "gfx1011", "gfx1012", "gfx1030",
		"gfx1031", "gfx1032"}
	if slices.Contains(old, base) {
		return nil
	}
	return &driver.Error{Op: "compile for " + base, Kind: driver.ErrCompile,
		Text: fmt.Sprintf("hiprtc %d.%d (%s) has no device library for it: use ROCm 5.7 or newer", r.Major, r.Minor,
			r.Library.Path)}
}

// nvidiaArch is the device's architecture, or the newest that this NVRTC supports, as PTX, which the driver compiles.
// sm_90 becomes sm_90a, which has the instructions of kernels/warpgroup.h.
func (r *RTC) nvidiaArch(arch string) string {
	var n, want int32
	if r.code == nil || r.archCount == nil || r.archs == nil || r.archCount(&n) != 0 || n < 1 {
		return strings.Replace(arch, "sm_", "compute_", 1)
	}
	list := make([]int32, n)
	if r.archs(&list[0]) != 0 {
		return arch
	}
	_, _ = fmt.Sscanf(arch, "sm_%d", &want)
	if slices.Contains(list, want) {
		if want == 90 && r.Major >= 12 {
			return "sm_90a"
		}
		return arch
	}
	return fmt.Sprintf("compute_%d", slices.Max(list))
}

// nvrtcDeclarations are built into hiprtc, but not into NVRTC.
const nvrtcDeclarations = `#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#define __shfl(...) __shfl_sync(0xffffffffu, __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(0xffffffffu, __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(0xffffffffu, __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(0xffffffffu, __VA_ARGS__)
#define __ballot(p) __ballot_sync(0xffffffffu, p)
#define __any(p) __any_sync(0xffffffffu, p)
#define __all(p) __all_sync(0xffffffffu, p)
`

// assert.h for NVRTC, and for versions of hiprtc that have no assert built in.
const (
	cudaAssert = `#pragma once
extern "C" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned, const char *, size_t);
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, "", 1))
#endif
`
	hipAssert = `#pragma once
#ifndef assert
#define assert(condition) ((condition) ? (void)0 : (void)(printf("assertion %s failed\n", #condition), __builtin_trap()))
#endif
`
)

func (r *RTC) Compile(name, source string, options []string) ([]byte, error) {
	if InChildren.Load() {
		if image, err := r.compileInChild(name, source, options); !errors.Is(err, errNoChild) {
			return image, err
		}
	}
	return r.compileInProcess(name, source, options)
}

// compileInProcess compiles in this process, which a fatal error of the compiler ends.
func (r *RTC) compileInProcess(name, source string, options []string) ([]byte, error) {
	if r.Platform == driver.CUDA || isGorocmKernel(source) {
		return r.compileSource(name, source, options)
	}
	image, err := r.compileSource(name, rtcPreamble(name, source)+source, options)
	var e *driver.Error
	if errors.As(err, &e) && e.Code == HIPRTC_ERROR_COMPILATION { // this version may declare a name differently
		plain := hipHeader("platform.h") + fmt.Sprintf("#line 1 %q\n", name) + source
		if image, err := r.compileSource(name, plain, options); err == nil {
			return image, nil
		}
	}
	return image, err
}

// HIPRTC_ERROR_COMPILATION is the code for a source that does not compile.
const HIPRTC_ERROR_COMPILATION = 6

// compileSource compiles a source without adding anything to it.
func (r *RTC) compileSource(name, source string, options []string) ([]byte, error) {
	if r.Platform != driver.CUDA {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	var p uintptr
	var names, texts []*byte
	headers := r.headers()
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		names, texts = append(names, driver.CString(name)), append(texts, driver.CString(headers[name]))
	}
	if c := r.create(&p, driver.CString(source), driver.CString(name), int32(len(names)), &texts[0],
		&names[0]); c != 0 {
		return nil, r.fail("create program", c)
	}
	defer r.destroy(&p)
	list := make([]*byte, len(options))
	for i, o := range options {
		list[i] = driver.CString(o)
	}
	if c := r.build(p, int32(len(list)), unsafe.SliceData(list)); c != 0 {
		e := &driver.Error{Op: "compile " + name, Code: int(c), Name: r.errorString(c), Kind: driver.ErrCompile}
		if log, err := r.fetch(p, "log", r.logSize, r.log); err == nil {
			e.Detail = strings.TrimRight(string(log), "\x00\n")
		}
		return nil, e
	}
	if r.Platform == driver.CUDA && !strings.HasPrefix(options[0], "--gpu-architecture=sm_") {
		return r.fetch(p, "PTX", r.ptxSize, r.ptx)
	}
	return r.fetch(p, "code", r.codeSize, r.code)
}

// fetch reads one of a program's results.
func (r *RTC) fetch(p uintptr, what string, size func(uintptr, *uintptr) driver.Code,
	get func(uintptr, *byte) driver.Code) ([]byte, error) {
	var n uintptr
	if c := size(p, &n); c != 0 {
		return nil, r.fail("size of "+what, c)
	}
	if n == 0 {
		return nil, nil
	}
	b := make([]byte, n)
	if c := get(p, &b[0]); c != 0 {
		return nil, r.fail("get "+what, c)
	}
	return b, nil
}
