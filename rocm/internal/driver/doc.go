// Package driver binds the drivers of GPUs: one table of function fields, which each platform fills in its own way.
//
//	table.go        Table: a row for each driver call, with HIP's name and CUDA's; errors of driver codes
//	bind.go         Bind fills such a table from shared libraries; the tables of other libraries use it, too
//	search.go       where the libraries may be, and loading them
//	search_unix.go, search_windows.go
//	                the folders of each system
//	search_rocm.go  the libraries of the ROCm release that the HIP runtime belongs to
//	hip.go          AMD GPUs: libamdhip64, amdhip64_7.dll
//	cuda.go         NVIDIA GPUs: libcuda
//	emulated.go     the emulated gfx1100: a table of Go functions
//	pinned.go       the host's memory that is pinned
//	info.go, error.go, environment.go
//
// # Invariants
//
// Libraries are loaded when they are first asked for, and never unloaded. A machine without them gets an *Error of kind
// ErrNoLibrary that lists what was tried; nothing panics.
//
// A table is filled once and read by all goroutines. Its calls work on the device that is current on the calling
// thread: package rocm locks the thread and sets the device before each (Device.call).
//
// No call keeps a pointer that it was given, except ModuleLoad, whose image must live as long as the module.
//
// The package knows no Device, and no package of rocm's but the emulator. Package rocm makes *rocm.Error of its errors.
package driver
