package vision

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// jsonQwen is what vision_config of Qwen2-VL and Qwen2.5-VL has under names of its own.
type jsonQwen struct {
	Depth    int   `json:"depth"`
	Embed    int   `json:"embed_dim"` // of Qwen2-VL, where hidden_size is the width of the language model
	NumHeads int   `json:"num_heads"`
	Merge    int   `json:"spatial_merge_size"`
	Frames   int   `json:"temporal_patch_size"`
	Window   int   `json:"window_size"` // in pixels, of Qwen2.5-VL
	Full     []int `json:"fullatt_block_indexes"`
	Out      int   `json:"out_hidden_size"`
	In       *int  `json:"in_channels"`
	OldIn    *int  `json:"in_chans"`
	Rope     *struct {
		Theta float64 `json:"rope_theta"`
	} `json:"rope_parameters"`
}

// readQwen reads the sizes of Qwen2-VL (Wang et al., "Qwen2-VL: Enhancing Vision-Language Model's Perception of the
// World at Any Resolution", 2024) and of Qwen2.5-VL ("Qwen2.5-VL Technical Report", 2025): a vision transformer for
// images of any size, whose positions are two rotary embeddings, and of whose rows neighbours are put side by side
// before two products. Most layers of Qwen2.5-VL see only a window.
func (t *Tower) readQwen(prepare *jsonProcessor) (err error) {
	j, v := t.json, &t.json.Image
	c := Config{ModelType: j.ModelType, Layers: parts.FirstOf(v.Depth, 32), Heads: parts.FirstOf(v.NumHeads, 16),
		Patch: parts.FirstOf(v.Patch[0], 14), Eps: 1e-6}
	t.TokenID = 151655
	v.Merge, v.Frames = parts.FirstOf(v.Merge, 2), parts.FirstOf(v.Frames, 2)
	out := 0
	if j.qwen25() {
		c.Dim, c.Hidden, c.Activation = parts.FirstOf(v.Dim, 3584), parts.FirstOf(v.Hidden, 3420), "silu"
		v.Window, out = parts.FirstOf(v.Window, 112), parts.FirstOf(v.Out, 3584)
		if v.Full == nil {
			v.Full = []int{7, 15, 23, 31}
		}
	} else {
		ratio := 4.0
		set(&ratio, v.Ratio)
		c.Dim, c.Activation, out = parts.FirstOf(v.Embed, 1280), "quick_gelu", parts.FirstOf(v.Dim, 3584)
		c.Hidden = parts.FirstOf(v.Hidden, int(float64(c.Dim)*ratio))
	}
	c.Activation = parts.FirstOf(v.Act, c.Activation)
	t.Config = c
	for _, in := range []*int{v.In, v.OldIn} {
		if in != nil && *in != 3 {
			return fmt.Errorf("vision: in_channels is %d: want 3, of red, green and blue", *in)
		}
	}
	for _, n := range []int{c.Dim, c.Hidden, c.Heads, c.Patch, v.Merge, v.Frames} {
		if n < 1 || n > maxWidth {
			return fmt.Errorf("vision: a model of these sizes is not possible: %+v", c)
		}
	}
	unit := v.Merge * c.Patch
	switch {
	case c.Layers < 1 || c.Layers > maxLayers || v.Frames > 16 || unit > maxSide:
		return fmt.Errorf("vision: %d layers for %d frames with %d × %d patches of %d are not possible", c.Layers, v.Frames,
			v.Merge, v.Merge, c.Patch)
	case c.Dim%c.Heads != 0 || c.Dim/c.Heads%4 != 0:
		return fmt.Errorf("vision: a width of %d for %d heads is not possible: want heads of a multiple of 4", c.Dim, c.Heads)
	case out != t.Width:
		return fmt.Errorf("vision: rows have a width of %d for a language model of %d", out, t.Width)
	case j.qwen25() && (v.Window < unit || v.Window > maxWidth):
		return fmt.Errorf("vision: a window_size of %d is not possible: want at least %d pixels", v.Window, unit)
	}
	if _, err := nn.ParseActivation(c.Activation); err != nil {
		return err
	}
	if t.Processor, t.Range, err = prepare.pixelRange(); err != nil {
		return err
	}
	return t.checkRange()
}

func (j *jsonTower) qwen25() bool { return j.ModelType == "qwen2_5_vl" }

// checkRange returns an error unless images come out in whole patches.
func (t *Tower) checkRange() error {
	if unit := t.json.Image.Merge * t.Config.Patch; t.Range.Multiple != unit {
		return fmt.Errorf("vision: sides of a multiple of %d pixels are prepared for a model of %d", t.Range.Multiple, unit)
	}
	return t.Range.check()
}

// grid is how many rows and columns of image tokens a picture has.
func (t *Tower) grid(h, w int) [2]int { return [2]int{h / t.Range.Multiple, w / t.Range.Multiple} }

// qwenLayer is a layer of the vision transformer, whose queries, keys and values are one product.
type qwenLayer struct {
	norm1, norm2 parts.Norm
	qkv, out     *nn.Linear
	feed         parts.FeedForward
	full         bool // sees all rows, not only its window
}

func (t *Tower) qwen(p *nn.Params) {
	c, v := &t.Config, &t.json.Image
	at := within(p, "patch_embed.proj.weight", "visual", "model.visual")
	norm := func(at *nn.Params) parts.Norm {
		if t.json.qwen25() {
			return nn.NewRmsNorm(c.Dim, c.Eps, at)
		}
		return nn.NewLayerNorm(c.Dim, c.Eps, at)
	}
	patches := at.Get("patch_embed.proj.weight", []int{c.Dim, 3, v.Frames, c.Patch, c.Patch}, nil)
	var layers []*qwenLayer
	for i := range c.Layers {
		at := at.At("blocks", i)
		l := &qwenLayer{norm1: norm(at.At("norm1")), norm2: norm(at.At("norm2")),
			qkv:  nn.NewLinear(c.Dim, 3*c.Dim, at.At("attn", "qkv")),
			out:  nn.NewLinear(c.Dim, c.Dim, at.At("attn", "proj")),
			full: !t.json.qwen25() || slices.Contains(v.Full, i)}
		up, down := "fc1", "fc2"
		l.feed.Activate = activation(c.Activation)
		if t.json.qwen25() {
			up, down = "up_proj", "down_proj"
			l.feed.Gate = nn.NewLinear(c.Dim, c.Hidden, at.At("mlp", "gate_proj"))
		}
		l.feed.Up = nn.NewLinear(c.Dim, c.Hidden, at.At("mlp", up))
		l.feed.Down = nn.NewLinear(c.Hidden, c.Dim, at.At("mlp", down))
		layers = append(layers, l)
	}
	merger, side := at.At("merger"), c.Dim*v.Merge*v.Merge
	last := norm(merger.At("ln_q"))
	project := parts.FeedForward{Activate: activation("gelu"), Up: nn.NewLinear(side, side, merger.At("mlp", 0)),
		Down: nn.NewLinear(side, t.Width, merger.At("mlp", 2))}
	t.forward = func(pixels *tensor.Tensor) *tensor.Tensor {
		grid := t.grid(pixels.Dim(2), pixels.Dim(3))
		windows := [2]int{grid[0], grid[1]}
		if t.json.qwen25() {
			windows = [2]int{v.Window / t.Range.Multiple, v.Window / t.Range.Multiple}
		}
		order, kinds := windowsOf(grid, windows)
		x := t.patchRows(pixels, patches)
		x = t.ordered(x, order)
		cos, sin := t.angles(grid, order)
		for _, l := range layers {
			x = x.Add(l.attend(l.norm1.Forward(x), c.Heads, cos, sin, kinds))
			x = x.Add(l.feed.Forward(l.norm2.Forward(x)))
		}
		x = project.Forward(last.Forward(x).Reshape(len(order), side))
		back := make([]uint32, len(order))
		for i, group := range order {
			back[group] = uint32(i)
		}
		return x.IndexSelect(t.dev.FromSlice(back, len(back)), 0).Unsqueeze(0)
	}
}

// patchRows are the rows [patches dim] of pixels [1 3 h w]: those that become one row stand side by side. The image is
// all of its frames.
func (t *Tower) patchRows(pixels, weight *tensor.Tensor) *tensor.Tensor {
	m, s, frames := t.json.Image.Merge, t.Config.Patch, t.json.Image.Frames
	grid := t.grid(pixels.Dim(2), pixels.Dim(3))
	x := pixels.Reshape(3, grid[0], m, s, grid[1], m, s).Permute(1, 4, 2, 5, 0, 3, 6)
	n := grid[0] * grid[1] * m * m
	x = x.Reshape(n, 3, 1, s*s).BroadcastAs(n, 3, frames, s*s).Reshape(n, 3*frames*s*s)
	return x.MatMul(weight.Reshape(t.Config.Dim, 3*frames*s*s).T())
}

// ordered has the groups of rows that become one in another order.
func (t *Tower) ordered(x *tensor.Tensor, order []int) *tensor.Tensor {
	group := x.Dim(0) / len(order)
	list := make([]uint32, len(order))
	for i, at := range order {
		list[i] = uint32(at)
	}
	rows := x.Reshape(len(order), group*x.Dim(1)).IndexSelect(t.dev.FromSlice(list, len(list)), 0)
	return rows.Reshape(x.Dims()...)
}

// windowKind are windows of one size, which come one after the other.
type windowKind struct{ count, groups int }

// windowsOf divides a grid of groups into windows, those at its right and lower edges may be smaller: the order in
// which windows of one size come together, and of which sizes they are.
func windowsOf(grid, window [2]int) (order []int, kinds []windowKind) {
	type part struct{ first, size, count int } // of a side
	parts := func(n, w int) []part { return []part{{0, w, n / w}, {n / w * w, n % w, min(n%w, 1)}} }
	for _, rows := range parts(grid[0], window[0]) {
		for _, columns := range parts(grid[1], window[1]) {
			kind := windowKind{rows.count * columns.count, rows.size * columns.size}
			if kind.count == 0 {
				continue
			}
			kinds = append(kinds, kind)
			for i := range kind.count {
				top, left := rows.first+i/columns.count*rows.size, columns.first+i%columns.count*columns.size
				for y := range rows.size {
					for x := range columns.size {
						order = append(order, (top+y)*grid[1]+left+x)
					}
				}
			}
		}
	}
	return order, kinds
}

// angles are the cosines and sines [patches size/2] of rows: of how high a patch is, then of how far to the right.
func (t *Tower) angles(grid [2]int, order []int) (cos, sin *tensor.Tensor) {
	m, base, half := t.json.Image.Merge, 10000.0, t.Config.Dim/t.Config.Heads/2
	if r := t.json.Image.Rope; r != nil && r.Theta != 0 {
		base = r.Theta
	}
	var c, s []float32
	for _, group := range order {
		for i := range m * m {
			for _, at := range []int{group/grid[1]*m + i/m, group%grid[1]*m + i%m} {
				for k := 0; k < half; k += 2 {
					sine, cosine := math.Sincos(float64(at) / math.Pow(base, float64(k)/float64(half)))
					c, s = append(c, float32(cosine)), append(s, float32(sine))
				}
			}
		}
	}
	return t.dev.FromSlice(c, len(c)/half, half), t.dev.FromSlice(s, len(s)/half, half)
}

// attend is attention of rows [patches dim], within windows or of all to all. The rotation is in F32.
func (l *qwenLayer) attend(x *tensor.Tensor, heads int, cos, sin *tensor.Tensor, kinds []windowKind) *tensor.Tensor {
	n, dim := x.Dim(0), x.Dim(1)
	qkv := l.qkv.Forward(x).Reshape(n, 3, heads, dim/heads).Permute(1, 2, 0, 3) // [3 heads n size]
	of := func(i int) *tensor.Tensor { return qkv.Narrow(0, i, 1) }
	rotated := func(x *tensor.Tensor) *tensor.Tensor {
		return nn.Rope(x.ToDType(tensor.F32).Contiguous(), cos, sin).ToDType(qkv.DType())
	}
	q, k, v := rotated(of(0)), rotated(of(1)), of(2)
	if l.full {
		kinds = []windowKind{{1, 1}}
	}
	groups := 0
	for _, kind := range kinds {
		groups += kind.count * kind.groups
	}
	var all []*tensor.Tensor
	first := 0
	for _, kind := range kinds {
		rows := kind.count * kind.groups * (n / groups)
		of := func(x *tensor.Tensor) *tensor.Tensor { // [count heads rows size]
			x = x.Narrow(2, first, rows).Reshape(heads, kind.count, rows/kind.count, dim/heads)
			return x.Transpose(0, 1).Contiguous()
		}
		y := nn.Attention(of(q), of(k), of(v), nn.Attend{})
		all = append(all, y.Transpose(1, 2).Reshape(rows, dim))
		first += rows
	}
	return l.out.Forward(tensor.Cat(all, 0))
}
