package decode_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/decode"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// decoder is a small random decoder, and what its tokens are compared with.
type decoder struct {
	heads, groups, size, dim, hidden, vocab, layers int
	window                                          int
	norms, bias, interleaved                        bool
	formats                                         []quant.Type // of the matrices in turn; empty: dense
}

const capacity = 1500

// make returns the layers on a device.
func (c decoder) make(t *testing.T, dev *tensor.Device, dt tensor.DType) *decode.Layers {
	t.Helper()
	n := 0
	linear := func(rows, cols int, norm bool) (l decode.Linear) {
		l.M.Rows, l.M.Cols, l.Eps = rows, cols, 1e-5
		w := dev.Randn(tensor.F32, rows, cols).Affine(1/math.Sqrt(float64(cols)), 0)
		if len(c.formats) > 0 && c.formats[n%len(c.formats)] != quant.F16 {
			q := quant.Quantize(w, c.formats[n%len(c.formats)])
			l.M.Packed, l.M.Format = q.Blocks(), q.Type().String()
			l.M.Format = map[string]string{"Q4_0": "q4_0", "Q8_0": "q8_0", "Q4K": "q4k", "Q6K": "q6k"}[l.M.Format]
		} else {
			l.M.Dense = w.ToDType(dt)
		}
		n++
		if norm {
			l.Norm = dev.Randn(dt, cols)
		}
		return l
	}
	l := &decode.Layers{Table: dev.Randn(dt, c.vocab, c.dim), Window: c.window, Eps: 1e-5}
	l.Rope = decode.RopePut{Queries: c.heads, Groups: c.groups, Size: c.size, Cos: dev.Rand(dt, capacity, c.size/2),
		Sin: dev.Rand(dt, capacity, c.size/2), Interleaved: c.interleaved}
	for range c.layers {
		by := decode.Layer{QKV: linear((c.heads+2*c.groups)*c.size, c.dim, true), Out: linear(c.dim, c.heads*c.size, false),
			GateUp: linear(2*c.hidden, c.dim, true), Down: linear(c.dim, c.hidden, false)}
		by.GateUp.Gated = true
		if c.bias {
			by.QKV.Plus = dev.Randn(dt, by.QKV.M.Rows)
		}
		if c.norms {
			by.QNorm, by.KNorm = dev.Randn(dt, c.size), dev.Randn(dt, c.size)
		}
		l.Layers = append(l.Layers, by)
	}
	l.Output = linear(c.vocab, c.dim, true)
	return l
}

// launched reads a token by a launch for each stage.
func (c decoder) launched(l *decode.Layers, id int, place *tensor.Tensor, caches []*tensor.Tensor) *tensor.Tensor {
	x := l.Table.Narrow(0, id, 1).Copy()
	for i, by := range l.Layers {
		heads := by.QKV.Of(x, nil)
		rows := heads.Reshape(1, c.heads+2*c.groups, 1, c.size)
		if by.QNorm != nil {
			q, k := rows.Narrow(1, 0, c.heads), rows.Narrow(1, c.heads, c.groups)
			q.CopySet(q.RmsNorm(by.QNorm, l.Eps))
			k.CopySet(k.RmsNorm(by.KNorm, l.Eps))
		}
		l.Rope.Put(heads, caches[i], place)
		k, v := caches[i].Narrow(1, 0, c.groups), caches[i].Narrow(1, c.groups, c.groups)
		seen := nn.Attention(rows.Narrow(1, 0, c.heads), k, v, nn.Attend{Scale: 1, Causal: true, Window: c.window, Last: place})
		x = by.Out.Of(seen.Reshape(1, c.heads*c.size), x)
		x = by.Down.Of(by.GateUp.Of(x, nil), x)
	}
	return l.Output.Of(x, nil).Reshape(c.vocab)
}

var decoders = []decoder{
	{heads: 4, groups: 2, size: 16, dim: 64, hidden: 96, vocab: 101, layers: 2},
	{heads: 6, groups: 1, size: 8, dim: 48, hidden: 64, vocab: 50, layers: 3, bias: true, interleaved: true},
	{heads: 2, groups: 2, size: 40, dim: 80, hidden: 160, vocab: 64, layers: 1, norms: true, window: 5},
	{heads: 1, groups: 1, size: 256, dim: 256, hidden: 512, vocab: 600, layers: 1, window: 300},
	{heads: 4, groups: 2, size: 64, dim: 256, hidden: 512, vocab: 512, layers: 2, formats: []quant.Type{quant.Q8_0}},
	{heads: 4, groups: 2, size: 64, dim: 2048, hidden: 256, vocab: 65, layers: 1,
		formats: []quant.Type{quant.Q4K, quant.Q4K, quant.Q6K}},
	{heads: 4, groups: 2, size: 64, dim: 256, hidden: 512, vocab: 512, layers: 2,
		formats: []quant.Type{quant.Q4_0, quant.F16}},
}

// TestToken: one launch gives what a launch for each stage gives, at the first positions, and at those that are
// divided into parts or beyond a window; caches as well.
func TestToken(t *testing.T) {
	thorough.Slow(t)
	eachGPU(t, func(t *testing.T, dev *tensor.Device) {
		for n, c := range thorough.Sample(decoders, 3, 0) {
			dt := []tensor.DType{tensor.F16, tensor.BF16}[n%2]
			t.Run(fmt.Sprintf("%v %+v", dt, c), func(t *testing.T) { c.test(t, dev, dt) })
		}
	})
}

func (c decoder) test(t *testing.T, dev *tensor.Device, dt tensor.DType) {
	l := c.make(t, dev, dt)
	token := decode.NewToken(l)
	if token == nil {
		t.Fatal("no kernel")
	}
	var ours, theirs []*tensor.Tensor
	for range l.Layers {
		cache := dev.Randn(dt, 1, 2*c.groups, capacity, c.size)
		ours, theirs = append(ours, cache), append(theirs, cache.Copy())
	}
	for _, place := range []uint32{0, 1, 2, 17, 300, 699, 1400, 600} {
		id := int(place) % c.vocab
		now := dev.New([]uint32{uint32(id), place})
		got := token.Read(now.Narrow(0, 0, 1), int(place), ours)
		want := c.launched(l, id, now.Narrow(0, 1, 1), theirs)
		near(t, got, want.ToDType(dt), 0.03)
		for i := range ours {
			near(t, ours[i], theirs[i], 0.03)
		}
	}
}
