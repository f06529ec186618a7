#include "textflag.h"

// func goroutine() (id, used uintptr)
TEXT ·goroutine(SB), NOSPLIT, $0-16
	MOVQ (TLS), AX
	MOVQ AX, id+0(FP)
	MOVQ 8(AX), AX // g.stack.hi
	SUBQ SP, AX
	MOVQ AX, used+8(FP)
	RET

// func copyStack(to *uintptr, room uintptr) (from, n uintptr)
TEXT ·copyStack(SB), NOSPLIT|NOFRAME, $0-32
	MOVQ to+0(FP), DI
	MOVQ room+8(FP), CX
	MOVQ (TLS), AX
	MOVQ 8(AX), AX // g.stack.hi
	MOVQ BP, SI    // the caller's frame pointer
	MOVQ SI, from+16(FP)
	SUBQ SI, AX
	SHRQ $3, AX
	CMPQ AX, CX
	CMOVQCS AX, CX
	MOVQ CX, n+24(FP)
	CLD
	REP; MOVSQ
	RET
