// Command fourier writes the loops of package tensor/fft/internal/host for processors with AVX2 and FMA, and with
// AVX-512. Like the command in the parent folder, it is run with go generate.
//
//	main.go     instruction sets and element types, and their instructions
//	passes.go   the passes of a transform, for each radix
//	products.go products of complex numbers
//	groups.go   copies between interleaved complex numbers and groups
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	for _, k := range []kind{{"AVX2", 32, 4}, {"AVX2", 32, 8}, {"AVX512", 64, 4}, {"AVX512", 64, 8}} {
		passes(k)
		products(k)
		interleaved(k)
		if k.bytes == 32 { // wider vectors do not copy faster
			groups(k)
			folds(k)
		}
	}
	Generate()
}

// kind is an instruction set by the bytes of its vectors, and a type by the bytes of its elements.
type kind struct {
	name        string
	bytes, size int
}

func (k kind) double() bool { return k.size == 8 }

// lanes is the number of transforms of a group.
func (k kind) lanes() int { return 64 / k.size }

func (k kind) vec() reg.VecVirtual {
	if k.bytes == 64 {
		return ZMM()
	}
	return YMM()
}

// function begins a function. T in the signature is the type of the elements.
func (k kind) function(name, signature, doc string) {
	t, suffix := "float32", "32"
	if k.double() {
		t, suffix = "float64", "64"
	}
	full := fmt.Sprintf("%s%s%s", name, suffix, k.name)
	TEXT(full, NOSPLIT, "func"+fmt.Sprintf(signature, t))
	Pragma("noescape")
	Doc(full + " " + doc)
}

func end() {
	VZEROUPPER()
	RET()
}

func pointer(param string) reg.GPVirtual { return Load(Param(param).Base(), GP64()).(reg.GPVirtual) }

func integer(param string) reg.GPVirtual { return Load(Param(param), GP64()).(reg.GPVirtual) }

func (k kind) load(m Mem) reg.VecVirtual {
	v := k.vec()
	if k.double() {
		VMOVUPD(m, v)
	} else {
		VMOVUPS(m, v)
	}
	return v
}

func (k kind) store(v reg.VecVirtual, m Mem) {
	if k.double() {
		VMOVUPD(v, m)
	} else {
		VMOVUPS(v, m)
	}
}

func (k kind) broadcast(m Mem) reg.VecVirtual {
	v := k.vec()
	if k.double() {
		VBROADCASTSD(m, v)
	} else {
		VBROADCASTSS(m, v)
	}
	return v
}

func (k kind) add(a, b reg.VecVirtual) reg.VecVirtual {
	v := k.vec()
	if k.double() {
		VADDPD(b, a, v)
	} else {
		VADDPS(b, a, v)
	}
	return v
}

func (k kind) sub(a, b reg.VecVirtual) reg.VecVirtual { // a - b
	v := k.vec()
	if k.double() {
		VSUBPD(b, a, v)
	} else {
		VSUBPS(b, a, v)
	}
	return v
}

func (k kind) mul(a, b reg.VecVirtual) reg.VecVirtual {
	v := k.vec()
	if k.double() {
		VMULPD(b, a, v)
	} else {
		VMULPS(b, a, v)
	}
	return v
}

// addProduct is sum += a·b, in place.
func (k kind) addProduct(sum, a, b reg.VecVirtual) {
	if k.double() {
		VFMADD231PD(b, a, sum)
	} else {
		VFMADD231PS(b, a, sum)
	}
}

// subProduct is sum -= a·b, in place.
func (k kind) subProduct(sum, a, b reg.VecVirtual) {
	if k.double() {
		VFNMADD231PD(b, a, sum)
	} else {
		VFNMADD231PS(b, a, sum)
	}
}

// number is complex numbers, one in each lane.
type number struct{ re, im reg.VecVirtual }

func (k kind) plus(a, b number) number  { return number{k.add(a.re, b.re), k.add(a.im, b.im)} }
func (k kind) minus(a, b number) number { return number{k.sub(a.re, b.re), k.sub(a.im, b.im)} }

func (k kind) times(a, b number) number {
	p := number{k.mul(a.re, b.re), k.mul(a.re, b.im)}
	k.subProduct(p.re, a.im, b.im)
	k.addProduct(p.im, a.im, b.re)
	return p
}

var constants = map[string]Mem{}

// constant is an element in memory.
func (k kind) constant(x float64) Mem {
	name := fmt.Sprintf("c%d_%016x", k.size, math.Float64bits(x))
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		if k.double() {
			DATA(0, U64(math.Float64bits(x)))
		} else {
			DATA(0, U32(math.Float32bits(float32(x))))
		}
		constants[name] = m
	}
	return m
}
