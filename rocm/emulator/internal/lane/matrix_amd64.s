//go:build !purego

#include "textflag.h"

// Eight f32 in y as f64 to memory; x is the lower half of y, t and u are changed.
#define WIDEN(y, x, t, tx, u, at) \
	VEXTRACTF128 $1, y, tx   \
	VCVTPS2PD x, u           \
	VCVTPS2PD tx, t          \
	VMOVUPD u, at(DI)        \
	VMOVUPD t, at+32(DI)

// Eight words of y, below 2^16, from f16 to f32.
#define FROMF16(y, x) \
	VPACKUSDW y, y, y        \
	VPERMQ $0x08, y, y       \
	VCVTPH2PS x, y

// Eight lanes of a register: the lower halves go to row 0, the upper ones to row 1.
#define EIGHT(from, at) \
	VPXOR from(SI), Y15, Y0   \
	VPSRLD $16, Y0, Y1        \
	VPAND Y14, Y0, Y0         \
	FROMF16(Y0, X0)           \
	FROMF16(Y1, X1)           \
	WIDEN(Y0, X0, Y2, X2, Y3, at) \
	WIDEN(Y1, X1, Y2, X2, Y3, at+128)

#define EIGHTBRAIN(from, at) \
	VPXOR from(SI), Y15, Y0   \
	VPANDN Y0, Y14, Y1        \
	VPSLLD $16, Y0, Y0        \
	WIDEN(Y0, X0, Y2, X2, Y3, at) \
	WIDEN(Y1, X1, Y2, X2, Y3, at+128)

// Y15 has flip in all lanes, Y14 has 65535.
#define START \
	MOVQ m+0(FP), DI          \
	MOVQ regs+8(FP), SI       \
	MOVL flip+16(FP), AX      \
	VMOVD AX, X15             \
	VPBROADCASTD X15, Y15     \
	VPCMPEQD Y14, Y14, Y14    \
	VPSRLD $16, Y14, Y14      \
	MOVQ $8, CX

// func f16AVX2(m *Matrix, regs *[8]Vector, flip uint32)
TEXT ·f16AVX2(SB), NOSPLIT, $0-20
	START

f16:
	EIGHT(0, 0)
	EIGHT(32, 64)
	ADDQ $128, SI
	ADDQ $256, DI
	DECQ CX
	JNZ  f16
	VZEROUPPER
	RET

// func bf16AVX2(m *Matrix, regs *[8]Vector, flip uint32)
TEXT ·bf16AVX2(SB), NOSPLIT, $0-20
	START

bf16:
	EIGHTBRAIN(0, 0)
	EIGHTBRAIN(32, 64)
	ADDQ $128, SI
	ADDQ $256, DI
	DECQ CX
	JNZ  bf16
	VZEROUPPER
	RET

// Products with row k of b, of which the first eight are in Y8 and Y9 and so on, to a row of sums.
#define STEP(k) \
	VMOVUPD 128*k(DX), Y8     \
	VMOVUPD 128*k+32(DX), Y9  \
	VMOVUPD 128*k+64(DX), Y10 \
	VMOVUPD 128*k+96(DX), Y11 \
	VBROADCASTSD 128*k(SI), Y12 \
	VFMADD231PD Y8, Y12, Y0   \
	VFMADD231PD Y9, Y12, Y1   \
	VFMADD231PD Y10, Y12, Y2  \
	VFMADD231PD Y11, Y12, Y3  \
	VBROADCASTSD 128*k+8(SI), Y13 \
	VFMADD231PD Y8, Y13, Y4   \
	VFMADD231PD Y9, Y13, Y5   \
	VFMADD231PD Y10, Y13, Y6  \
	VFMADD231PD Y11, Y13, Y7

// func multiplyAVX2(s, a, b *Matrix)
// Two rows of sums at a time. The products are exact, so that adding them in the same step rounds no differently.
TEXT ·multiplyAVX2(SB), NOSPLIT, $0-24
	MOVQ s+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ $8, CX

rows:
	VMOVUPD 0(DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	VMOVUPD 128(DI), Y4
	VMOVUPD 160(DI), Y5
	VMOVUPD 192(DI), Y6
	VMOVUPD 224(DI), Y7
	STEP(0)
	STEP(1)
	STEP(2)
	STEP(3)
	STEP(4)
	STEP(5)
	STEP(6)
	STEP(7)
	STEP(8)
	STEP(9)
	STEP(10)
	STEP(11)
	STEP(12)
	STEP(13)
	STEP(14)
	STEP(15)
	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	ADDQ $256, DI
	ADDQ $16, SI
	DECQ CX
	JNZ  rows
	VZEROUPPER
	RET

#define TODOUBLE(n) \
	VCVTPS2PD 16*n(SI), Y0 \
	VMOVUPD Y0, 32*n(DI)

// func widenAVX2(f *Floats, v *Vector)
TEXT ·widenAVX2(SB), NOSPLIT, $0-16
	MOVQ f+0(FP), DI
	MOVQ v+8(FP), SI
	TODOUBLE(0)
	TODOUBLE(1)
	TODOUBLE(2)
	TODOUBLE(3)
	TODOUBLE(4)
	TODOUBLE(5)
	TODOUBLE(6)
	TODOUBLE(7)
	VZEROUPPER
	RET

#define TOFLOAT(n) \
	VCVTPD2PSY 32*n(SI), X0 \
	VMOVUPS X0, 16*n(DI)

// func narrowAVX2(v *Vector, f *Floats)
TEXT ·narrowAVX2(SB), NOSPLIT, $0-16
	MOVQ v+0(FP), DI
	MOVQ f+8(FP), SI
	TOFLOAT(0)
	TOFLOAT(1)
	TOFLOAT(2)
	TOFLOAT(3)
	TOFLOAT(4)
	TOFLOAT(5)
	TOFLOAT(6)
	TOFLOAT(7)
	VZEROUPPER
	RET
