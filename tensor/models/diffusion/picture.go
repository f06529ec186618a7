package diffusion

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/internal/monitor"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// Options say how pictures are made. Those of a Pipeline begin as in diffusers.
type Options struct {
	Negative string  // what the picture is not to show; the empty text is nothing
	Steps    int     // more are better, up to some; with some strength Change and Fill take this part of them
	Guidance float64 // how much the picture follows the text: 1 is not to compare it with one of no text; FLUX is told it
	Rescale  float64 // how far the guided noise is scaled back, 0 to 1: Lin et al., 2023, about 0.7
	Seed     uint64  // the same one makes the same picture, up to rounding, on any device
	// Width and Height are in pixels, of which the Factor of the VAE's Config is a divisor. 0 is that of the training,
	// or with Change and Fill, that of the picture.
	Width, Height int
	Strength      float64 // how much Change and Fill change, above 0 to 1, which keeps nothing
	// how many tokens of a text a T5 reads, which fills shorter ones up; 0 is 256, and 512 with FLUX
	TextTokens int
	Quiet      bool // no progress is shown
	// Each is called after each step with what there is of the picture, before VAE.Unscaled and VAE.Decode; may be nil.
	Each func(step, steps int, latents *tensor.Tensor)
}

// defaults are those of diffusers.
var defaults = map[family]Options{ofSD: {Steps: 50, Guidance: 7.5, Strength: 0.8},
	ofXL: {Steps: 50, Guidance: 5, Strength: 0.3}, ofSD3: {Steps: 28, Guidance: 7, Strength: 0.6},
	ofFlux: {Steps: 28, Guidance: 3.5, Strength: 0.6}}

// Picture is what a Pipeline has made. Cells show it.
type Picture struct {
	Pixels  *tensor.Tensor // U8 [3 height width] on the host, as formats.ReadImage gives
	Prompt  string
	Options Options // with which it was made
}

// String tells the size, and of what it was made.
func (p *Picture) String() string {
	text := fmt.Sprintf("picture, %d × %d pixels: %s, %d steps, seed %d", p.Pixels.Dim(2), p.Pixels.Dim(1), p.Prompt,
		p.Options.Steps, p.Options.Seed)
	if p.Options.Negative != "" {
		text += ", not " + p.Options.Negative
	}
	return text
}

// PNG returns the picture as a PNG file, which notebooks show.
func (p *Picture) PNG() []byte {
	img, err := formats.ToImage(p.Pixels)
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	if png.Encode(&b, img) != nil {
		return nil
	}
	return b.Bytes()
}

// Save writes the picture to a file, PNG or JPEG as the ending of the name says.
func (p *Picture) Save(path string) error { return formats.WriteImage(path, p.Pixels) }

// Picture makes a picture of a text. Interrupting the cell that calls it ends it. It panics with ErrValue for Options
// that are not possible, and when it was interrupted.
func (p *Pipeline) Picture(prompt string) *Picture {
	if p.fills() {
		fault("%s fills parts of pictures: want Fill", p.Name)
	}
	side := p.latentSide() * p.VAE.Config.Factor()
	d := p.draw(prompt, side, side)
	defer d.end()
	d.x = d.noise().Mul(d.course.initial)
	return d.finish()
}

// Change makes a picture of a text that begins with another picture, U8 [channels height width], of which Strength
// keeps some. It panics as Picture does, and with ErrDType and ErrShape for pictures that are none.
func (p *Pipeline) Change(picture *tensor.Tensor, prompt string) *Picture {
	if p.fills() {
		fault("%s fills parts of pictures: want Fill", p.Name)
	}
	h, w := p.sizeOf(picture)
	d := p.draw(prompt, h, w)
	defer d.end()
	d.skip()
	x := d.encoded(d.read(picture))
	d.x = d.course.noised(x, d.noise(), d.first)
	return d.finish()
}

// Fill makes a part of a picture, U8 [channels height width], anew: that where the mask, U8 [height width] or [1
// height width], is at least 128. With a model that was not trained for it, what it makes fits the rest less well. It
// panics as Change does.
func (p *Pipeline) Fill(picture, mask *tensor.Tensor, prompt string) *Picture {
	if p.Transformer != nil {
		fault("parts of pictures are filled by a UNet, which %s has not: want Picture or Change", p.Name)
	}
	h, w := p.sizeOf(picture)
	d := p.draw(prompt, h, w)
	defer d.end()
	d.skip()
	pixels := d.read(picture)
	hole := d.readMask(mask)
	f := p.VAE.Config.Factor()
	small := hole.UpsampleNearest2d(d.h/f, d.w/f)
	var around *tensor.Tensor
	if d.first > 0 || !p.fills() {
		around = d.encoded(pixels)
	}
	noise := d.noise()
	if d.first > 0 {
		d.x = d.course.noised(around, noise, d.first)
	} else {
		d.x = noise.Mul(d.course.initial)
	}
	if p.fills() {
		d.beside = tensor.Cat([]*tensor.Tensor{small, d.encoded(pixels.Mul(hole.Affine(-1, 1)))}, 1)
		return d.finish()
	}
	d.after = func(x *tensor.Tensor, i int) *tensor.Tensor {
		kept := around
		if i+1 < len(d.course.times) {
			kept = d.course.noised(around, noise, i+1)
		}
		return kept.Lerp(x, small)
	}
	return d.finish()
}

func fault(format string, args ...any) {
	panic(&tensor.Error{Op: "picture", Kind: tensor.ErrValue, Message: fmt.Sprintf(format, args...)})
}

// drawing is the work on one picture.
type drawing struct {
	p      *Pipeline
	o      Options
	prompt string
	h, w   int
	course *course
	first  int // step
	told   Condition
	guided bool
	x      *tensor.Tensor
	beside *tensor.Tensor                               // channels that the UNet reads beside the picture, or nil
	after  func(x *tensor.Tensor, i int) *tensor.Tensor // changes the picture after step i; may be nil
	drawn  int                                          // noises
	steps  int                                          // that were taken
	stop   atomic.Bool
	done   func()
	shown  monitor.Monitor
}

// draw begins a picture of a size, unless the Options have one.
func (p *Pipeline) draw(prompt string, h, w int) *drawing {
	o := p.Options
	d := &drawing{p: p, o: o, prompt: prompt, h: h, w: w}
	if o.Height != 0 {
		d.h = o.Height
	}
	if o.Width != 0 {
		d.w = o.Width
	}
	f := p.factor()
	if d.h < f || d.w < f || d.h%f != 0 || d.w%f != 0 || d.h > maxSide || d.w > maxSide {
		fault("a picture of %d × %d pixels: want sides that %d divides, of at most %d", d.w, d.h, f, maxSide)
	}
	if math.IsNaN(o.Guidance) || math.IsInf(o.Guidance, 0) || !(o.Rescale >= 0 && o.Rescale <= 1) {
		fault("Guidance %v and Rescale %v: want a number, and one of 0 to 1", o.Guidance, o.Rescale)
	}
	if c := p.Transformer; c != nil {
		d.course = p.Scheduler.beginFlow(o.Steps, d.h/f*(d.w/f), p.family == ofFlux)
	} else {
		d.course = p.Scheduler.begin(o.Steps)
	}
	if d.guided = o.Guidance > 1 && p.family != ofFlux; p.family == ofFlux && o.Negative != "" {
		fault("FLUX is told the guidance, and compares with no picture: want no Negative text")
	}
	if o.TextTokens < 0 || o.TextTokens > maxWidth {
		fault("TextTokens is %d: want 0 to %d", o.TextTokens, maxWidth)
	}
	d.shown = none
	if !o.Quiet {
		d.shown = monitor.New("picture")
	}
	d.told = d.tell()
	d.done = interrupt.Watch(func() { d.stop.Store(true) }) // by the session
	p.pauses(d.pause)
	return d
}

// maxSide bounds the sides of pictures.
const maxSide = 1 << 14

// none shows nothing.
var none monitor.Monitor = quiet{}

type quiet struct{}

func (quiet) Update(int, int, map[string]float64) {}
func (quiet) End()                                {}

// pause ends a picture that was interrupted.
func (d *drawing) pause() {
	if d.stop.Load() {
		fault("it was interrupted after %d of %d steps", d.steps, len(d.course.times)-d.first)
	}
}

func (d *drawing) end() {
	d.done()
	d.p.pauses(nil)
	d.shown.End()
}

// skip leaves out the steps of the noise that Strength does not add.
func (d *drawing) skip() {
	s := d.o.Strength
	steps := int(float64(d.o.Steps) * s)
	if d.course.flow != nil { // which rounds up
		steps = d.o.Steps - int(max(0, float64(d.o.Steps)-float64(d.o.Steps)*s))
	}
	if !(s > 0 && s <= 1) || steps < 1 {
		fault("a Strength of %v with %d steps: want above 0 to 1, and at least one step", s, d.o.Steps)
	}
	if d.first = d.o.Steps - steps; d.course.twice {
		d.first *= 2
	}
}

// sizeNumbers are how many numbers SDXL is told of the size of a picture.
const sizeNumbers = 6

// tell reads the text, and with guidance the negative one before it.
func (d *drawing) tell() Condition {
	p, negative := d.p, d.o.Negative
	rows, whole := p.Encode(d.prompt)
	if d.guided {
		other, otherWhole := rows, whole
		if p.zeros && negative == "" {
			other, otherWhole = rows.ZerosLike(), whole.ZerosLike()
		} else {
			other, otherWhole = p.Encode(negative)
		}
		if rows = tensor.Cat([]*tensor.Tensor{other, rows}, 0); whole != nil {
			whole = tensor.Cat([]*tensor.Tensor{otherWhole, whole}, 0)
		}
	}
	c := Condition{Text: rows, Guidance: d.o.Guidance}
	if c.Added = whole; p.UNet != nil && whole != nil {
		h, w := float64(d.h), float64(d.w)
		waves := p.UNet.waves([]float64{h, w, 0, 0, h, w}, p.UNet.Config.AddedTime)
		sizes := p.dev.FromSlice(waves, 1, len(waves)).Expand(rows.Dim(0), len(waves))
		c.Added = tensor.Cat([]*tensor.Tensor{whole.ToDType(tensor.F32), sizes}, 1)
	}
	return c
}

// Encode returns what the UNet or the Transformer reads of a text: rows [1 tokens width], and with SDXL or a
// Transformer the row of the whole text [1 width], else nil. Texts that are longer than the model has positions are cut
// off.
func (p *Pipeline) Encode(text string) (rows, whole *tensor.Tensor) {
	if p.Transformer != nil {
		return p.encodeLong(text)
	}
	var all []*tensor.Tensor
	for _, t := range p.texts {
		var one *tensor.Tensor
		one, whole = t.rows(text, len(p.texts) > 1)
		all = append(all, one)
	}
	return tensor.Cat(all, 2), whole
}

// noise draws the next noise of a picture.
func (d *drawing) noise() *tensor.Tensor {
	f, k := d.p.VAE.Config.Factor(), d.drawn
	dims := []int{1, d.p.VAE.Config.Latents, d.h / f, d.w / f}
	if d.drawn++; d.p.noise != nil {
		return d.p.noise(k, dims).ToDevice(d.p.dev)
	}
	r := rand.New(rand.NewPCG(d.o.Seed, uint64(k)))
	numbers := make([]float32, dims[1]*dims[2]*dims[3])
	for i := range numbers {
		numbers[i] = float32(r.NormFloat64())
	}
	return d.p.dev.FromSlice(numbers, dims...)
}

// finish takes the steps, and makes the picture of what they give.
func (d *drawing) finish() *Picture {
	n := len(d.course.times)
	for i := d.first; i < n; i++ {
		d.x = tensor.Scoped(func() *tensor.Tensor { return d.step(i) })
		d.steps++
		d.shown.Update(d.steps, n-d.first, nil)
		if d.o.Each != nil {
			d.o.Each(d.steps, n-d.first, d.x)
		}
	}
	v := d.p.VAE
	pixels := tensor.Scoped(func() *tensor.Tensor {
		x := v.Decode(v.Unscaled(d.x))
		if x.IsFinite().All().ToScalar() == 0 {
			fault("it has numbers that are not finite, as %v cannot hold what was computed, or an option or a weight is too large: "+
				"OpenAs computes in tensor.F32", d.p.dtype)
		}
		x = x.Affine(0.5, 0.5).Clamp(0, 1)
		return x.Mul(255).Round().ToDType(tensor.U8).Squeeze(0).ToDevice(tensor.CPU())
	})
	return &Picture{Pixels: pixels, Prompt: d.prompt, Options: d.o}
}

// step makes the picture of the time after i.
func (d *drawing) step(i int) *tensor.Tensor {
	x := d.course.input(d.x, i)
	if d.beside != nil {
		x = tensor.Cat([]*tensor.Tensor{x, d.beside}, 1)
	}
	if d.guided {
		x = tensor.Cat([]*tensor.Tensor{x, x}, 0)
	}
	said := d.p.forward(x, d.course.times[i], d.told)
	if d.guided {
		said = d.guide(said.Narrow(0, 0, 1), said.Narrow(0, 1, 1))
	}
	y := d.course.step(i, said, d.x, d.noise)
	if d.after != nil {
		y = d.after(y, i)
	}
	return y
}

// guide goes from what is said without the text beyond what is said with it.
func (d *drawing) guide(without, with *tensor.Tensor) *tensor.Tensor {
	said := mix(1-d.o.Guidance, without, d.o.Guidance, with)
	if d.o.Rescale == 0 {
		return said
	}
	scale := with.Std(1, 2, 3).Div(said.Std(1, 2, 3)).Affine(d.o.Rescale, 1-d.o.Rescale)
	return said.Mul(scale.Reshape(1, 1, 1, 1))
}
