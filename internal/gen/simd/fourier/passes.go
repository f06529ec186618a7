package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// walk is what the loops of a pass step through: numbers of x and of y are `xs` and `ys` bytes apart, their imaginary
// parts xi and yi bytes behind the real ones.
type walk struct {
	kind
	x, y, xi, yi, xs, ys, w reg.GPVirtual
}

// passes writes a pass for each radix.
func passes(k kind) {
	for _, radix := range []int{2, 3, 4, 5, 7, 8, 11, 13} {
		k.function(fmt.Sprintf("pass%dx", radix), "(yr, yi, xr, xi, w []%s, m, s int)",
			fmt.Sprintf("does a pass of radix %d.", radix))
		a := walk{k, pointer("xr"), pointer("yr"), pointer("xi"), pointer("yi"), GP64(), integer("s"), pointer("w")}
		m, left := integer("m"), GP64()
		SUBQ(a.x, a.xi)
		SUBQ(a.y, a.yi)
		SHLQ(U8(map[int]uint8{4: 2, 8: 3}[k.size]), a.ys)
		MOVQ(a.ys, a.xs)
		IMULQ(m, a.xs)

		// one loop without factors for p = 0, and one for the others
		for _, name := range []string{"first", "others"} {
			Label(name)
			MOVQ(a.ys, left)
			Label(name + "_loop")
			a.butterfly(radix, name == "others")
			ADDQ(U32(uint32(k.bytes)), a.x)
			ADDQ(U32(uint32(k.bytes)), a.y)
			SUBQ(U32(uint32(k.bytes)), left)
			JNZ(LabelRef(name + "_loop"))
			ADDQ(U32(uint32(2*(radix-1)*k.size)), a.w)
			IMUL3Q(U32(uint32(radix-1)), a.ys, left)
			ADDQ(left, a.y)
			DECQ(m)
			if name == "first" {
				JZ(LabelRef("done"))
			} else {
				JNZ(LabelRef("others"))
			}
		}
		Label("done")
		end()
	}
}

func (a walk) butterfly(radix int, factors bool) {
	switch radix {
	case 2:
		x := a.loadAll(2)
		a.put(a.plus(x[0], x[1]), 0, false)
		a.put(a.minus(x[0], x[1]), 1, factors)
	case 4:
		for i, z := range a.four(a.loadAll(4)) {
			a.put(z, i, factors)
		}
	case 8:
		a.eight(factors)
	default:
		a.odd(radix, factors)
	}
}

// at is number j of x, from a pointer to it.
func (a walk) at(p reg.GPVirtual) number {
	return number{a.kind.load(Mem{Base: p}), a.kind.load(Mem{Base: p, Index: a.xi, Scale: 1})}
}

// loadAll loads the first n numbers.
func (a walk) loadAll(n int) []number {
	p, all := GP64(), []number{}
	MOVQ(a.x, p)
	for j := range n {
		if j > 0 {
			ADDQ(a.xs, p)
		}
		all = append(all, a.at(p))
	}
	return all
}

// slot is a pointer to number i of y.
func (a walk) slot(i int) reg.GPVirtual {
	p := GP64()
	switch i {
	case 0:
		MOVQ(a.y, p)
	case 1, 2, 4, 8:
		LEAQ(Mem{Base: a.y, Index: a.ys, Scale: uint8(i)}, p)
	default:
		IMUL3Q(U32(uint32(i)), a.ys, p)
		ADDQ(a.y, p)
	}
	return p
}

// put stores number i of y, times its factor.
func (a walk) put(z number, i int, factors bool) {
	p := a.slot(i)
	if factors && i > 0 {
		f := (i - 1) * 2 * a.size
		z = a.times(z, number{a.broadcast(Mem{Base: a.w, Disp: f}), a.broadcast(Mem{Base: a.w, Disp: f + a.size})})
	}
	a.kind.store(z.re, Mem{Base: p})
	a.kind.store(z.im, Mem{Base: p, Index: a.yi, Scale: 1})
}

// four is a transform of four numbers.
func (a walk) four(x []number) []number {
	s, d, t, e := a.plus(x[0], x[2]), a.minus(x[0], x[2]), a.plus(x[1], x[3]), a.minus(x[1], x[3])
	return []number{
		a.plus(s, t),
		{a.add(d.re, e.im), a.sub(d.im, e.re)},
		a.minus(s, t),
		{a.sub(d.re, e.im), a.add(d.im, e.re)},
	}
}

// eight is a transform of the even ones and of the odd ones of eight numbers, and their sums and differences. The even
// ones wait in y where there are few registers.
func (a walk) eight(factors bool) {
	step := a.x
	pick := func(first int) []number {
		p, twice, list := GP64(), GP64(), []number{}
		MOVQ(step, p)
		if first == 1 {
			ADDQ(a.xs, p)
		}
		LEAQ(Mem{Base: a.xs, Index: a.xs, Scale: 1}, twice)
		for j := range 4 {
			if j > 0 {
				ADDQ(twice, p)
			}
			list = append(list, a.at(p))
		}
		return a.four(list)
	}
	even := pick(0)
	if a.bytes == 32 {
		for i, z := range even {
			a.put(z, i, false)
		}
	}
	odd := pick(1)
	h := a.broadcast(a.constant(math.Sqrt2 / 2))
	odd[1] = number{a.mul(h, a.add(odd[1].re, odd[1].im)), a.mul(h, a.sub(odd[1].im, odd[1].re))}
	third := a.add(odd[3].re, odd[3].im)
	odd[3] = number{a.mul(h, a.sub(odd[3].im, odd[3].re)), a.mul(h, third)} // the imaginary part is negative
	for i, o := range odd {
		e := even[i]
		if a.bytes == 32 {
			p := a.slot(i)
			e = number{a.kind.load(Mem{Base: p}), a.kind.load(Mem{Base: p, Index: a.yi, Scale: 1})}
		}
		sum, less := a.plus(e, o), a.minus(e, o)
		switch i {
		case 2: // times -i
			sum, less = number{a.add(e.re, o.im), a.sub(e.im, o.re)}, number{a.sub(e.re, o.im), a.add(e.im, o.re)}
		case 3:
			sum, less = number{a.add(e.re, o.re), a.sub(e.im, o.im)}, number{a.sub(e.re, o.re), a.add(e.im, o.im)}
		}
		a.put(sum, i, factors)
		a.put(less, i+4, factors)
	}
}

// odd is a transform of an odd number of numbers: j and radix - j have the same cosines, and the opposite sines.
// Numbers are loaded again for each pair of results, since registers would not hold them.
func (a walk) odd(radix int, factors bool) {
	up, down := GP64(), GP64()
	for k := 1; k <= radix/2; k++ {
		MOVQ(a.x, up)
		first := a.at(up)
		IMUL3Q(U32(uint32(radix)), a.xs, down)
		ADDQ(a.x, down)
		v := number{}
		u, all := first, first
		for j := 1; j <= radix/2; j++ {
			ADDQ(a.xs, up)
			SUBQ(a.xs, down)
			p, q := a.at(up), a.at(down)
			sum, less := a.plus(p, q), a.minus(p, q)
			angle := 2 * math.Pi * float64(j*k%radix) / float64(radix)
			c, s := a.broadcast(a.constant(math.Cos(angle))), a.broadcast(a.constant(math.Sin(angle)))
			if j == 1 {
				all, u, v = a.plus(first, sum), a.copied(first), number{a.mul(s, less.im), a.mul(s, less.re)}
			} else {
				if k == 1 {
					all = a.plus(all, sum)
				}
				a.addProduct(v.re, s, less.im)
				a.addProduct(v.im, s, less.re)
			}
			a.addProduct(u.re, c, sum.re)
			a.addProduct(u.im, c, sum.im)
		}
		if k == 1 {
			a.put(all, 0, false)
		}
		// times -i
		a.put(number{a.add(u.re, v.re), a.sub(u.im, v.im)}, k, factors)
		a.put(number{a.sub(u.re, v.re), a.add(u.im, v.im)}, radix-k, factors)
	}
}

func (a walk) copied(z number) number {
	c := number{a.vec(), a.vec()}
	VMOVAPS(z.re, c.re)
	VMOVAPS(z.im, c.im)
	return c
}
