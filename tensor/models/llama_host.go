package models

import (
	"runtime"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
	"github.com/gorocm/gorocm/tensor/models/internal/hostmath"
	"github.com/gorocm/gorocm/tensor/nn"
)

// hostRow reads a token alone on the host, in F32: between its products it computes on slices, since operations on
// tensors of a few hundred elements take longer to begin than to compute.
type hostRow struct {
	model               *Llama
	x                   []float32      // the residual row
	normed, seen, gated *tensor.Tensor // [1 dim], [1 heads·size], [1 hidden]: the operands of products

	// of parts of the keys: the greatest score, and the sums of exponentials and of values
	tops  []float32
	sums  []float64
	parts []float32
}

// newHostRow returns nil for models that it is not for.
func newHostRow(m *Llama) *hostRow {
	if !m.Device().IsCPU() || m.DType() != tensor.F32 || !m.Config.IsLlama() {
		return nil
	}
	c := &m.Config
	row := func(n int) *tensor.Tensor { return m.Device().Zeros(tensor.F32, 1, n).Kept() }
	return &hostRow{model: m, x: make([]float32, c.Dim), normed: row(c.Dim), seen: row(c.Heads * c.HeadDim),
		gated: row(c.Hidden)}
}

const hostRowOp = "llama"

// logits reads a token at a position, whose keys and values it adds to caches, and returns those of the next one,
// [1 vocab]. The rotary embedding has another position for it after images.
func (r *hostRow) logits(id, position, rotated int, caches []*nn.Cache) *tensor.Tensor {
	m, c := r.model, &r.model.Config
	row := m.embedding.rows([]int{id})
	copy(r.x, extend.Floats(hostRowOp, row))
	runtime.KeepAlive(row)
	for i := range m.layers {
		l := &m.layers[i]
		r.norm(l.attentionNorm.alpha)
		r.product(&l.qkv, r.normed, func(heads []float32) { r.attend(l, heads, position, rotated, caches[i]) })
		r.product(&l.out, r.seen, r.add)
		r.norm(l.ffnNorm.alpha)
		r.product(&l.gateUp, r.normed, func(y []float32) {
			hostmath.Swiglu(extend.Floats(hostRowOp, r.gated), y[:c.Hidden], y[c.Hidden:])
		})
		r.product(&l.down, r.gated, r.add)
	}
	r.norm(m.norm.alpha)
	return m.output.product(r.normed)
}

// product calls f with the elements of a product.
func (r *hostRow) product(w *matrix, x *tensor.Tensor, f func(y []float32)) {
	y := w.product(x)
	f(extend.Floats(hostRowOp, y))
	y.Free()
}

func (r *hostRow) add(y []float32) {
	for i, v := range y {
		r.x[i] += v
	}
}

// norm sets the normed row.
func (r *hostRow) norm(alpha *tensor.Tensor) {
	hostmath.Normalize(extend.Floats(hostRowOp, r.normed), r.x, extend.Floats(hostRowOp, alpha), r.model.Config.Eps)
}

// attend adds the keys and values of a token to a cache, and sets the seen row: heads are the queries, keys and values
// of all heads.
func (r *hostRow) attend(l *llamaLayer, heads []float32, position, rotated int, cache *nn.Cache) {
	m, c := r.model, &r.model.Config
	size := c.HeadDim
	if l.qNorm != nil {
		for h := range c.Heads + c.KVHeads {
			alpha := l.qNorm
			if h >= c.Heads {
				alpha = l.kNorm
			}
			head := heads[h*size : (h+1)*size]
			hostmath.Normalize(head, head, extend.Floats(hostRowOp, alpha), c.Eps)
		}
	}
	cos := extend.Floats(hostRowOp, m.rope.cos)[rotated*size/2:][:size/2]
	sin := extend.Floats(hostRowOp, m.rope.sin)[rotated*size/2:][:size/2]
	for h := range c.Heads + c.KVHeads {
		hostmath.Rotate(heads[h*size:(h+1)*size], cos, sin, c.Interleaved)
	}
	all := cache.Reserve(m.Device().Empty(tensor.F32, 1, 2*c.KVHeads, 1, size)) // [1 2·groups capacity size]
	kept, stride := extend.Floats(hostRowOp, all), cache.Capacity()*size
	for g := range 2 * c.KVHeads {
		copy(kept[g*stride+position*size:][:size], heads[(c.Heads+g)*size:])
	}
	cache.Advance(1)
	first := 0
	if c.Window > 0 {
		first = max(0, position+1-c.Window)
	}
	r.see(heads, kept[first*size:], stride, position+1-first)
}

// chunk is how many keys a core attends to at a time. It does not depend on how many cores there are, and so neither
// do results.
const chunk = 64

// see sets the seen row: queries attend to keys and values [2·groups, keys, size], groups stride apart.
func (r *hostRow) see(queries, kept []float32, stride, keys int) {
	c := &r.model.Config
	size, each, chunks := c.HeadDim, c.Heads/c.KVHeads, (keys+chunk-1)/chunk
	seen := extend.Floats(hostRowOp, r.seen)
	if n := c.Heads * chunks; len(r.tops) < n {
		r.tops, r.sums, r.parts = make([]float32, n), make([]float64, n), make([]float32, n*size)
	}
	team.Run(c.KVHeads*chunks, each*min(keys, chunk)*size, func(lo, hi int) {
		var scores [chunk]float32
		for unit := lo; unit < hi; unit++ {
			g, from := unit/chunks, unit%chunks*chunk
			n := min(keys-from, chunk)
			k, v := kept[g*stride+from*size:][:n*size], kept[(c.KVHeads+g)*stride+from*size:][:n*size]
			for h := g * each; h < (g+1)*each; h++ {
				at := h*chunks + from/chunk
				part, query := r.parts[at*size:][:size], queries[h*size:][:size]
				r.tops[at], r.sums[at] = hostmath.AttendPart(part, query, k, v, scores[:n])
			}
		}
	})
	for h := range c.Heads {
		at := h * chunks
		parts, tops, sums := r.parts[at*size:][:chunks*size], r.tops[at:][:chunks], r.sums[at:][:chunks]
		hostmath.JoinParts(seen[h*size:][:size], parts, tops, sums)
	}
}
