package models

import (
	"github.com/gorocm/gorocm/tensor"
)

// positions are those of tokens in the rotary embedding of Qwen2-VL, which has three: in time, down, and to the right.
// All are the same for text. The token of an image in row y and column x has y and x more than the first one, and what
// follows an image has the next position after its longer side.
type positions [3][]uint32

// imageGrids are the images of a text that have rows and columns, in their order.
type imageGrids []imageGrid

type imageGrid struct {
	first   int // token of the image in the text
	h, w    int
	shorter int // how many positions less than tokens all images to this one have
}

// see adds the images that begin among tokens, the first of which is the at-th of the text.
func (g *imageGrids) see(ids []int, at int, images []*ImageTokens) {
	for i := 0; i < len(ids); i++ {
		t := imageOf(images, ids[i])
		if t == nil || t.grid[0] == 0 {
			continue
		}
		first := at + i - (ids[i] - t.first)
		shorter := 0
		if n := len(*g); n > 0 {
			shorter = (*g)[n-1].shorter
		}
		if n := len(*g); n == 0 || (*g)[n-1].first != first { // else it goes on
			*g = append(*g, imageGrid{first, t.grid[0], t.grid[1], shorter + t.Len() - max(t.grid[0], t.grid[1])})
		}
		i = first + t.Len() - at - 1
	}
}

// truncate forgets the images that begin after the first n tokens.
func (g *imageGrids) truncate(n int) {
	for len(*g) > 0 && (*g)[len(*g)-1].first >= n {
		*g = (*g)[:len(*g)-1]
	}
	if len(*g) == 0 {
		*g = nil
	}
}

// next is the position of a token of text after all images.
func (g imageGrids) next(at int) int {
	if len(g) == 0 {
		return at
	}
	return at - g[len(g)-1].shorter
}

// of are the positions of n tokens, the first of which is the at-th.
func (g imageGrids) of(at, n int) (p positions) {
	k := 0
	for i := at; i < at+n; i++ {
		for k < len(g) && g[k].first <= i {
			k++
		}
		text, y, x := i, 0, 0
		if k > 0 {
			last := &g[k-1]
			if in := i - last.first; in < last.h*last.w {
				text, y, x = last.first, in/last.w, in%last.w
				if k > 1 {
					text -= g[k-2].shorter
				}
			} else {
				text -= last.shorter
			}
		}
		for axis, more := range []int{0, y, x} {
			p[axis] = append(p[axis], uint32(text+more))
		}
	}
	return p
}

// join are the positions of tokens of several texts.
func (p *positions) join(q positions) {
	for axis := range p {
		p[axis] = append(p[axis], q[axis]...)
	}
}

// angles are those of positions: each section of the pairs has its own of the three.
func (p *positions) angles(a angles, sections []int) angles {
	dev := a.cos.Device()
	var cos, sin []*tensor.Tensor
	var of [3]angles
	for axis := range of {
		of[axis] = a.at(dev.FromSlice(p[axis], len(p[axis])))
	}
	first := 0
	for i, n := range sections {
		by := of[i%3]
		cos, sin = append(cos, by.cos.Narrow(1, first, n)), append(sin, by.sin.Narrow(1, first, n))
		first += n
	}
	return angles{tensor.Cat(cos, 1), tensor.Cat(sin, 1)}
}
