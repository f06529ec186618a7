package formats_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// goodFiles are files of every format, by name.
func goodFiles(t *testing.T) map[string][]byte {
	t.Helper()
	folder, dev := t.TempDir(), tensor.CPU()
	written := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	x := dev.Arange(tensor.F32, 768).Affine(0.01, -3).Reshape(3, 256)
	packed := []formats.Packed{{Name: "a", Tensor: quant.Quantize(x, quant.Q4K)},
		{Name: "b", Tensor: quant.Quantize(x, quant.Q8_0)}, {Name: "c", Tensor: quant.Quantize(x, quant.F16)}}
	metadata := map[string]any{"general.alignment": uint32(32), "words": []string{"a", "bc"},
		"nested": []any{[]any{uint64(1)}, []any{uint64(2)}}, "f": 0.1}
	written(formats.WriteGGUF(filepath.Join(folder, "good.gguf"), packed, metadata))
	written(formats.WriteSafetensors(filepath.Join(folder, "good.safetensors"), everyType(),
		map[string]string{"k": "v"}))
	written(os.WriteFile(filepath.Join(folder, "good.index.json"),
		[]byte(`{"metadata": {"total_size": 7}, "weight_map": {"f32": "good.safetensors", "u8": "good.safetensors"}}`),
		0o644))
	picture := dev.Arange(tensor.F32, 192).Mul(1.0/192).Reshape(3, 8, 8)
	written(formats.WriteImage(filepath.Join(folder, "good.png"), picture))
	written(formats.WriteImage(filepath.Join(folder, "good.jpg"), picture))
	var b bytes.Buffer
	written(gif.Encode(&b, image.NewPaletted(image.Rect(0, 0, 9, 7), color.Palette{color.Black, color.White}), nil))
	written(os.WriteFile(filepath.Join(folder, "good.gif"), b.Bytes(), 0o644))
	written(formats.WriteWAV(filepath.Join(folder, "good.wav"), x, 8000))
	written(formats.WriteCSV(filepath.Join(folder, "good.csv"), []string{"a", "b"},
		dev.Arange(tensor.F32, 8).Reshape(4, 2)))
	files := map[string][]byte{}
	for _, pattern := range []string{folder + "/good.*", "testdata/*.np?", "testdata/state.pt", "testdata/alone.pt",
		"testdata/list.pt", "testdata/module.pt", "testdata/picture.*"} {
		paths, err := filepath.Glob(pattern)
		written(err)
		for _, path := range paths {
			if strings.HasPrefix(filepath.Base(path), "bad_") {
				continue
			}
			data, err := os.ReadFile(path)
			written(err)
			if err := read(path); err != nil {
				t.Errorf("a good file: %v", err)
			}
			files[filepath.Base(path)] = data
		}
	}
	return files
}

// damaged calls f with a file damaged in many ways: truncated, bits flipped, numbers that are too large or too small,
// parts left out, twice there, or in the wrong order.
func damaged(good []byte, f func(how string, data []byte)) {
	n := len(good)
	at := func(part, parts int) int { return part * n / parts }
	for i := range 12 {
		f(fmt.Sprintf("cut off at %d", at(i, 12)), good[:at(i, 12)])
	}
	changed := func(how string, at int, with []byte) {
		bad := bytes.Clone(good)
		copy(bad[at:], with)
		f(fmt.Sprintf("%s at %d", how, at), bad)
	}
	places := map[int]bool{}
	for i := range min(n, 64) { // the heads of files say most about the rest
		places[i] = true
	}
	for i := range 40 {
		places[at(i, 40)] = true
	}
	for p := range places {
		changed("bits flipped", p, []byte{good[p] ^ 0xff>>(p%7)})
		if p%4 != 0 {
			continue
		}
		for _, v := range []uint64{0, 1<<64 - 1, 1<<63 - 1, 1 << 31, 1 << 20, uint64(n) + 1} {
			changed(fmt.Sprintf("%d", v), p, binary.LittleEndian.AppendUint64(nil, v))
			changed(fmt.Sprintf("%d in four bytes", uint32(v)), p, binary.LittleEndian.AppendUint32(nil, uint32(v)))
			changed(fmt.Sprintf("%d, high bytes first,", uint32(v)), p, binary.BigEndian.AppendUint32(nil, uint32(v)))
		}
	}
	for i := range 6 {
		a, b := at(i, 8), at(i+2, 8)
		f(fmt.Sprintf("without %d to %d", a, b), append(bytes.Clone(good[:a]), good[b:]...))
		f(fmt.Sprintf("with %d to %d twice", a, b), append(bytes.Clone(good[:b]), good[a:]...))
	}
	f("halves swapped", append(bytes.Clone(good[n/2:]), good[:n/2]...))
	f("with more after it", append(bytes.Clone(good), good...))
}

// TestDamagedFiles reads damaged files of every format: an error or tensors, never a panic, and no more memory than a
// file of a few thousand bytes can need.
func TestDamagedFiles(t *testing.T) {
	thorough.Slow(t)
	const limit = 64 << 20
	files, folder := goodFiles(t), t.TempDir()
	// beside the damaged index
	if data := files["good.safetensors"]; os.WriteFile(filepath.Join(folder, "good.safetensors"), data, 0o644) != nil {
		t.Fatal("a file could not be written")
	}
	tried, refused := 0, 0
	for name, good := range files {
		path := filepath.Join(folder, "bad"+filepath.Ext(name))
		ways := 0
		damaged(good, func(how string, data []byte) {
			if ways++; ways%4 != 0 && !thorough.On() {
				return
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("%s, %s: a panic: %v", name, how, r)
					}
				}()
				return read(path)
			}()
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > limit {
				t.Errorf("%s, %s: reading %d bytes took %d MiB", name, how, len(data), n>>20)
			}
			if tried++; err != nil {
				refused++
				if !strings.Contains(err.Error(), filepath.Base(path)) {
					t.Errorf("%s, %s: the error %q does not name the file", name, how, err)
				}
			}
		})
	}
	if t.Logf("%d damaged files, of which %d were refused", tried, refused); tried < 500 || refused < tried/2 {
		t.Errorf("%d damaged files, of which %d were refused: want more of both", tried, refused)
	}
}
