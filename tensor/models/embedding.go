package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// embedding is the table of the tokens' rows, [vocab dim].
type embedding struct {
	dense  *tensor.Tensor
	stored *quant.QTensor // as its file has it, instead: on the host
	dtype  tensor.DType   // of rows
}

func newEmbedding(p *nn.Params, name string, c LlamaConfig) embedding {
	e := embedding{dtype: p.DType()}
	if p.Device().IsCPU() {
		e.stored = p.GetPacked(name, c.Vocab, c.Dim)
	}
	if e.stored == nil {
		e.dense = p.Get(name, []int{c.Vocab, c.Dim}, randomWeight).Detach()
	}
	return e
}

// tied is the output of a model without weights for it. Packed blocks of the table are multiplied as such.
func (e embedding) tied(p *nn.Params, name string, c LlamaConfig) matrix {
	if e.stored != nil {
		return matrix{stored: []*quant.QTensor{e.stored}}
	}
	if q := p.GetPacked(name, c.Vocab, c.Dim); q != nil {
		return matrix{packed: q.ToDevice(p.Device())}
	}
	return matrix{dense: e.dense.T()}
}

// rows looks up the rows of tokens.
func (e embedding) rows(ids []int) *tensor.Tensor {
	if e.dense != nil {
		return rows(e.dense, ids)
	}
	return e.of(tensor.CPU().New(numbers(ids)))
}

// rows looks up rows of a table. One row is a view.
func rows(table *tensor.Tensor, ids []int) *tensor.Tensor {
	parts.CheckTokens(ids, table.Dim(0))
	if len(ids) == 1 {
		return table.Narrow(0, ids[0], 1)
	}
	return table.IndexSelect(table.Device().New(numbers(ids)), 0)
}

func numbers(ids []int) []uint32 {
	list := make([]uint32, len(ids))
	for i, id := range ids {
		list[i] = uint32(id)
	}
	return list
}

// of looks up the rows of tokens on the device.
func (e embedding) of(ids *tensor.Tensor) *tensor.Tensor {
	if e.dense != nil {
		return e.dense.IndexSelect(ids, 0)
	}
	return e.stored.Embedding(ids).ToDType(e.dtype)
}
