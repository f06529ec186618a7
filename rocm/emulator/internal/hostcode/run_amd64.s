//go:build (linux || windows) && !purego

#include "textflag.h"

// func Run(code uintptr, wave unsafe.Pointer)
TEXT ·Run(SB), NOSPLIT, $16-16
	MOVQ code+0(FP), AX
	MOVQ wave+8(FP), BX
	CALL AX
	VZEROUPPER
	RET
