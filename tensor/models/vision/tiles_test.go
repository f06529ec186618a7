package vision_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestTileSizes: images are resized to the sizes of transformers before they are split (../testdata/vision_language.py).
func TestTileSizes(t *testing.T) {
	data, err := os.ReadFile("testdata/tiles.json")
	if err != nil {
		t.Fatal(err)
	}
	var all [][8]int
	if err := json.Unmarshal(data, &all); err != nil || len(all) < 300 {
		t.Fatal(err, len(all))
	}
	for _, c := range all {
		tiles := vision.Tiles{Longest: c[2], Edge: c[3]}
		h, w := vision.Longest(&tiles, c[0], c[1])
		tall, broad := vision.Whole(&tiles, h, w)
		if got := [...]int{h, w, tall, broad}; got != [4]int(c[4:]) {
			t.Errorf("%d × %d with %+v becomes %v, want %v", c[0], c[1], tiles, got, c[4:])
		}
	}
}

// TestRangeSizes: images get the sizes of transformers' smart_resize.
func TestRangeSizes(t *testing.T) {
	data, err := os.ReadFile("testdata/ranges.json")
	if err != nil {
		t.Fatal(err)
	}
	var all [][7]int
	if err := json.Unmarshal(data, &all); err != nil || len(all) < 300 {
		t.Fatal(err, len(all))
	}
	for _, c := range all {
		h, w := vision.SizeOf(&vision.PixelRange{Multiple: c[2], Least: c[3], Most: c[4]}, c[0], c[1])
		if h != c[5] || w != c[6] {
			t.Errorf("%d × %d with %v becomes %d × %d, want %v", c[0], c[1], c[2:5], h, w, c[5:])
		}
	}
}

// TestWindows: each group of a grid is in one window, with those that are as many windows to the right and down.
func TestWindows(t *testing.T) {
	for _, c := range [][4]int{{5, 7, 2, 3}, {4, 4, 2, 2}, {1, 9, 4, 4}, {3, 2, 8, 8}, {9, 1, 4, 4}} {
		order, sizes := vision.WindowsOf([2]int{c[0], c[1]}, [2]int{c[2], c[3]})
		seen, at := map[int]bool{}, 0
		for _, size := range sizes {
			window := -1
			for _, group := range order[at : at+size] {
				mine := group/c[1]/c[2]*1000 + group%c[1]/c[3]
				if seen[group] || window >= 0 && window != mine {
					t.Errorf("%v: group %d in window %d", c, group, window)
				}
				seen[group], window = true, mine
			}
			at += size
		}
		if at != len(order) || len(seen) != c[0]*c[1] {
			t.Errorf("%v: %d groups of %d", c, len(seen), c[0]*c[1])
		}
	}
}

// TestTiles: tiles come row by row, and the whole is the last one.
func TestTiles(t *testing.T) {
	pix := make([]uint8, 4*6)
	for i := range pix {
		pix[i] = uint8(10 * i)
	}
	image := tensor.CPU().FromSlice(pix, 1, 4, 6)
	tiles, rows, columns := vision.SplitTiles(&vision.Tiles{Edge: 2, Split: true}, image)
	if rows != 2 || columns != 3 || len(tiles) != 7 {
		t.Fatal(rows, columns, len(tiles))
	}
	for i, first := range []byte{0, 20, 40, 120, 140, 160} {
		if got := tiles[i]; len(got) != 12 || got[0] != first || got[1] != first+10 || got[2] != first+60 {
			t.Errorf("tile %d is %v", i, got)
		}
	}
	if _, rows, columns := vision.SplitTiles(&vision.Tiles{Edge: 8, Longest: 8, Resize: true, Split: true}, image); rows != 0 || columns != 0 {
		t.Errorf("one tile has %d rows and %d columns", rows, columns)
	}
	mistakes(t, map[string]func(){"more than 1024 tiles of 1": func() {
		vision.SplitTiles(&vision.Tiles{Edge: 1, Split: true}, tensor.CPU().Zeros(tensor.U8, 3, 40, 40))
	}})
}

// TestInterruptedRows: an image is not read to its end when its cell is interrupted.
func TestInterruptedRows(t *testing.T) {
	const folder = "../testdata/vision_language/smolvlm"
	tower, err := vision.ReadTower(folder, 16)
	if err != nil {
		t.Fatal(err)
	}
	p, err := nn.OpenParams(folder+"/model.safetensors", tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	tower.Take(p)
	tower.Token = "<image>"
	prepared := tower.Prepare(picture(t, "wide", tensor.CPU()))
	if rows := tower.Rows(prepared); rows.Dim(0) != 40 {
		t.Error(rows.Dims())
	}
	calls := vision.InterruptIn(tower)
	mistakes(t, map[string]func(){"was interrupted": func() { tower.Rows(prepared) }})
	if *calls != 1 {
		t.Errorf("%d tiles were read", *calls)
	}
}
