// Package vex loads float parameters and stores float results with VEX instructions. avo's own Load and Store use MOVSS
// and MOVSD of legacy SSE, which cost a state transition on Intel's processors between instructions of AVX.
package vex

import (
	"go/types"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/reg"
)

// Load reads a float parameter into the low element of x.
func Load(c gotypes.Component, x reg.Register) {
	if at := resolve(c); double(at) {
		build.VMOVSD(at.Addr, x)
	} else {
		build.VMOVSS(at.Addr, x)
	}
}

// Store writes the low element of x as a float result.
func Store(x reg.Register, c gotypes.Component) {
	if at := resolve(c); double(at) {
		build.VMOVSD(x, at.Addr)
	} else {
		build.VMOVSS(x, at.Addr)
	}
}

func resolve(c gotypes.Component) *gotypes.Basic {
	at, err := c.Resolve()
	if err != nil {
		panic("vex: " + err.Error())
	}
	return at
}

func double(at *gotypes.Basic) bool {
	switch at.Type.Kind() {
	case types.Float64:
		return true
	case types.Float32:
		return false
	}
	panic("vex: a parameter of type " + at.Type.String())
}
