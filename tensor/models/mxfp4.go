package models

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// mxfp4 takes matrices [experts outputs inputs], one for each expert, which files have in two parts: bytes of two
// numbers of four bits, and exponents of 32 of them. The rows of gates and of the other halves of paired ones alternate
// in the file.
func mxfp4(p *nn.Params, name string, experts, outputs, inputs int, paired bool) (all []matrix) {
	const block, bytes = 32, 17
	all = make([]matrix, experts)
	if inputs%block != 0 {
		p.Get(fmt.Sprintf("%s, of rows of %d numbers, is not in blocks of %d", name, inputs, block), []int{experts}, nil)
		return all
	}
	blocks := p.GetBytes(name+"_blocks", experts, outputs, inputs/block, block/2)
	scales := p.GetBytes(name+"_scales", experts, outputs, inputs/block)
	if blocks == nil || scales == nil {
		return all
	}
	row := inputs / block
	for e := range all {
		data := make([]byte, outputs*row*bytes)
		for i := range outputs {
			from := e*outputs + i
			if paired {
				from = e*outputs + i%(outputs/2)*2 + i/(outputs/2)
			}
			for b := range row {
				to := data[(i*row+b)*bytes:][:bytes]
				to[0] = scales[from*row+b]
				pairBlock(to[1:], blocks[(from*row+b)*block/2:])
			}
		}
		q, err := quant.New(quant.MXFP4, []int{outputs, inputs}, data)
		if err != nil {
			panic(err) // the sizes are those of the blocks
		}
		all[e] = packedMatrix(p, q)
	}
	return all
}

// pairBlock puts number i of a block beside number i+16, as quant.MXFP4 has them; in the files of transformers
// neighbours share a byte.
func pairBlock(to, from []byte) {
	for i := range 8 {
		low, high := from[i], from[i+8]
		to[2*i] = low&15 | high<<4
		to[2*i+1] = low>>4 | high&0xF0
	}
}

// packedMatrix is a packed matrix where p computes; dense on devices that have no products of its format.
func packedMatrix(p *nn.Params, q *quant.QTensor) matrix {
	switch dev := p.Device(); {
	case dev.IsCPU():
		return matrix{stored: []*quant.QTensor{q}}
	case q.Type().OnGPU():
		return matrix{packed: q.ToDevice(dev)}
	default:
		return matrix{dense: q.DequantizeAs(p.DType(), dev).T()}
	}
}
