package gfx12

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// Matrix instructions of gfx12 multiply 16×16 matrices in waves of 32, as gfx11's do, but no lane has what another has:
// lane l holds one half (l below 16) or the other of row l%16 of A and of column l%16 of B. Which products that are
// added first does not matter, because sums are exact until they are rounded once. Register r of
// lane l of C and D is row r+8*(l/16) of column l%16; of 16 bits, it is rows 2r and 2r+1, counted from 8*(l/16).

// MatrixPrefix begins the emulator's names of gfx12's matrix instructions, whose layouts are not gfx11's.
const MatrixPrefix = "v_wmma_12_"

// Layout is where a matrix instruction has its operands.
type Layout struct {
	Words int // registers of A and of B
	Sums  int // registers of C and of D

	left, right func(uint8) float32 // numbers of 8 bits, which become f16
}

var layouts = map[string]*Layout{
	"f32_16x16x16_f16":  {Words: 4, Sums: 8},
	"f32_16x16x16_bf16": {Words: 4, Sums: 8},
	"f16_16x16x16_f16":  {Words: 4, Sums: 4}, "bf16_16x16x16_bf16": {Words: 4, Sums: 4},
	"i32_16x16x16_iu8": {Words: 2, Sums: 8}, "i32_16x16x16_iu4": {Words: 1, Sums: 8},
	"i32_16x16x32_iu4":     {Words: 2, Sums: 8},
	"f32_16x16x16_fp8_fp8": {2, 8, FromE4M3, FromE4M3}, "f32_16x16x16_fp8_bf8": {2, 8, FromE4M3, FromE5M2},
	"f32_16x16x16_bf8_fp8": {2, 8, FromE5M2, FromE4M3}, "f32_16x16x16_bf8_bf8": {2, 8, FromE5M2, FromE5M2},
}

// MatrixLayout returns the layout of an instruction by the emulator's name, nil for others.
func MatrixLayout(name string) *Layout {
	if name, ok := strings.CutPrefix(name, MatrixPrefix); ok {
		return layouts[name]
	}
	return nil
}

// Rows puts A into lanes 0 to 15 of to, as gfx11's instructions read it: with whole rows, and those that are 8 apart
// one after another, because their sums share a register.
func (l *Layout) Rows(to, from []lane.Vector) {
	l.spread(to, from, l.left, func(j int) int { return j/2 + j%2*8 })
}

// Columns does the same for B, whose columns stay in their order.
func (l *Layout) Columns(to, from []lane.Vector) {
	l.spread(to, from, l.right, func(j int) int { return j })
}

func (l *Layout) spread(to, from []lane.Vector, convert func(uint8) float32, source func(int) int) {
	n := len(from)
	for k := range from {
		for j := range 16 {
			lo, hi := from[k][source(j)], from[k][16+source(j)]
			if convert == nil {
				to[k][j], to[n+k][j] = lo, hi
				continue
			}
			to[2*k][j], to[2*k+1][j] = widened(lo, convert), widened(lo>>16, convert)
			to[2*(n+k)][j], to[2*(n+k)+1][j] = widened(hi, convert), widened(hi>>16, convert)
		}
	}
}

// widened makes two f16 of two numbers of 8 bits, which is exact.
func widened(x uint32, convert func(uint8) float32) uint32 {
	return uint32(half.ToF16(convert(uint8(x)))) | uint32(half.ToF16(convert(uint8(x>>8))))<<16
}

// Unpack makes sums of 16 bits one a register; Pack is its inverse.
func (l *Layout) Unpack(to, from []lane.Vector) {
	for r := range to {
		for i, x := range from[r/2] {
			to[r][i] = x >> (r % 2 * 16)
		}
	}
}

// Pack puts two sums of 16 bits into each register.
func (l *Layout) Pack(to, from []lane.Vector) {
	for r := range to {
		for i := range to[r] {
			to[r][i] = from[2*r][i]&0xffff | from[2*r+1][i]<<16
		}
	}
}
