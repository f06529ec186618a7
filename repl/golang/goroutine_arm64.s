#include "textflag.h"

// func goroutine() (id, used uintptr)
TEXT ·goroutine(SB), NOSPLIT, $0-16
	MOVD g, id+0(FP)
	MOVD 8(g), R0 // g.stack.hi
	MOVD RSP, R1
	SUB R1, R0
	MOVD R0, used+8(FP)
	RET
