//go:build linux || windows

#include "textflag.h"
#include "funcdata.h"

// Generated code returns here with 0 in AX, or jumps to a request, which returns here: with true where it is done. The
// frame has room for what a request keeps of its parameter.
//
// func enterAt(gate uintptr, context unsafe.Pointer)
TEXT ·enterAt(SB), NOSPLIT, $16-16
	NO_LOCAL_POINTERS
	MOVQ gate+0(FP), AX
again:
	MOVQ context+8(FP), R15
	MOVQ (TLS), R14
	CALL AX
	TESTB AX, AX
	JEQ done
	MOVQ context+8(FP), R15
	MOVQ 40(R15), AX // BackAt
	JMP again
done:
	RET

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
