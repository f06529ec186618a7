package vision

import "github.com/gorocm/gorocm/tensor"

// Longest and Whole are the steps in which images get their size before they are split.
func Longest(t *Tiles, h, w int) (int, int) { return t.longest(h, w) }

func Whole(t *Tiles, h, w int) (int, int) { return t.whole(h, w) }

// SplitTiles are the bytes of the tiles of an image.
func SplitTiles(t *Tiles, image *tensor.Tensor) (all [][]byte, rows, columns int) {
	pictures, rows, columns := t.of(pictureOf("test", image).onWhite(), Lanczos)
	for _, p := range pictures {
		all = append(all, p.pix)
	}
	return all, rows, columns
}
