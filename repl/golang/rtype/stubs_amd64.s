#include "textflag.h"

// stub i goes on at the code of funcs[i] with the closure register (DX) set. R12 is free at the entry of a function.
#define STUB(i) \
	PCALIGN $16; \
	MOVQ ·funcs+(8*(i))(SB), DX; \
	MOVQ (DX), R12; \
	JMP  R12

#define STUB8(i) \
	STUB(i); STUB((i)+1); STUB((i)+2); STUB((i)+3); STUB((i)+4); STUB((i)+5); STUB((i)+6); STUB((i)+7)

#define STUB64(i) \
	STUB8(i); STUB8((i)+8); STUB8((i)+16); STUB8((i)+24); STUB8((i)+32); STUB8((i)+40); STUB8((i)+48); STUB8((i)+56)

#define STUB512(i) \
	STUB64(i); STUB64((i)+64); STUB64((i)+128); STUB64((i)+192); STUB64((i)+256); STUB64((i)+320); STUB64((i)+384); STUB64((i)+448)

#define STUB4096(i) \
	STUB512(i); STUB512((i)+512); STUB512((i)+1024); STUB512((i)+1536); STUB512((i)+2048); STUB512((i)+2560); STUB512((i)+3072); STUB512((i)+3584)

// func stubs()
TEXT ·stubs(SB), NOSPLIT|NOFRAME, $0-0
	STUB4096(0)
	STUB4096(4096)
	STUB4096(8192)
	STUB4096(12288)
	STUB4096(16384)
	STUB4096(20480)
	STUB4096(24576)
	STUB4096(28672)
	STUB4096(32768)
	STUB4096(36864)
	STUB4096(40960)
	STUB4096(45056)
	STUB4096(49152)
	STUB4096(53248)
	STUB4096(57344)
	STUB4096(61440)

// func stubCode() unsafe.Pointer
TEXT ·stubCode(SB), NOSPLIT, $0-8
	LEAQ ·stubs(SB), AX
	MOVQ AX, ret+0(FP)
	RET
