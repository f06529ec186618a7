package vision

import (
	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/tensor"
)

// InterruptIn interrupts the goroutine that reads an image when it has read a tile, and returns how many it reads.
func InterruptIn(t *Tower) (calls *int) {
	forward := t.forward
	calls = new(int)
	t.forward = func(pixels *tensor.Tensor) *tensor.Tensor {
		*calls++
		interrupt.Stop(interrupt.Goroutine())
		return forward(pixels)
	}
	return calls
}

// Longest and Whole are the steps in which images get their size before they are split.
func Longest(t *Tiles, h, w int) (int, int) { return t.longest(h, w) }

func Whole(t *Tiles, h, w int) (int, int) { return t.whole(h, w) }

// SizeOf is the size of an image in a range.
func SizeOf(r *PixelRange, h, w int) (int, int) { return r.size(h, w) }

// WindowsOf are the groups of a grid, window by window, and how many groups windows have.
func WindowsOf(grid, window [2]int) (order, sizes []int) {
	order, kinds := windowsOf(grid, window)
	for _, kind := range kinds {
		for range kind.count {
			sizes = append(sizes, kind.groups)
		}
	}
	return order, sizes
}

// SplitTiles are the bytes of the tiles of an image.
func SplitTiles(t *Tiles, image *tensor.Tensor) (all [][]byte, rows, columns int) {
	pictures, rows, columns := t.of(pictureOf("test", image).onWhite(), Lanczos)
	for _, p := range pictures {
		all = append(all, p.pix)
	}
	return all, rows, columns
}
