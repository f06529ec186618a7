// Package compile makes code objects of HIP source: by hiprtc for AMD GPUs, by NVRTC for NVIDIA GPUs, and by one of
// hiprtc and clang for the emulated gfx1100.
//
//	compile.go    Job: the compilation of one source for a Target, with the compiler that fits
//	cache.go      compiled kernels on disk
//	rtc.go        RTC: hiprtc and NVRTC, libraries that differ in names alone
//	child.go      compilation in child processes, which a fatal error of a compiler may end
//	ahead.go      compilations that nobody waits for yet, in children of low priority
//	clang.go      Clang: a program; clang_folder.go is where it works
//	headers.go    what stands before a source, and what it may include: folder hip
//	bundle.go     code objects of other compilers; foreign.go what they say of their kernels
//	hostpart.go   what a pasted program has for the host, and textures
//	signature.go  kernels and their parameters, read from a source
//	values.go     Go numbers as the bits that parameters take
//	isa.go        the instructions of a compiled kernel
//	describe.go   what a code object says of a kernel
//	empty.go      kernels that are compiled to nothing
//
// # Invariants
//
// Kernels round the same on all platforms: no compiler may contract a product and a sum to a fused multiply-add.
//
// A key of the cache has all that a code object depends on: the source, what stands before it, the options, the
// architecture, and the compiler with its version. Files of the cache get their names when they are complete, and begin
// with the checksum of the rest.
//
// hiprtc compiles one source at a time in a process (RTC.mu). NVRTC, clang and children compile side by side. All
// functions may be called by several goroutines.
//
// The package knows no Device. Its errors are *driver.Error.
package compile
