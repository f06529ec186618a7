// Package gfx12 is what RDNA 4 (gfx1200 and gfx1201, the Radeon RX 9060 and 9070) has otherwise than RDNA 3.
//
// Both encode scalar and vector instructions alike, and most opcodes are the same: changes*.go list those that differ,
// with the names that package emulator has for their meaning. Accesses to memory have three words, which decode.go
// reads. ops.go computes what gfx11 has no instruction for, text.go writes what only gfx12 has: scopes and hints of
// accesses. The package knows nothing of waves and memory.
//
// # Sources
//
// AMD's "RDNA4" instruction set architecture, and LLVM's assembler, with which tests compare each opcode.
package gfx12
