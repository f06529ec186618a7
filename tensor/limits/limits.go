// Package limits has the limits of what files may declare: sizes for which a reader takes memory before it has seen
// the bytes. They keep a small or damaged file from taking all memory, and are far above what common files have. A
// file that is beyond a limit is an error that names the limit and the line that raises it, as in
//
//	limits.ImagePixels.Set(1 << 30)
//
// for all files that are read afterwards, of this process. Counts and offsets that a file can be held to, such as the
// sizes of tensors, are compared with the length of the file and need no limit; how deep values are nested has fixed
// bounds, since deeper ones would end the program.
package limits

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// A Limit is the largest value of something that files declare. Its methods may be called at the same time.
type Limit struct {
	name, of string
	usual    int
	set      atomic.Int64 // 0: usual
}

// The limits of package formats.
var (
	SafetensorsHeader = limit("SafetensorsHeader", 100<<20, "bytes of the header of a safetensors file")
	SafetensorsIndex  = limit("SafetensorsIndex", 64<<20, "bytes of an index of safetensors files")
	PickleBytes       = limit("PickleBytes", 256<<20, "bytes of the pickle in a file of PyTorch")
	PickleValues      = limit("PickleValues", 1<<20, "values in a file of PyTorch, tensors and others")
	PickleExpansion   = limit("PickleExpansion", 16, "bytes of tensors for each byte of a file of PyTorch, in which they may share storages")
	PickleRepeated    = limit("PickleRepeated", 4<<20, "elements of a tensor of PyTorch that repeats those of its storage, as after expand")
	NpyHeader         = limit("NpyHeader", 1<<20, "bytes of the header of a .npy file")
	ImagePixels       = limit("ImagePixels", 1<<28, "pixels of an image")
	ImageExpansion    = limit("ImageExpansion", 2048, "pixels for each byte of an image of more than 2²⁰; of a PNG four times as many")
	SoundSamples      = limit("SoundSamples", 1<<26, "samples of a short FLAC, MP3 or Ogg file, of all channels together; longer files may have 64 for each byte")
)

// The limits of package frame.
var (
	Columns        = limit("Columns", 1<<16, "columns of a table of JSON lines, Arrow or .npy")
	CSVRow         = limit("CSVRow", 256<<20, "bytes of a row of a CSV file")
	JSONLine       = limit("JSONLine", 64<<20, "bytes of a line of JSON")
	ArrowSchema    = limit("ArrowSchema", 64<<20, "bytes of the schema of an Arrow file, or of the head of a message")
	TableExpansion = limit("TableExpansion", 1100, "bytes for each compressed byte of a page of Parquet, or of an Arrow file, beyond the first 64 MiB")
)

// The limits of packages onnx, tokenizers and nn/train.
var (
	ONNXBytes  = limit("ONNXBytes", 1<<31-1, "bytes of an ONNX model without its external data")
	ONNXNodes  = limit("ONNXNodes", 1<<20, "nodes of an ONNX model, those of its functions among them")
	ONNXSparse = limit("ONNXSparse", 1<<28, "elements of a sparse tensor of an ONNX model, the zeros among them")
	TokenBytes = limit("TokenBytes", 1<<16, "bytes of a token of a vocabulary")
	TextLine   = limit("TextLine", 64<<20, "bytes of a line that train.Lines reads")
)

// all is written before the program starts.
var all []*Limit

func limit(name string, usual int, of string) *Limit {
	l := &Limit{name: name, usual: usual, of: of}
	all = append(all, l)
	return l
}

// All returns every limit.
func All() []*Limit { return slices.Clone(all) }

// Value returns the limit.
func (l *Limit) Value() int {
	if n := l.set.Load(); n > 0 {
		return int(n)
	}
	return l.usual
}

// Set changes the limit; 0 or less restores the usual one. It returns the limit before.
func (l *Limit) Set(n int) (before int) {
	before = int(l.set.Swap(int64(max(n, 0))))
	if before == 0 {
		return l.usual
	}
	return before
}

// Check is an error if n, which a file declares, is beyond the limit; what says of what the file has too much.
func (l *Limit) Check(n int, what string) error {
	if n <= l.Value() {
		return nil
	}
	return fmt.Errorf("%s: the limit is %d %s; limits.%s.Set(%d) raises it", what, l.Value(), l.of, l.name, n)
}

// Reached is the error of a reader that has found more than the limit, and does not know how much there is.
func (l *Limit) Reached(what string) error {
	return fmt.Errorf("%s: the limit is %d %s; limits.%s.Set(%d) doubles it", what, l.Value(), l.of, l.name, 2*l.Value())
}

// String is the name of the limit, its value, and of what it is.
func (l *Limit) String() string {
	return fmt.Sprintf("limits.%s: %d %s", l.name, l.Value(), l.of)
}
