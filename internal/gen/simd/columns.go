package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// polynomial writes Horner's scheme for coefficients that are known when it runs.
func (w width) polynomial() {
	w.function("polynomial", "(out, x, c []float64)",
		"sets out to c[0] + c[1]·x + c[2]·x² + …, with one rounding a term."+whole)
	n, out, x, last, c := length("out"), slice("out"), slice("x"), length("c"), slice("c")
	DECQ(last)
	for _, many := range []int{4, 1} {
		name := fmt.Sprintf("by%d", many)
		k, v, p := GP64(), make([]reg.VecVirtual, many), make([]reg.VecVirtual, many)
		Label(name)
		CMPQ(n, U32(many*w.doubles()))
		JLT(LabelRef(name + "end"))
		for i := range many {
			v[i], p[i] = w.vec(), w.vec()
			VMOVUPD(Mem{Base: x, Disp: i * w.bytes}, v[i])
			VBROADCASTSD(Mem{Base: c, Index: last, Scale: 8}, p[i])
		}
		MOVQ(last, k)
		Label(name + "terms")
		DECQ(k)
		JLT(LabelRef(name + "done"))
		coefficient := w.vec()
		VBROADCASTSD(Mem{Base: c, Index: k, Scale: 8}, coefficient)
		for i := range many {
			VFMADD213PD(coefficient, v[i], p[i])
		}
		JMP(LabelRef(name + "terms"))
		Label(name + "done")
		for i := range many {
			VMOVUPD(p[i], Mem{Base: out, Disp: i * w.bytes})
		}
		ADDQ(U32(many*w.bytes), x)
		ADDQ(U32(many*w.bytes), out)
		SUBQ(U32(many*w.doubles()), n)
		JMP(LabelRef(name))
		Label(name + "end")
	}
	end()
}

// distances writes the distances of a point from many, whose coordinates are in columns.
func (w width) distances() {
	for _, c := range []struct {
		name, doc string
		add       func(sum, difference reg.VecVirtual) reg.VecVirtual
	}{
		{"squares", "the sum of squares", func(sum, d reg.VecVirtual) reg.VecVirtual {
			VMULPD(d, d, d)
			VADDPD(d, sum, sum)
			return sum
		}},
		{"absolutes", "the sum of absolute values", func(sum, d reg.VecVirtual) reg.VecVirtual {
			VANDPD(constantLong(1<<63-1), d, d)
			VADDPD(d, sum, sum)
			return sum
		}},
		{"greatest", "the greatest absolute value", func(sum, d reg.VecVirtual) reg.VecVirtual {
			VANDPD(constantLong(1<<63-1), d, d)
			return w.greaterDouble(sum, d)
		}},
	} {
		w.function(c.name+"Doubles", "(out, x, columns []float64, stride int)",
			"sets element j of out to "+c.doc+" of x[k] - columns[k·stride + j], in the order of k."+whole)
		n, out, left, x, columns := length("out"), slice("out"), length("x"), slice("x"), slice("columns")
		stride := Load(Param("stride"), GP64())
		SHLQ(U8(3), stride)
		for _, many := range []int{2, 1} {
			name := fmt.Sprintf("by%d", many)
			k, column, sums := GP64(), GP64(), make([]reg.VecVirtual, many)
			Label(name)
			CMPQ(n, U32(many*w.doubles()))
			JLT(LabelRef(name + "end"))
			for i := range many {
				sums[i] = w.vec()
				VXORPD(sums[i], sums[i], sums[i])
			}
			MOVQ(columns, column)
			XORQ(k, k)
			Label(name + "terms")
			CMPQ(k, left)
			JGE(LabelRef(name + "done"))
			v := w.vec()
			VBROADCASTSD(Mem{Base: x, Index: k, Scale: 8}, v)
			for i := range many {
				d := w.vec()
				VSUBPD(Mem{Base: column, Disp: i * w.bytes}, v, d)
				VMOVAPD(c.add(sums[i], d), sums[i])
			}
			ADDQ(stride, column)
			INCQ(k)
			JMP(LabelRef(name + "terms"))
			Label(name + "done")
			for i := range many {
				VMOVUPD(sums[i], Mem{Base: out, Disp: i * w.bytes})
			}
			ADDQ(U32(many*w.bytes), out)
			ADDQ(U32(many*w.bytes), columns)
			SUBQ(U32(many*w.doubles()), n)
			JMP(LabelRef(name))
			Label(name + "end")
		}
		end()
	}
}
