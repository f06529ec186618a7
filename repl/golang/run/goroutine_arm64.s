#include "textflag.h"

// func goroutine() (id, used uintptr)
TEXT ·goroutine(SB), NOSPLIT, $0-16
	MOVD g, id+0(FP)
	MOVD 8(g), R0 // g.stack.hi
	MOVD RSP, R1
	SUB R1, R0
	MOVD R0, used+8(FP)
	RET

// func copyStack(to *uintptr, room uintptr) (from, n uintptr)
TEXT ·copyStack(SB), NOSPLIT|NOFRAME, $0-32
	MOVD to+0(FP), R0
	MOVD room+8(FP), R1
	MOVD 8(g), R2  // g.stack.hi
	MOVD R29, R3   // the caller's frame pointer
	MOVD R3, from+16(FP)
	SUB R3, R2, R2
	LSR $3, R2, R2
	CMP R2, R1
	CSEL LO, R1, R2, R1
	MOVD R1, n+24(FP)
	CBZ R1, done
loop:
	MOVD.P 8(R3), R4
	MOVD.P R4, 8(R0)
	SUBS $1, R1, R1
	BNE loop
done:
	RET
