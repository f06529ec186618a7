// Package gfx9 reads the machine code of CDNA 3: gfx942, which is Instinct MI300X and MI325X.
//
// The emulator has one set of instructions: those of gfx11, by their names there. This package is what gfx942 has in
// addition: its encodings, its names, and what its matrix cores compute. It knows nothing of waves and memory.
//
//	inst.go     Inst, an instruction as it is encoded, with operands by their numbers
//	decode.go   how words become an Inst
//	table_*.go  a row for each opcode: name, kinds of operands, and the name that gfx11 has for the same instruction
//	text.go     the text of an Inst, as LLVM writes it
//	mfma.go     the layout of matrices in registers; product.go has their arithmetic
//	select.go   parts of registers, as SDWA has them, and moves between lanes, as DPP has them
//
// Package emulator turns an Inst into a record of its own, which holds the function of the instruction with the same
// meaning, and executes that: files family9*.go there. What has no counterpart is in exec_gfx9.go.
//
// # Sources
//
// The encodings are those of AMD's "Instinct MI300" instruction set architecture, and agree with LLVM's disassembler
// for each opcode and for the instructions of gorocm's kernels (tests). The layouts of matrices are those that AMD's
// matrix instruction calculator writes.
package gfx9
