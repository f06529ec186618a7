package diffusion

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Transformer says, in the place of a UNet, how a noisy picture changes on its way to one without noise: that of Stable
// Diffusion 3 or FLUX. Patches of the picture and tokens of the text are rows, which attend to each other.
type Transformer struct {
	Config *TransformerConfig

	dtype       tensor.DType
	in, text    *nn.Linear
	positions   *tensor.Tensor // of SD3, [Positions Positions width]
	time, guide *embedder      // guide is nil where Config.Guided is false
	whole       *embedder
	layers      []*doubled
	singles     []*single
	norm        *modulation
	out         *nn.Linear
	rotaryOf    map[[3]int]*rotary                         // of FLUX, by the sizes of text and picture
	pause       func()                                     // as that of UNet
	after       func(layer int, rows, text *tensor.Tensor) // is called after each layer; may be nil
}

// embedder is two products with an activation between them.
type embedder struct{ first, second *nn.Linear }

func newEmbedder(in, width int, p *nn.Params) *embedder {
	return &embedder{nn.NewLinear(in, width, p.At("linear_1")), nn.NewLinear(width, width, p.At("linear_2"))}
}

func (e *embedder) forward(x *tensor.Tensor) *tensor.Tensor {
	return e.second.Forward(e.first.Forward(x).Silu())
}

// timeWaves is how many sines and cosines a time has.
const timeWaves = 256

// newMMDiT takes the weights of a Transformer, inside of a Build.
func newMMDiT(c *TransformerConfig, p *nn.Params) *Transformer {
	width, patch := c.Width(), c.Latents*c.Patch*c.Patch
	t := &Transformer{Config: c, dtype: p.DType(), text: nn.NewLinear(c.Text, width, p.At("context_embedder")),
		rotaryOf: map[[3]int]*rotary{}}
	if c.flux {
		t.in = nn.NewLinear(patch, width, p.At("x_embedder"))
	} else {
		at := p.At("pos_embed")
		kernels := at.Get("proj.weight", []int{width, c.Latents, c.Patch, c.Patch}, nil)
		t.in = &nn.Linear{Weight: kernels.Reshape(width, patch), Bias: at.Get("proj.bias", []int{width}, nil)}
		t.positions = at.Get("pos_embed", []int{1, c.Positions * c.Positions, width}, nil).
			Reshape(c.Positions, c.Positions, width)
	}
	at := p.At("time_text_embed")
	t.time = newEmbedder(timeWaves, width, at.At("timestep_embedder"))
	t.whole = newEmbedder(c.Whole, width, at.At("text_embedder"))
	if c.Guided {
		t.guide = newEmbedder(timeWaves, width, at.At("guidance_embedder"))
	}
	for i := range c.Layers {
		t.layers = append(t.layers, newDoubled(c, i, p.At("transformer_blocks", i)))
	}
	for i := range c.Singles {
		t.singles = append(t.singles, newSingle(c, p.At("single_transformer_blocks", i)))
	}
	t.norm, t.out = newModulation(width, 2, p.At("norm_out")), nn.NewLinear(width, patch, p.At("proj_out"))
	return t
}

// Forward returns how noisy pictures x [n channels height width] change at a time, which counts from 0, no noise, to
// 1000, for a level of noise that goes from 0 to 1: F32 of the shape of x. o.Added are the rows of whole texts. It
// panics with ErrShape for shapes that do not fit, such as sides that Patch does not divide.
func (m *Transformer) Forward(x *tensor.Tensor, time float64, o Condition) *tensor.Tensor {
	m.check(x, o)
	n, h, w := x.Dim(0), x.Dim(2)/m.Config.Patch, x.Dim(3)/m.Config.Patch
	t := m.waved(m.time, time, x.Device()).Add(m.whole.forward(o.Added.ToDType(m.dtype)))
	if m.guide != nil {
		t = t.Add(m.waved(m.guide, 1000*o.Guidance, x.Device()))
	}
	t = t.Silu()
	rows, text := m.in.Forward(m.patches(x.ToDType(m.dtype))), m.text.Forward(o.Text.ToDType(m.dtype))
	var by *rotary
	if m.positions != nil {
		top, left := (m.Config.Positions-h)/2, (m.Config.Positions-w)/2
		places := m.positions.Narrow(0, top, h).Narrow(1, left, w)
		rows = rows.Add(places.Reshape(1, h*w, m.Config.Width()))
	} else {
		by = m.rotary(text.Dim(1), h, w)
	}
	for i, l := range m.layers {
		called(m.pause)
		rows, text = scopedPair(func() (a, b *tensor.Tensor) { return l.forward(rows, text, t, by) })
		m.told(i, rows, text)
	}
	if m.singles != nil {
		all := tensor.Cat([]*tensor.Tensor{text, rows}, 1)
		for i, l := range m.singles {
			called(m.pause)
			all = tensor.Scoped(func() *tensor.Tensor { return l.forward(all, t, by) })
			m.told(len(m.layers)+i, all.Narrow(1, text.Dim(1), h*w), all.Narrow(1, 0, text.Dim(1)))
		}
		rows = all.Narrow(1, text.Dim(1), h*w)
	}
	last := m.norm.vectors(t) // whose order is that of the last norm of the text
	return m.picture(m.out.Forward(shifted(rows, last[1], last[0])), n, h, w).ToDType(tensor.F32)
}

// told tells after, if it is there.
func (m *Transformer) told(layer int, rows, text *tensor.Tensor) {
	if m.after != nil {
		m.after(layer, rows, text)
	}
}

// scopedPair is tensor.Scoped of a function with two results.
func scopedPair(f func() (a, b *tensor.Tensor)) (a, b *tensor.Tensor) {
	a = tensor.Scoped(func() (first *tensor.Tensor) {
		first, b = f()
		b = b.Kept()
		return first
	})
	return a, b
}

func (m *Transformer) check(x *tensor.Tensor, o Condition) {
	c := m.Config
	bad := func(format string, args ...any) {
		panic(&tensor.Error{Op: "transformer", Kind: tensor.ErrShape, Shapes: [][]int{x.Dims()},
			Message: fmt.Sprintf(format, args...)})
	}
	if x.Rank() != 4 || x.Dim(1) != c.Latents || x.Dim(2)%c.Patch != 0 || x.Dim(3)%c.Patch != 0 {
		bad("want pictures [n %d height width] with sides that %d divides", c.Latents, c.Patch)
	}
	if most := c.Positions * c.Patch; most > 0 && max(x.Dim(2), x.Dim(3)) > most {
		bad("want sides of at most %d latents, for which there are positions", most)
	}
	if o.Text == nil || o.Text.Rank() != 3 || o.Text.Dim(0) != x.Dim(0) || o.Text.Dim(2) != c.Text {
		bad("want rows of texts [%d rows %d]", x.Dim(0), c.Text)
	}
	if o.Added == nil || o.Added.Rank() != 2 || o.Added.Dim(0) != x.Dim(0) || o.Added.Dim(1) != c.Whole {
		bad("want rows of whole texts [%d %d]", x.Dim(0), c.Whole)
	}
}

// waved is the row of a number [1 width].
func (m *Transformer) waved(e *embedder, number float64, dev *tensor.Device) *tensor.Tensor {
	const half = timeWaves / 2
	waves := make([]float32, timeWaves)
	for k := range half {
		sin, cos := math.Sincos(number * math.Exp(-math.Log(10000)*float64(k)/half))
		waves[k], waves[half+k] = float32(cos), float32(sin)
	}
	return e.forward(dev.FromSlice(waves, 1, timeWaves).ToDType(m.dtype))
}

// patches makes pictures [n channels height width] to rows [n patches channels·Patch·Patch].
func (m *Transformer) patches(x *tensor.Tensor) *tensor.Tensor {
	n, c, p := x.Dim(0), x.Dim(1), m.Config.Patch
	h, w := x.Dim(2)/p, x.Dim(3)/p
	return x.Reshape(n, c, h, p, w, p).Permute(0, 2, 4, 1, 3, 5).Reshape(n, h*w, c*p*p)
}

// picture is the inverse of patches. In the rows that SD3 gives, channels come last.
func (m *Transformer) picture(rows *tensor.Tensor, n, h, w int) *tensor.Tensor {
	c, p := m.Config.Latents, m.Config.Patch
	if m.Config.flux {
		rows = rows.Reshape(n, h, w, c, p, p).Permute(0, 3, 1, 4, 2, 5)
	} else {
		rows = rows.Reshape(n, h, w, p, p, c).Permute(0, 5, 1, 3, 2, 4)
	}
	return rows.Reshape(n, c, h*p, w*p)
}

// rotary are the rotations of rows: those of a text have no place, those of a picture of h × w patches their row and
// column.
func (m *Transformer) rotary(text, h, w int) *rotary {
	key := [3]int{text, h, w}
	if by := m.rotaryOf[key]; by != nil {
		return by
	}
	size := m.Config.HeadDim / 2
	cos, sin := make([]float32, (text+h*w)*size), make([]float32, (text+h*w)*size)
	for row := range text + h*w {
		places := [3]float64{}
		if i := row - text; i >= 0 {
			places[1], places[2] = float64(i/w), float64(i%w)
		}
		at := row * size
		for axis, n := range m.Config.Axes {
			for k := range n / 2 {
				s, c := math.Sincos(places[axis] * math.Pow(10000, -float64(2*k)/float64(n)))
				cos[at], sin[at] = float32(c), float32(s)
				at++
			}
		}
	}
	dev := m.out.Weight.Device()
	of := func(list []float32) *tensor.Tensor {
		return dev.FromSlice(list, text+h*w, size).ToDType(m.dtype).Kept()
	}
	clear(m.rotaryOf) // one size at a time
	m.rotaryOf[key] = &rotary{of(cos), of(sin)}
	return m.rotaryOf[key]
}
