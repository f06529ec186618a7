// Package emulator is a GPU in Go: a gfx1100 (RDNA 3), gfx1200 or gfx1201 (RDNA 4) that executes the AMD code objects a
// Radeon would load, or a gfx942 (CDNA 3) with those of an Instinct MI300X.
//
//	gpu, err := emulator.New(emulator.Config{})
//	module, err := gpu.Load(object)                 // what clang or hiprtc emits for --offload-arch=gfx1100
//	kernel, err := module.Kernel("add_f32")
//	in, err := gpu.Malloc(4 * n)
//	err = gpu.Launch(kernel, [3]uint32{blocks, 1, 1}, [3]uint32{256, 1, 1}, 0, arguments)
//
// # How it works
//
// Load reads the ELF file, its metadata and its kernel descriptors (module.go). The first launch of a
// kernel decodes its instructions once (decode.go and the tables in table_*.go) to records that hold a Go function and
// resolved operands. A wave executes a record for its 32 lanes at a time (exec_*.go): a vector register is an array of
// 32 words, so that the cost of dispatch is paid once for 32 results. Workgroups are spread over Config.Workers
// goroutines; the waves of one workgroup take turns on one goroutine, from barrier to barrier (launch.go, worker.go).
// The hottest operations have versions in AVX2 assembly (internal/lane), which the tag purego leaves out. On amd64 with
// Linux or Windows a function that has run for a while is translated to machine code of the host (host.go,
// internal/hostcode), if its waves have 32 lanes; the interpreter keeps what accesses memory, and whatever is rare.
//
// # Files
//
//	gpu.go                     GPU: what users of the package call; internal/memory is device memory
//	module.go, source.go       a loaded code object, which internal/codeobject reads, and the lines of source of its code
//	inst.go, decode*.go        instructions, and how words become records; tables.go and table_*.go have a row for each opcode
//	exec_*.go                  what instructions do, by kind; lanes*.go loops over the lanes of a wave, internal/half and internal/number arithmetic
//	family9*.go, exec_gfx9.go  gfx942: its instructions, which internal/gfx9 reads, as records; and what it has in addition
//	family12.go, exec_gfx12.go gfx1200: its opcodes, which internal/gfx12 lists, and accesses; and what it has in addition
//	wave.go, halves.go         a wave's registers, and waves of 64 as two halves
//	launch.go, worker.go       workgroups on goroutines; order.go has memory orders
//	watch.go                   the loop that looks at instructions first, for race.go, undefined.go, profile.go and check.go;
//	                           internal/class knows kinds of instructions, internal/race finds races, internal/profile counts
//	disassemble*.go            the text of instructions; inspect.go says what an object has
//	print.go, errors.go        what kernels print, and why they fail
//
// # Goroutines
//
// All methods of GPU may be called by several goroutines. Launches run one after the other; the workers of a launch
// share device memory, as the workgroups of a GPU do, and nothing else.
//
// # Waves of 64
//
// Kernels compiled with -mwavefrontsize64 have waves of 64 lanes, like those of the GPUs of AMD's data centres: a wave
// executes each instruction on vectors for its lower and for its upper half (halves.go). ds_bpermute_b32 and
// ds_permute_b32 reach all 64 lanes there, as on the latter; a Radeon's stay in a half.
//
// # gfx942
//
// A GPU with Config.Arch GFX942 executes the code of an MI300X: waves have 64 lanes, always, and a lane has 256
// accumulation registers beside its vector registers, which are one file on the hardware; compilers give them distinct
// numbers, and so do we. Matrix instructions ignore which lanes are active, as on the hardware. Products and sums of an
// element are made in float64 and rounded once. Not emulated, and refused like what gfx1100 lacks: sparse matrices,
// xf32, the modifiers of blocks (cbsz, abid, blgp), swizzled buffers, loads from global to shared memory, registers
// addressed by an index (s_set_gpr_idx), scalar stores and scalar atomic operations.
//
// # gfx1200
//
// A GPU with Config.Arch GFX1200 or GFX1201 executes RDNA 4's code, in waves of 32 or 64: scalar and vector
// instructions are decoded as gfx1100's, by tables of their own. Workgroups find their position in ttmp7 and ttmp9.
// Matrices are moved to gfx1100's layout in vector registers that code cannot name, and multiplied there. A wave
// signals a barrier and waits for it in two instructions, between which it may do anything. Not emulated, and refused
// by name: sparse matrices (swmmac), matrices in waves of 64, conversions to f8, named barriers, transposing loads,
// blocks of registers (global_load_block), permlane16_var, and dynamic registers (s_alloc_vgpr).
//
// # Device memory
//
// Device memory is an address space of its own. Addresses start at 1<<47, where no host pointer is (of gfx1200, which
// extends the sign of 48 bits, at 1<<46, where hosts have none unless asked), and each access
// is checked against the live allocations: an access outside of them is an error that names the kernel, the work-item,
// the address, the nearest allocation, the instruction and, if the code object has a line table, the line of source.
// New memory is filled with Poison.
//
// # For writers of kernels
//
// GPU.SetChecks finds races and uses of memory that nothing has written (race.go, undefined.go), GPU.StartProfile
// counts what kernels do (profile.go), and what kernels print comes out on Config.Output when a launch has ended
// (print.go). All of them look at the instructions before they are executed, in a loop of its own (watch.go): a launch
// that nobody watches pays nothing.
//
// # Fidelity
//
// Results of +, -, *, fma, conversions and integer instructions are the hardware's, bit for bit. Transcendental
// instructions (exp, log, rcp, rsq, sqrt, sin, cos) are computed in float64 and rounded, which is at least as accurate
// as the hardware, but not the same in every last bit. Time is not modelled. Rounding is to nearest even.
//
// Not emulated: images, buffer instructions that convert formats (buffer_load_format, tbuffer), barriers of a whole
// grid (ds_gws), ray tracing, addresses by the number of a lane (addtid), other rounding modes, and HIP's own
// device-side printf and malloc. LLVM knows no loads from global to shared memory for gfx11. Code that uses any of
// them gets an error that names the kernel, the offset and the instruction words.
//
// Nothing here has been compared with silicon. The encodings are checked against LLVM, the semantics of single
// instructions against Go, and whole programs, written at random and compiled with clang, against the same programs
// compiled for the host (programs_test.go).
package emulator
