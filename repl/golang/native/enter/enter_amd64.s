//go:build linux || windows

#include "textflag.h"

// func enterAt(gate uintptr, context unsafe.Pointer)
TEXT ·enterAt(SB), NOSPLIT, $8-16
	MOVQ gate+0(FP), AX
	MOVQ context+8(FP), R15
	MOVQ (TLS), R14
	CALL AX
	RET

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
