package formats_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// FuzzRead reads arbitrary bytes: the result is tensors or an error.
func FuzzRead(f *testing.F) {
	endings := []string{".gguf", ".safetensors", ".npy", ".npz", ".pt", ".wav", ".csv", ".json"}
	for _, file := range []string{"testdata/f2.npy", "testdata/fortran.npy", "testdata/stored.npz",
		"testdata/deflated.npz", "testdata/state.pt", "testdata/nested.pt", "testdata/module.pt",
		"testdata/unsigned.pt", "testdata/below.pt", "testdata/unread.pt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for kind, ending := range endings {
			if filepath.Ext(file) == ending {
				f.Add(byte(kind), data)
			}
		}
	}
	f.Add(byte(0), gguf(uint32(3), uint64(1), uint64(1), "k", uint32(9), uint32(8), uint64(2), "a", "b", "w", uint32(2),
		uint64(32), uint64(2), uint32(2), uint64(0), make([]byte, 128)))
	f.Add(byte(1), []byte("\x38\x00\x00\x00\x00\x00\x00\x00"+`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}  `+"\x00\x00\x80\x3f"))
	f.Add(byte(5), wav(1, 16, 0, 0, 0, 0x40))
	f.Add(byte(6), []byte("a,b\n1,2\n"))
	f.Add(byte(7), []byte(`{"weight_map": {"a": "x.safetensors"}}`))
	path := f.TempDir()
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		file := filepath.Join(path, "x"+endings[int(kind)%len(endings)])
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		read(file)
	})
}

// FuzzImage reads pictures.
func FuzzImage(f *testing.F) {
	for _, ending := range []string{"webp", "bmp", "tiff"} {
		data, err := os.ReadFile("testdata/picture." + ending)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	picture := image.NewGray(image.Rect(0, 0, 5, 4))
	for _, encode := range []func(io.Writer) error{
		func(w io.Writer) error { return png.Encode(w, picture) },
		func(w io.Writer) error { return jpeg.Encode(w, picture, nil) },
		func(w io.Writer) error { return gif.Encode(w, picture, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) { formats.DecodeImage(data, tensor.CPU()) })
}

// FuzzPickle runs pickles by themselves: in a file they are packed.
func FuzzPickle(f *testing.F) {
	f.Add([]byte("\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01u."))
	f.Add([]byte("\x80\x02ccollections\nOrderedDict\nq\x00)Rq\x01X\x01\x00\x00\x00ac__builtin__\nint\n)Rs."))
	f.Add([]byte("(lp0\nI1\naL2L\na(dp1\n(K\x01K\x02tp2\n."))
	f.Fuzz(func(t *testing.T, data []byte) { formats.Unpickle(data) })
}
