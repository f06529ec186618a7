package models

import (
	"encoding/binary"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/decode"
	"github.com/gorocm/gorocm/tensor/nn"
)

// llamaToken reads tokens of one text on a GPU, each by one launch.
type llamaToken struct {
	token *decode.Token
	id    *tensor.Tensor // U32 [1], of a token that comes from the host
	row   *tensor.Tensor // of the shape of keys and values of a token
}

// newLlamaToken returns nil where there is no kernel for a model.
func newLlamaToken(m *Llama) *llamaToken {
	rows := newLlamaRows(m)
	if rows == nil || m.embedding.dense == nil {
		return nil
	}
	c := &m.Config
	l := &decode.Layers{Table: m.embedding.dense, Output: rows.output, Rope: rows.rope, Window: c.Window, Eps: c.Eps}
	for i, by := range rows.layers {
		l.Layers = append(l.Layers, decode.Layer{QKV: by.qkv, Out: by.out, GateUp: by.gateUp, Down: by.down,
			QNorm: m.layers[i].qNorm, KNorm: m.layers[i].kNorm})
	}
	token := decode.NewToken(l)
	if token == nil {
		return nil
	}
	dev := m.Device()
	return &llamaToken{token: token, id: dev.Zeros(tensor.U32, 1).Kept(),
		row: dev.Zeros(m.DType(), 1, 2*c.KVHeads, 1, c.HeadDim).Kept()}
}

// upload returns a token of the host in the memory of the device.
func (t *llamaToken) upload(id int) *tensor.Tensor {
	memory, at := t.id.Buffer()
	checkDriver("decoder", memory.Upload(at, binary.LittleEndian.AppendUint32(nil, uint32(id))))
	return t.id
}

// read returns the logits after a token, U32 [1]. The caches have its keys and values, but do not count it.
func (t *llamaToken) read(id *tensor.Tensor, place int, caches []*nn.Cache) *tensor.Tensor {
	all := make([]*tensor.Tensor, len(caches))
	for i, c := range caches {
		all[i] = c.Reserve(t.row)
	}
	return t.token.Read(id, place, all)
}
