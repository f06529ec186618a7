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
