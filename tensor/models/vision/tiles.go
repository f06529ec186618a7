package vision

import (
	"fmt"
	"math"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// Tiles is how SmolVLM and Idefics 3 split an image: it is resized to a longer side of Longest pixels and then to whole
// tiles, and read as those and once more as a whole, at the size of one tile.
type Tiles struct {
	Edge    int  // height and width of a tile
	Longest int  // pixels of the longer side, at most 4096
	Resize  bool // to Longest, before the image is split
	Split   bool // else the whole is all that is read
}

// Limits of what a file may ask for.
const (
	mostLongest = 4096 // as in transformers
	mostTiles   = 1024
)

// tiles are those of preprocessor_config.json, and how their bytes become numbers.
func (j *jsonProcessor) tiles() (*Processor, *Tiles, error) {
	kind, short := j.kind()
	if short != "Idefics3" && short != "SmolVLM" {
		return nil, nil, fmt.Errorf("vision: the image processor %q is not supported: want Idefics3ImageProcessor or "+
			"SmolVLMImageProcessor", kind)
	}
	p := &Processor{Filter: Lanczos, Rescale: true, Factor: 1.0 / 255, Normalize: true, Mean: halves, Std: halves}
	t := &Tiles{Edge: 364, Longest: 4 * 364, Resize: true, Split: true}
	j.numbers(p)
	set(&t.Resize, j.Resize)
	set(&t.Split, j.Split)
	for _, size := range []struct {
		name string
		from *jsonSize
		to   *int
	}{{"size", j.Size, &t.Longest}, {"max_image_size", j.TileSize, &t.Edge}} {
		if size.from == nil {
			continue
		}
		n := size.from.Longest
		if *size.to = n; n < 1 || n > maxSide || size.from.Shortest != 0 {
			return nil, nil, fmt.Errorf("vision: %s of %s wants a longest_edge alone, from 1 to %d", size.name, kind, maxSide)
		}
	}
	if n := min(t.Longest, mostLongest)/t.Edge + 1; n*n > mostTiles {
		return nil, nil, fmt.Errorf("vision: tiles of %d pixels of an image of %d are more than %d", t.Edge, t.Longest, mostTiles)
	}
	return p, t, p.check()
}

// of splits a picture, row by row, the whole last. An image that is one tile has neither rows nor columns.
func (t *Tiles) of(q picture, f Filter) (tiles []picture, rows, columns int) {
	fit := func(q picture, h, w int) picture {
		checkPixels("image processor", h, w)
		if h == q.h && w == q.w {
			return q
		}
		return q.resized(h, w, f)
	}
	if t.Resize {
		h, w := t.longest(q.h, q.w)
		q = fit(q, h, w)
	}
	if t.Split {
		h, w := t.whole(q.h, q.w)
		if h/t.Edge*(w/t.Edge) > mostTiles {
			panic(&tensor.Error{Op: "image processor", Kind: tensor.ErrShape,
				Message: fmt.Sprintf("an image of %d × %d pixels has more than %d tiles of %d: with Resize it has fewer", q.w, q.h,
					mostTiles, t.Edge)})
		}
		if q = fit(q, h, w); h > t.Edge || w > t.Edge {
			rows, columns = h/t.Edge, w/t.Edge
			for y := range rows {
				for x := range columns {
					tiles = append(tiles, q.part(y*t.Edge, x*t.Edge, t.Edge, t.Edge))
				}
			}
		}
	}
	return append(tiles, fit(q, t.Edge, t.Edge)), rows, columns
}

// longest is the size of an image whose longer side becomes that of Longest, and the other one even and of the same
// proportion, rounded as transformers does it; then both are at most mostLongest.
func (t *Tiles) longest(h, w int) (int, int) {
	proportion := float64(w) / float64(h)
	if w >= h {
		w = t.Longest
		h = int(float64(w) / proportion)
		h += h % 2
	} else {
		h = t.Longest
		w = int(float64(h) * proportion)
		w += w % 2
	}
	h, w = max(h, 1), max(w, 1)
	proportion = float64(w) / float64(h)
	if w >= h && w > mostLongest {
		w = mostLongest
		h = int(float64(w) / proportion)
	} else if h > w && h > mostLongest {
		h = mostLongest
		w = int(float64(h) * proportion)
	}
	return max(h, 1), max(w, 1)
}

// whole is the size of an image in whole tiles: the longer side comes first, and the other one follows its proportion.
func (t *Tiles) whole(h, w int) (int, int) {
	proportion := float64(w) / float64(h)
	up := func(n int) int { return int(math.Ceil(float64(n)/float64(t.Edge))) * t.Edge }
	if w >= h {
		w = up(w)
		return up(int(float64(w) / proportion)), w
	}
	h = up(h)
	return h, up(int(float64(h) * proportion))
}

// part is a piece of the picture, which must be inside of it.
func (p picture) part(top, left, h, w int) picture {
	q := picture{make([]byte, 0, p.c*h*w), p.c, h, w}
	for c := range p.c {
		for y := top; y < top+h; y++ {
			q.pix = append(q.pix, p.pix[(c*p.h+y)*p.w+left:][:w]...)
		}
	}
	return q
}

// text is what stands for an image in a prompt: each tile with its position, and the whole; every tile has so many
// image tokens.
func (t *Tiles) text(image string, tokens, rows, columns int) string {
	const around = "<fake_token_around_image>"
	each := strings.Repeat(image, tokens)
	var b strings.Builder
	for y := range rows {
		for x := range columns {
			fmt.Fprintf(&b, "%s<row_%d_col_%d>%s", around, y+1, x+1, each)
		}
		b.WriteString("\n")
	}
	if rows > 0 {
		b.WriteString("\n")
	}
	return b.String() + around + "<global-img>" + each + around
}

// onWhite returns the picture in red, green and blue, what is transparent laid over white, as Pillow's alpha_composite
// computes it.
func (p picture) onWhite() picture {
	if p.c != 4 {
		return p.rgb()
	}
	n := p.h * p.w
	q := picture{make([]byte, 3*n), 3, p.h, p.w}
	const bits = 7 // more than those of a byte, with which Pillow computes
	for i := range q.pix {
		opacity := uint32(p.pix[3*n+i%n]) << bits
		sum := uint32(p.pix[i])*opacity + 255*(255<<bits-opacity) + 0x80<<bits
		q.pix[i] = byte((sum>>8 + sum) >> 8 >> bits)
		if opacity == 0 {
			q.pix[i] = 255
		}
	}
	return q
}
