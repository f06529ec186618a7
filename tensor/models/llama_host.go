package models

import (
	"math"
	"runtime"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/team"
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
	if !m.Device().IsCPU() || m.DType() != tensor.F32 || !m.Config.isLlama() {
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
			swiglu(extend.Floats(hostRowOp, r.gated), y[:c.Hidden], y[c.Hidden:])
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
	normalize(extend.Floats(hostRowOp, r.normed), r.x, extend.Floats(hostRowOp, alpha), r.model.Config.Eps)
}

// normalize is rms_norm; y may be x.
func normalize(y, x, alpha []float32, eps float64) {
	if squares := simd.Fast.Squares; squares != nil {
		simd.Fast.Normalize(y, x, alpha, 1/math.Sqrt(squares(x, 0)/float64(len(x))+eps))
		return
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	factor := 1 / math.Sqrt(sum/float64(len(x))+eps)
	for i, v := range x {
		y[i] = float32(float64(v) * factor * float64(alpha[i]))
	}
}

// swiglu sets y to silu(gate)·up.
func swiglu(y, gate, up []float32) {
	if simd.Fast.Silu != nil {
		simd.Fast.Silu(y, gate)
		simd.Fast.Mul(y, y, up)
		return
	}
	for i, v := range gate {
		y[i] = float32(float64(v)/(1+math.Exp(-float64(v)))) * up[i]
	}
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
			normalize(head, head, extend.Floats(hostRowOp, alpha), c.Eps)
		}
	}
	cos := extend.Floats(hostRowOp, m.rope.cos)[rotated*size/2:][:size/2]
	sin := extend.Floats(hostRowOp, m.rope.sin)[rotated*size/2:][:size/2]
	for h := range c.Heads + c.KVHeads {
		rotate(heads[h*size:(h+1)*size], cos, sin, c.Interleaved)
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
				r.tops[at], r.sums[at] = attendPart(r.parts[at*size:][:size], queries[h*size:][:size], k, v, scores[:n])
			}
		}
	})
	for h := range c.Heads {
		at := h * chunks
		joinParts(seen[h*size:][:size], r.parts[at*size:][:chunks*size], r.tops[at:][:chunks], r.sums[at:][:chunks])
	}
}

// rotate rotates the pairs of a head.
func rotate(x, cos, sin []float32, interleaved bool) {
	for n, c := range cos {
		i, j := n, n+len(cos)
		if interleaved {
			i, j = 2*n, 2*n+1
		}
		a, b := x[i], x[j]
		x[i], x[j] = float32(a*c)-float32(b*sin[n]), float32(a*sin[n])+float32(b*c)
	}
}

// attendPart sets y to the attention of a query q to rows of keys and values, times the returned sum. That is of the
// exponentials of scores less the returned top.
func attendPart(y, q, k, v, scores []float32) (top float32, sum float64) {
	size := len(q)
	top = float32(math.Inf(-1))
	for j := range scores {
		scores[j] = dot(q, k[j*size:(j+1)*size])
		top = max(top, scores[j])
	}
	if expSum := simd.Fast.ExpSum; expSum != nil {
		sum = expSum(scores, scores, top)
	} else {
		for j, s := range scores {
			scores[j] = float32(math.Exp(float64(s - top)))
			sum += float64(scores[j])
		}
	}
	clear(y)
	addScaled(y, v, scores)
	return top, sum
}

// joinParts sets y to the attention to all keys, from what attendPart gave for parts of them. It changes tops.
func joinParts(y, parts, tops []float32, sums []float64) {
	top, sum := slices.Max(tops), 0.0
	for i, t := range tops {
		factor := math.Exp(float64(t - top))
		sum += factor * sums[i]
		tops[i] = float32(factor)
	}
	clear(y)
	addScaled(y, parts, tops)
	for i := range y {
		y[i] = float32(float64(y[i]) / sum)
	}
}

// addScaled adds rows, each times its factor, to y.
func addScaled(y, rows, factors []float32) {
	size, j := len(y), 0
	if add := simd.Fast.AddScaled; add != nil {
		for ; j+4 <= len(factors); j += 4 {
			add(y, rows[j*size:(j+4)*size], size, (*[4]float32)(factors[j:]))
		}
	}
	for ; j < len(factors); j++ {
		for i, v := range rows[j*size : (j+1)*size] {
			y[i] += factors[j] * v
		}
	}
}

func dot(x, y []float32) (sum float32) {
	if f := simd.Fast.Dot; f != nil {
		return f(x, y)
	}
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
