package compile

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Headers for plain clang, in folder hip: what hiprtc declares by itself. Most are put before a kernel only when it
// uses them, so that small kernels compile quickly.
//
//	platform.h    what hipcc defines: __HIP_PLATFORM_AMD__, HIP_VERSION; hiprtc and NVRTC lack it, too
//	constants.h   numbers and old names, which hiprtc lacks, too
//	rtc.h         what else hiprtc lacks
//	names.h       threadIdx, __syncthreads, vectors, shuffles, atomics: before every kernel, also gorocm's own
//	intrinsics.h  the rest of HIP's functions that need no device library
//	math.h        functions of its device library, from those of gorocm's own kernels
//	std.h         what kernels take from namespace std
//	half.h        hip/hip_fp16.h, which hiprtc declares by itself, too
//	bfloat.h      hip/hip_bf16.h
//	groups.h      hip/hip_cooperative_groups.h, which hiprtc and NVRTC are given as well
//	print.h       printf, assert and abort
//
//go:embed hip
var hipHeaders embed.FS

func hipHeader(name string) string {
	text, err := hipHeaders.ReadFile("hip/" + name)
	if err != nil {
		panic("rocm: " + err.Error()) // the embed directive takes all
	}
	return string(text)
}

// builtinHeaders are files that sources for other compilers include. They are empty: what they declare is built in.
var builtinHeaders = []string{
	"hip/hip_runtime.h", "hip/hip_runtime_api.h", "hip/hip_version.h", "hip/hip_common.h", "hip/hip_fp16.h",
	"hip/hip_bf16.h", "hip/hip_bfloat16.h", "hip/hip_vector_types.h", "hip/hip_math_constants.h",
	"hip/math_functions.h", "hip/device_functions.h", "math.h", "cmath", "stdio.h", "cstdio", "assert.h", "cassert",
	"stdint.h", "cstdint", "stddef.h", "cstddef",
	"float.h", "cfloat", "limits.h", "climits", "limits", "algorithm", "utility", "type_traits",
}

const groupsHeader = "hip/hip_cooperative_groups.h"

// headers are the files that sources for hiprtc or NVRTC may include, with their texts.
func (r *RTC) headers() map[string]string {
	texts := map[string]string{groupsHeader: hipHeader("groups.h")}
	for _, name := range builtinHeaders {
		texts[name] = "// built in\n"
	}
	texts["assert.h"] = hipAssert
	if r.Platform == driver.CUDA {
		texts["assert.h"] = cudaAssert
		texts["hip/hip_runtime.h"] = nvrtcDeclarations + hipHeader("platform.h") + cudaAssert
		texts["hip/hip_fp16.h"], texts["hip/hip_bf16.h"] = "#include <cuda_fp16.h>\n", "#include <cuda_bf16.h>\n"
	} else { // some versions of hiprtc have cooperative groups of their own, without votes
		texts[groupsHeader] = "#pragma once\n#define cooperative_groups gorocm_groups\n" + texts[groupsHeader]
	}
	texts["cassert"] = texts["assert.h"]
	return texts
}

// header is put before sources that use one of its names.
type header struct {
	file  string
	names *regexp.Regexp
}

var (
	optionalHeaders = sync.OnceValue(func() []header {
		halves := regexp.MustCompile(`half|\b__h[a-z]|\bh2?(exp|log|sqrt|rsqrt|rcp|sin|cos|floor|ceil|trunc|rint)`)
		return []header{
			{"math.h", regexp.MustCompile(`\bstd\b|` + callPattern(hipHeader("math.h")))},
			{"std.h", regexp.MustCompile(`\bstd\b`)},
			{"half.h", halves},
			{"bfloat.h", regexp.MustCompile(`bfloat16`)},
			{"print.h", callsPrint},
		}
	})
	callsPrint = regexp.MustCompile(`\b(printf|assert|abort)\s*\(`)
)

// callPattern matches calls of what a header defines.
func callPattern(header string) string {
	declared := regexp.MustCompile(`(?m)^GOROCM_DEVICE .*?(\w+)\(|^GOROCM_(?:MATH|FLOAT1|FLOAT2|MIXED|CLASS)\((\w+)\)`)
	var names []string
	for _, m := range declared.FindAllStringSubmatch(header, -1) {
		name := m[1] + m[2]
		names = append(names, name)
		if m[2] != "" {
			names = append(names, name+"f")
		}
	}
	return `\b(` + strings.Join(names, "|") + `)\s*\(`
}

// hipNames is put before every source.
//
//go:embed hip/names.h
var hipNames string

// isGorocmKernel reports whether a source is one of gorocm's own kernels, which need no headers.
func isGorocmKernel(source string) bool { return strings.Contains(source, "\nnamespace gr {\n") }

// rtcPreamble is put before a source that hiprtc compiles. A line directive ends it, so that messages have the lines of
// the source.
func rtcPreamble(name, source string) string {
	var b strings.Builder
	for _, header := range []string{"platform.h", "constants.h", "rtc.h"} {
		b.WriteString(hipHeader(header))
	}
	for _, n := range optionalHeaders() {
		switch {
		case n.file == "std.h" && n.names.MatchString(source): // beside what some versions of hiprtc have there
			b.WriteString("#define std gorocm_std\n" + hipHeader("std.h"))
		case n.file == "bfloat.h" && n.names.MatchString(source):
			b.WriteString(strings.Replace(hipHeader("bfloat.h"), "#pragma once\n", "", 1))
		}
	}
	fmt.Fprintf(&b, "#line 1 %q\n", name)
	return b.String()
}

// clangPreamble is put before a source that plain clang compiles.
func clangPreamble(source string) string {
	if isGorocmKernel(source) {
		return hipNames
	}
	var b strings.Builder
	b.WriteString(hipNames)
	b.WriteString(hipHeader("platform.h"))
	b.WriteString(hipHeader("constants.h"))
	b.WriteString(hipHeader("intrinsics.h"))
	for _, n := range optionalHeaders() {
		if !n.names.MatchString(source) {
			continue
		}
		if n.file == "math.h" {
			b.WriteString(kernels.Math())
		}
		b.WriteString(hipHeader(n.file))
	}
	return b.String()
}

// allHeaders is all that may be put before a source. It is part of keys of the cache.
var allHeaders = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString(kernels.Math())
	for _, name := range []string{"names.h", "platform.h", "constants.h", "rtc.h", "intrinsics.h", "math.h", "std.h",
		"half.h", "bfloat.h", "groups.h", "print.h"} {
		b.WriteString(hipHeader(name))
	}
	return b.String()
})

// writeHeaders writes the headers for a source to a folder, and returns the path of the one to include first.
func writeHeaders(dir, source string) (first string, err error) {
	err = os.Mkdir(filepath.Join(dir, "hip"), 0o700)
	for _, name := range builtinHeaders {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	first = filepath.Join(dir, "hip", "hip_runtime.h")
	return first, errors.Join(err,
		os.WriteFile(first, []byte(clangPreamble(source)), 0o600),
		os.WriteFile(filepath.Join(dir, groupsHeader), []byte(hipHeader("groups.h")), 0o600))
}
