// Package rocm is the runtime of AMD and NVIDIA GPUs: devices, memory, modules, launches, transfers. It knows bytes,
// not tensors.
//
//	d, err := rocm.Open("rocm")
//	b, err := d.Alloc(4 * n)
//	err = b.Upload(0, bytes)
//	m, err := d.Load(rocm.Program{Name: "add", Source: source, Object: object})
//	f, err := m.Function("add_f32")
//	err = d.Launch(f, [3]int{blocks, 1, 1}, [3]int{256, 1, 1}, 0, rocm.NewArgs().Buffer(b, 0).U64(n))
//	err = b.Download(bytes, 0)
//
// # Your own kernels
//
//	k, err := rocm.Compile("twice", "__global__ void twice(float *x, int n) { … }")
//	err = k.Launch(n, x, n)   // x is a tensor, or a *Buffer
//
// Compile reads the parameters out of the source, so that a launch takes Go values and says which of them does not fit.
// Resources and Disassembly show the compiled kernel.
//
// LoadModule loads the output of other compilers: code objects and bundles of them. Their kernels are launched in the
// same way, checked against the metadata of the module; Module.Global is the memory of a variable.
//
// # Platforms
//
// One table of function fields (internal/driver) is filled for each of three platforms: AMD GPUs through libamdhip64,
// NVIDIA GPUs through libcuda, and an emulated gfx1100 in Go that executes the code object a Radeon would load. The
// libraries are loaded when the first device of their platform is opened; nothing is needed to build, and a machine
// without them gets an error that lists what was tried. "rocm" means an AMD GPU, or the emulated one where there is
// none; Info and Default say which.
//
// # Files
//
//	device.go, open.go, devices.go  Device, and finding one; probe.go: GPUs and libraries of the machine; errors.go
//	buffer.go, pool.go, counters.go  memory of a device
//	transfer.go, staging.go, pinned.go  copies between the host and a device
//	module.go, args.go, launch*.go  modules, arguments and launches
//	kernel*.go, compiler*.go  kernels that a program brings as source
//	load_module.go, unload.go  modules that other compilers have made, and the end of modules
//	cooperative.go  launches whose blocks wait for one another
//	stream*.go, event.go, host_func.go, fill.go  further streams, and what is put on them
//	graph*.go  captured launches; thread_*.go tells threads apart
//	lost.go  GPUs that the driver refuses, and opening them again; ipc.go  memory of other processes
//	deferred.go, activity.go  launches that package tensor has deferred, and what a device does now
//	timer.go, profile.go, ranges.go, sanitize.go, sensors*.go  measuring and checking
//	gemm.go, solver.go, convolution.go, layers.go, libraries.go  work for the makers' libraries
//	group*.go  several devices
//
// Below are packages that know no Device:
//
//	internal/driver   the table of driver calls, and one file for each platform
//	internal/compile  hiprtc, NVRTC and clang, the cache, compilation in child processes
//	internal/mathlib  rocBLAS, hipBLASLt, rocSOLVER and MIOpen; cuBLAS, cuBLASLt, cuSOLVER and cuDNN
//	internal/group    RCCL and NCCL, and groups of processes
//	emulator          the emulated GPUs: gfx1100, gfx942, gfx1200 and gfx1201
//
// # Goroutines
//
// All methods may be called by several goroutines. The package starts its own for large transfers, which end with the
// call (transfer.go), and for Go's collector when device memory is short (pool.go). Nothing else runs in the
// background.
//
// # Invariants
//
// Every Device has one stream; NewStream gives another Device of the same GPU, with its own. Launches and copies are
// put on it in the order of the calls; Download and Synchronize wait for it. Memory that a Buffer gave back is handed
// out again at once, which is correct because whatever still uses it comes earlier on the same stream.
//
// The current device belongs to the OS thread, and goroutines move: every driver call goes through Device.call, which
// locks the thread and sets the device. All methods may be called by several goroutines.
//
// A module stays loaded until Unload, which waits for the device and refuses while a graph has kernels of it.
//
// After an error code that faults and resets cause, Device.call finds out whether the GPU is lost. If it is, every call
// of its Devices returns ErrLost without calling the driver, and Open makes another Device.
//
// Nothing here panics. Errors are *Error values; errors.Is tells their kinds (ErrNoDevice, ErrOutOfMemory, …).
//
// # Products of matrices
//
// Device.Gemm multiplies with rocBLAS or cuBLAS, and f8e4m3 with hipBLASLt or cuBLASLt, where the device has them.
// Callers have kernels of their own for the rest: a library that is absent, lacks a call, has no code for the GPU or
// fails is not an error. Device.BLAS and Device.BLASLt say which library is used, or why none is.
//
// Device.Factor does the same for factorisations of matrices, with rocSOLVER or cuSOLVER (see Device.Solver), and
// Device.SolveTriangular for triangular systems, with rocBLAS or cuBLAS.
//
// # Convolutions and pools
//
// Device.Convolve and Device.Pool do the same with MIOpen or cuDNN, and Device.DNN says which. A library is used only
// where it computes as the kernels do: the same bits each time, no algorithm that loses bits of f32 (unless GOROCM_TF32
// is set), NaN where there is one.
//
// # Several devices
//
//	g, err := rocm.NewGroup(a, b)
//	err = g.AllReduce(rocm.Sum, "f32", n, from, to)   // from[i] and to[i] are on member i
//	g, err = rocm.JoinGroup(path, rank, world, d)     // one of several processes, with a device of each
//
// # Graphs
//
//	g, err := rocm.Capture(func() { y = x.Mul(w).Add(b) })   // records the launches, and runs none
//	err = g.Replay()                                         // all of them, in one call; y has its values
//
// graph.go has what is replayed, graph_capture.go the capture, graph_memory.go the memory that a graph reuses in
// itself, graph_hooks.go numbers that change from replay to replay, and graph_trace.go compares two captures.
//
// # Pinned memory
//
//	p, err := d.Pin(memory)                // locks the pages: transfers of slices of it have the speed of the bus
//	err = b.UploadPinned(0, memory, p)     // returns at once; p.Wait says when memory may be changed
//	err = p.Unpin()
//
// # Environment
//
//	GOROCM_REQUIRE_GPU=1     "rocm" without an AMD GPU is an error, not the emulated device
//	GOROCM_EMULATE=1         "rocm" is the emulated device even where there is a GPU
//	GOROCM_EMULATED_MEMORY   memory of an emulated device in bytes
//	GOROCM_GPU_MEMORY        a limit of each device's memory for buffers of this process: 8GiB, or 25%
//	GOROCM_EMULATED_DEVICES  how many there are: one unless it says otherwise
//	GOROCM_EMULATED_ARCH     gfx942, gfx1200 or gfx1201: they are of that architecture (an Instinct MI300X, RDNA 4),
//	                         and execute its machine code; otherwise gfx1100
//	GOROCM_EMULATED_WAVE=64  they have waves of 64 threads, as Instinct GPUs do; clang compiles their kernels
//	GOROCM_EMULATED_CORES    gfx942, gfx950, gfx1200 or gfx1250, whose matrix products they compute, lane by lane
//	GOROCM_EMULATED_RECORD   folder to which the first launches of each kernel are written, for other emulators
//	GOROCM_SANITIZE          what its launches check: race, init or both, with a comma between
//	GOROCM_LIBRARY_PATH      folders to search for the libraries first, separated by colons
//	GOROCM_BLAS=go           products and factorisations of matrices by gorocm's own code only
//	GOROCM_DNN=go            convolutions and pools by gorocm's own code only
//	GOROCM_DNN=find          a library's algorithms for a convolution are measured when a shape is new
//	GOROCM_COMM=go           groups of devices work through copies and the host only
//	GOROCM_TF32=1            products and convolutions of f32 may use faster ways that lose bits
//	GOROCM_FUSE=0            package tensor launches every elementwise operation by itself
//	GOROCM_FUSE=wait         it waits until fused kernels are compiled
//	GOROCM_SYNC=1            every launch waits until its kernel is done, and returns the kernel's own error
//	GOROCM_AHEAD=0           package tensor compiles no kernels before they are used
//	GOROCM_CACHE             folder of compiled kernels, in place of $XDG_CACHE_HOME/gorocm
package rocm
