//go:build !purego

#include "textflag.h"

// 32 lanes of 32 bits are four YMM registers. Every function here has a Go version in the opcode tables, which the tests
// compare it with.

DATA lanebits<>+0(SB)/4, $1
DATA lanebits<>+4(SB)/4, $2
DATA lanebits<>+8(SB)/4, $4
DATA lanebits<>+12(SB)/4, $8
DATA lanebits<>+16(SB)/4, $16
DATA lanebits<>+20(SB)/4, $32
DATA lanebits<>+24(SB)/4, $64
DATA lanebits<>+28(SB)/4, $128
GLOBL lanebits<>(SB), RODATA|NOPTR, $32

DATA lanenumbers<>+0(SB)/4, $0
DATA lanenumbers<>+4(SB)/4, $1
DATA lanenumbers<>+8(SB)/4, $2
DATA lanenumbers<>+12(SB)/4, $3
DATA lanenumbers<>+16(SB)/4, $4
DATA lanenumbers<>+20(SB)/4, $5
DATA lanenumbers<>+24(SB)/4, $6
DATA lanenumbers<>+28(SB)/4, $7
DATA lanenumbers<>+32(SB)/4, $8
DATA lanenumbers<>+36(SB)/4, $9
DATA lanenumbers<>+40(SB)/4, $10
DATA lanenumbers<>+44(SB)/4, $11
DATA lanenumbers<>+48(SB)/4, $12
DATA lanenumbers<>+52(SB)/4, $13
DATA lanenumbers<>+56(SB)/4, $14
DATA lanenumbers<>+60(SB)/4, $15
DATA lanenumbers<>+64(SB)/4, $16
DATA lanenumbers<>+68(SB)/4, $17
DATA lanenumbers<>+72(SB)/4, $18
DATA lanenumbers<>+76(SB)/4, $19
DATA lanenumbers<>+80(SB)/4, $20
DATA lanenumbers<>+84(SB)/4, $21
DATA lanenumbers<>+88(SB)/4, $22
DATA lanenumbers<>+92(SB)/4, $23
DATA lanenumbers<>+96(SB)/4, $24
DATA lanenumbers<>+100(SB)/4, $25
DATA lanenumbers<>+104(SB)/4, $26
DATA lanenumbers<>+108(SB)/4, $27
DATA lanenumbers<>+112(SB)/4, $28
DATA lanenumbers<>+116(SB)/4, $29
DATA lanenumbers<>+120(SB)/4, $30
DATA lanenumbers<>+124(SB)/4, $31
GLOBL lanenumbers<>(SB), RODATA|NOPTR, $128

#define LOAD(p, a, b, c, e) \
	VMOVUPS (p), a      \
	VMOVUPS 32(p), b    \
	VMOVUPS 64(p), c    \
	VMOVUPS 96(p), e

#define STORE(a, b, c, e, p) \
	VMOVUPS a, (p)      \
	VMOVUPS b, 32(p)    \
	VMOVUPS c, 64(p)    \
	VMOVUPS e, 96(p)

// d = a OP b
#define BINARY(OP) \
	MOVQ d+0(FP), DI         \
	MOVQ a+8(FP), SI         \
	MOVQ b+16(FP), DX        \
	LOAD(SI, Y0, Y1, Y2, Y3) \
	OP (DX), Y0, Y0          \
	OP 32(DX), Y1, Y1        \
	OP 64(DX), Y2, Y2        \
	OP 96(DX), Y3, Y3        \
	STORE(Y0, Y1, Y2, Y3, DI) \
	VZEROUPPER               \
	RET

// d = b SHIFT (a & 31)
#define SHIFT(OP) \
	MOVQ d+0(FP), DI         \
	MOVQ a+8(FP), SI         \
	MOVQ b+16(FP), DX        \
	MOVL $31, AX             \
	VMOVD AX, X8             \
	VPBROADCASTD X8, Y8      \
	LOAD(DX, Y4, Y5, Y6, Y7) \
	VPAND (SI), Y8, Y0       \
	VPAND 32(SI), Y8, Y1     \
	VPAND 64(SI), Y8, Y2     \
	VPAND 96(SI), Y8, Y3     \
	OP Y0, Y4, Y0            \
	OP Y1, Y5, Y1            \
	OP Y2, Y6, Y2            \
	OP Y3, Y7, Y3            \
	STORE(Y0, Y1, Y2, Y3, DI) \
	VZEROUPPER               \
	RET

// Gathers the sign bits of Y0 to Y3 in AX.
#define SIGNS \
	VMOVMSKPS Y0, AX \
	VMOVMSKPS Y1, BX \
	VMOVMSKPS Y2, CX \
	VMOVMSKPS Y3, DX \
	SHLL $8, BX      \
	SHLL $16, CX     \
	SHLL $24, DX     \
	ORL BX, AX       \
	ORL CX, AX       \
	ORL DX, AX

#define COMPARE(OP) \
	MOVQ a+0(FP), SI         \
	MOVQ b+8(FP), DI         \
	LOAD(SI, Y0, Y1, Y2, Y3) \
	OP((DI), Y0)             \
	OP(32(DI), Y1)           \
	OP(64(DI), Y2)           \
	OP(96(DI), Y3)           \
	SIGNS                    \
	MOVL AX, ret+16(FP)      \
	VZEROUPPER               \
	RET

#define LTF(m, y) VCMPPS $17, m, y, y
#define LEF(m, y) VCMPPS $18, m, y, y
#define EQF(m, y) VCMPPS $0, m, y, y
#define UNF(m, y) VCMPPS $3, m, y, y
#define GTI(m, y) VPCMPGTD m, y, y
#define EQI(m, y) VPCMPEQD m, y, y
// a < b, unsigned: not max(a, b) = a
#define GEU(m, y) \
	VPMAXUD m, y, Y4 \
	VPCMPEQD Y4, y, y

// One quarter of a choice by the mask in R8.
#define CHOOSE(i, off) \
	MOVL R8, AX              \
	SHRL $i, AX              \
	VMOVD AX, X1             \
	VPBROADCASTD X1, Y1      \
	VPAND Y8, Y1, Y1         \
	VPCMPEQD Y8, Y1, Y1      \
	VMOVUPS off(SI), Y2      \
	VMOVUPS off(DX), Y3      \
	VBLENDVPS Y1, Y3, Y2, Y2 \
	VMOVUPS Y2, off(DI)

// One quarter of an addition: Y5 is the mask of lanes with carry in, BX collects the lanes without carry out.
#define ADDC(i, off) \
	MOVL R8, AX              \
	SHRL $i, AX              \
	VMOVD AX, X5             \
	VPBROADCASTD X5, Y5      \
	VPAND Y8, Y5, Y5         \
	VPCMPEQD Y8, Y5, Y5      \
	VMOVUPS off(SI), Y0      \
	VPADDD off(DX), Y0, Y1   \
	VPMAXUD Y0, Y1, Y2       \
	VPCMPEQD Y1, Y2, Y2      \ // ones: a+b did not wrap
	VPSUBD Y5, Y1, Y3        \ // + carry in
	VPXOR Y9, Y9, Y9         \
	VPCMPEQD Y9, Y3, Y4      \ // ones: the result is 0
	VPAND Y5, Y4, Y4         \ // ones: the carry in made it wrap
	VPANDN Y2, Y4, Y2        \ // ones: no carry out
	VMOVUPS Y3, off(DI)      \
	VMOVMSKPS Y2, AX         \
	SHLL $i, AX              \
	ORL AX, BX

#define GATHER(i) \
	VMOVDQU i(DX), Y1        \
	VPCMPEQD Y2, Y2, Y2      \
	VPGATHERDD Y2, (SI)(Y1*1), Y0 \
	VMOVDQU Y0, i(DI)

// Row j of four words of lanes i/4+j and i/4+j+4.
#define ROW(i, j, y, x) \
	MOVL i+4*j(DX), AX        \
	MOVL i+4*j+16(DX), BX     \
	VMOVUPS (SI)(AX*1), x     \
	VINSERTF128 $1, (SI)(BX*1), y, y

// Four words each of eight lanes to four registers.
#define QUADS(i) \
	ROW(i, 0, Y0, X0)          \
	ROW(i, 1, Y1, X1)          \
	ROW(i, 2, Y2, X2)          \
	ROW(i, 3, Y3, X3)          \
	VUNPCKLPS Y1, Y0, Y4       \
	VUNPCKHPS Y1, Y0, Y5       \
	VUNPCKLPS Y3, Y2, Y6       \
	VUNPCKHPS Y3, Y2, Y7       \
	VSHUFPS $0x44, Y6, Y4, Y0  \
	VSHUFPS $0xee, Y6, Y4, Y1  \
	VSHUFPS $0x44, Y7, Y5, Y2  \
	VSHUFPS $0xee, Y7, Y5, Y3  \
	VMOVUPS Y0, i(DI)          \
	VMOVUPS Y1, i+128(DI)      \
	VMOVUPS Y2, i+256(DI)      \
	VMOVUPS Y3, i+384(DI)

// Two words each of four lanes, of which those at i are first: in x, low words and high words alternate.
#define PAIR(i, x, y) \
	MOVL i(DX), AX               \
	MOVL i+4(DX), BX             \
	VMOVSD (SI)(AX*1), x         \
	VMOVHPS (SI)(BX*1), x, x     \
	MOVL i+8(DX), AX             \
	MOVL i+12(DX), BX            \
	VMOVSD (SI)(AX*1), y         \
	VMOVHPS (SI)(BX*1), y, y

#define PAIRS(i) \
	PAIR(i, X0, X1)              \
	VSHUFPS $0x88, X1, X0, X2    \
	VSHUFPS $0xdd, X1, X0, X3    \
	VMOVUPS X2, i(DI)            \
	VMOVUPS X3, i+128(DI)

// The inverse of QUADS, to consecutive memory.
#define UNQUADS(i) \
	VMOVUPS i(DX), Y0            \
	VMOVUPS i+128(DX), Y1        \
	VMOVUPS i+256(DX), Y2        \
	VMOVUPS i+384(DX), Y3        \
	VUNPCKLPS Y1, Y0, Y4         \
	VUNPCKHPS Y1, Y0, Y5         \
	VUNPCKLPS Y3, Y2, Y6         \
	VUNPCKHPS Y3, Y2, Y7         \
	VSHUFPS $0x44, Y6, Y4, Y0    \
	VSHUFPS $0xee, Y6, Y4, Y1    \
	VSHUFPS $0x44, Y7, Y5, Y2    \
	VSHUFPS $0xee, Y7, Y5, Y3    \
	VMOVUPS X0, 4*i(DI)          \
	VMOVUPS X1, 4*i+16(DI)       \
	VMOVUPS X2, 4*i+32(DI)       \
	VMOVUPS X3, 4*i+48(DI)       \
	VEXTRACTF128 $1, Y0, 4*i+64(DI) \
	VEXTRACTF128 $1, Y1, 4*i+80(DI) \
	VEXTRACTF128 $1, Y2, 4*i+96(DI) \
	VEXTRACTF128 $1, Y3, 4*i+112(DI)

// One quarter of a comparison with Y4 + Y5 * lane number; Y0 collects.
#define STEPS(i) \
	VPMULLD lanenumbers<>+i(SB), Y5, Y1 \
	VPADDD Y4, Y1, Y1                   \
	VPCMPEQD i(SI), Y1, Y1              \
	VPAND Y1, Y0, Y0

// Eight lanes: low and high words to 64-bit lanes, and back.
#define JOIN(o) \
	VPMOVZXDQ o(SI), Y0             \
	VPMOVZXDQ o+16(SI), Y1          \
	VPMOVZXDQ o(DX), Y2             \
	VPMOVZXDQ o+16(DX), Y3          \
	VPSLLQ $32, Y2, Y2              \
	VPSLLQ $32, Y3, Y3              \
	VPOR Y2, Y0, Y0                 \
	VPOR Y3, Y1, Y1                 \
	VMOVDQU Y0, 2*o(DI)             \
	VMOVDQU Y1, 2*o+32(DI)

#define SPLIT(o) \
	VMOVUPS 2*o(DX), Y0             \
	VMOVUPS 2*o+32(DX), Y1          \
	VSHUFPS $0x88, Y1, Y0, Y2       \
	VSHUFPS $0xdd, Y1, Y0, Y3       \
	VPERMQ $0xd8, Y2, Y2            \
	VPERMQ $0xd8, Y3, Y3            \
	VMOVUPS Y2, o(DI)               \
	VMOVUPS Y3, o(SI)

// func AddF32(d, a, b *Vector)
TEXT ·AddF32(SB), NOSPLIT, $0-24
	BINARY(VADDPS)

// func SubF32(d, a, b *Vector)
TEXT ·SubF32(SB), NOSPLIT, $0-24
	BINARY(VSUBPS)

// func MulF32(d, a, b *Vector)
TEXT ·MulF32(SB), NOSPLIT, $0-24
	BINARY(VMULPS)

// func AddU32(d, a, b *Vector)
TEXT ·AddU32(SB), NOSPLIT, $0-24
	BINARY(VPADDD)

// func SubU32(d, a, b *Vector)
TEXT ·SubU32(SB), NOSPLIT, $0-24
	BINARY(VPSUBD)

// func MulU32(d, a, b *Vector)
TEXT ·MulU32(SB), NOSPLIT, $0-24
	BINARY(VPMULLD)

// func AndU32(d, a, b *Vector)
TEXT ·AndU32(SB), NOSPLIT, $0-24
	BINARY(VPAND)

// func OrU32(d, a, b *Vector)
TEXT ·OrU32(SB), NOSPLIT, $0-24
	BINARY(VPOR)

// func XorU32(d, a, b *Vector)
TEXT ·XorU32(SB), NOSPLIT, $0-24
	BINARY(VPXOR)

// func MinI32(d, a, b *Vector)
TEXT ·MinI32(SB), NOSPLIT, $0-24
	BINARY(VPMINSD)

// func MaxI32(d, a, b *Vector)
TEXT ·MaxI32(SB), NOSPLIT, $0-24
	BINARY(VPMAXSD)

// func MinU32(d, a, b *Vector)
TEXT ·MinU32(SB), NOSPLIT, $0-24
	BINARY(VPMINUD)

// func MaxU32(d, a, b *Vector)
TEXT ·MaxU32(SB), NOSPLIT, $0-24
	BINARY(VPMAXUD)

// func ShlU32(d, a, b *Vector)
TEXT ·ShlU32(SB), NOSPLIT, $0-24
	SHIFT(VPSLLVD)

// func ShrU32(d, a, b *Vector)
TEXT ·ShrU32(SB), NOSPLIT, $0-24
	SHIFT(VPSRLVD)

// func SarI32(d, a, b *Vector)
TEXT ·SarI32(SB), NOSPLIT, $0-24
	SHIFT(VPSRAVD)

// func FmaF32(d, a, b, c *Vector)
TEXT ·FmaF32(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), CX
	LOAD(CX, Y0, Y1, Y2, Y3)
	LOAD(SI, Y4, Y5, Y6, Y7)
	VFMADD231PS (DX), Y4, Y0
	VFMADD231PS 32(DX), Y5, Y1
	VFMADD231PS 64(DX), Y6, Y2
	VFMADD231PS 96(DX), Y7, Y3
	STORE(Y0, Y1, Y2, Y3, DI)
	VZEROUPPER
	RET

// func LtF32(a, b *Vector) uint32
TEXT ·LtF32(SB), NOSPLIT, $0-20
	COMPARE(LTF)

// func LeF32(a, b *Vector) uint32
TEXT ·LeF32(SB), NOSPLIT, $0-20
	COMPARE(LEF)

// func EqF32(a, b *Vector) uint32
TEXT ·EqF32(SB), NOSPLIT, $0-20
	COMPARE(EQF)

// func UnF32(a, b *Vector) uint32
TEXT ·UnF32(SB), NOSPLIT, $0-20
	COMPARE(UNF)

// func GtI32(a, b *Vector) uint32
TEXT ·GtI32(SB), NOSPLIT, $0-20
	COMPARE(GTI)

// func EqU32(a, b *Vector) uint32
TEXT ·EqU32(SB), NOSPLIT, $0-20
	COMPARE(EQI)

// func GeU32(a, b *Vector) uint32
TEXT ·GeU32(SB), NOSPLIT, $0-20
	COMPARE(GEU)

// func fillAVX2(t *Vector, x uint32)
TEXT ·fillAVX2(SB), NOSPLIT, $0-12
	MOVQ t+0(FP), DI
	MOVL x+8(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
	STORE(Y0, Y0, Y0, Y0, DI)
	VZEROUPPER
	RET

// func selectAVX2(d, a, b *Vector, m uint32)
// d = b where m is set, else a.
TEXT ·selectAVX2(SB), NOSPLIT, $0-28
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVL m+24(FP), R8
	VMOVUPS lanebits<>(SB), Y8
	CHOOSE(0, 0)
	CHOOSE(8, 32)
	CHOOSE(16, 64)
	CHOOSE(24, 96)
	VZEROUPPER
	RET

// func addCarryAVX2(d, a, b *Vector, carry uint32) uint32
TEXT ·addCarryAVX2(SB), NOSPLIT, $0-36
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVL carry+24(FP), R8
	VMOVUPS lanebits<>(SB), Y8
	XORL BX, BX
	ADDC(0, 0)
	ADDC(8, 32)
	ADDC(16, 64)
	ADDC(24, 96)
	NOTL BX
	MOVL BX, ret+32(FP)
	VZEROUPPER
	RET

// func offsetMaxAVX2(d, a *Vector, k uint32) uint32
// d = a + k; returns the largest lane.
TEXT ·offsetMaxAVX2(SB), NOSPLIT, $0-28
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVL k+16(FP), AX
	VMOVD AX, X4
	VPBROADCASTD X4, Y4
	VPADDD (SI), Y4, Y0
	VPADDD 32(SI), Y4, Y1
	VPADDD 64(SI), Y4, Y2
	VPADDD 96(SI), Y4, Y3
	STORE(Y0, Y1, Y2, Y3, DI)
	VPMAXUD Y1, Y0, Y0
	VPMAXUD Y3, Y2, Y2
	VPMAXUD Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPMAXUD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPMAXUD X1, X0, X0
	VMOVD X0, AX
	MOVL AX, ret+24(FP)
	VZEROUPPER
	RET

// func gatherAVX2(d *Vector, base unsafe.Pointer, off *Vector)
// d = the words at base + off, off below 2^31.
TEXT ·gatherAVX2(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ base+8(FP), SI
	MOVQ off+16(FP), DX
	GATHER(0)
	GATHER(32)
	GATHER(64)
	GATHER(96)
	VZEROUPPER
	RET

// func gather2AVX2(d *[2]Vector, base unsafe.Pointer, off *Vector)
TEXT ·gather2AVX2(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ base+8(FP), SI
	MOVQ off+16(FP), DX
	PAIRS(0)
	PAIRS(16)
	PAIRS(32)
	PAIRS(48)
	PAIRS(64)
	PAIRS(80)
	PAIRS(96)
	PAIRS(112)
	RET

// func gather4AVX2(d *[4]Vector, base unsafe.Pointer, off *Vector)
TEXT ·gather4AVX2(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ base+8(FP), SI
	MOVQ off+16(FP), DX
	QUADS(0)
	QUADS(32)
	QUADS(64)
	QUADS(96)
	VZEROUPPER
	RET

// func store4AVX2(base unsafe.Pointer, x *[4]Vector)
TEXT ·store4AVX2(SB), NOSPLIT, $0-16
	MOVQ base+0(FP), DI
	MOVQ x+8(FP), DX
	UNQUADS(0)
	UNQUADS(32)
	UNQUADS(64)
	UNQUADS(96)
	VZEROUPPER
	RET

// func stepsAVX2(a *Vector, step uint32) uint32
// Returns 255 if lane i has lane 0 + i*step for all i.
TEXT ·stepsAVX2(SB), NOSPLIT, $0-20
	MOVQ a+0(FP), SI
	MOVL step+8(FP), AX
	VMOVD AX, X5
	VPBROADCASTD X5, Y5
	VPBROADCASTD (SI), Y4
	VPCMPEQD Y0, Y0, Y0
	STEPS(0)
	STEPS(32)
	STEPS(64)
	STEPS(96)
	VMOVMSKPS Y0, AX
	MOVL AX, ret+16(FP)
	VZEROUPPER
	RET

// func joinAVX2(t *Wide, lo, hi *Vector)
TEXT ·joinAVX2(SB), NOSPLIT, $0-24
	MOVQ t+0(FP), DI
	MOVQ lo+8(FP), SI
	MOVQ hi+16(FP), DX
	JOIN(0)
	JOIN(32)
	JOIN(64)
	JOIN(96)
	VZEROUPPER
	RET

// func splitAVX2(lo, hi *Vector, t *Wide)
TEXT ·splitAVX2(SB), NOSPLIT, $0-24
	MOVQ lo+0(FP), DI
	MOVQ hi+8(FP), SI
	MOVQ t+16(FP), DX
	SPLIT(0)
	SPLIT(32)
	SPLIT(64)
	SPLIT(96)
	VZEROUPPER
	RET
