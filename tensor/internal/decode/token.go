package decode

import (
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Layers is a decoder: a row of Table goes through layers and the last product.
type Layers struct {
	Table  *tensor.Tensor // [vocab dim]
	Layers []Layer
	Output Linear
	Rope   RopePut
	Window int     // positions that a query sees; 0 is all
	Eps    float64 // of the norms of heads
}

// Layer is a layer of it. What GateUp has is gated. Out and Down add what the layer, and GateUp, began with.
type Layer struct {
	QKV, Out, GateUp, Down Linear
	QNorm, KNorm           *tensor.Tensor // of heads, [size], or nil
}

// Token reads tokens of one text, each by one launch of blocks that run at the same time (kernels/token.hip).
type Token struct {
	of       *Layers
	format   string // of Layers
	function *rocm.Function
	blocks   int
	args     kernels.Token
	stages   []kernels.TokenStage
	table    *tensor.Tensor   // of the stages
	memory   []*tensor.Tensor // that stages refer to
	caches   []*tensor.Tensor // that they were made for
}

// emulatedBlocks is how many blocks an emulated GPU runs together: each is a goroutine, and waits actively.
const emulatedBlocks = 3

// mostParts is into how many parts the keys of a token are divided, at most: with more, the last one could have none.
const mostParts = 128

// WorksApart reports whether a device works while the host goes on: a GPU that is not emulated.
func WorksApart(d *tensor.Device) bool {
	r, gpu := on(d)
	return gpu && !r.dev.Emulated()
}

// PaysOneLaunch reports whether a device reads a token faster by one launch than by a graph of launches. It was
// measured on NVIDIA's GPUs of compute capability 9.0, where other threads copy weights ahead. On others the kernel is
// right, and not known to be faster; on an emulated GPU, where blocks that wait take the time of those that work, it
// is slower.
func PaysOneLaunch(d *tensor.Device) bool {
	r, gpu := on(d)
	return gpu && r.dev.Info().Arch == "sm_90"
}

// NewToken returns nil where there is no kernel for a decoder, or the device runs no blocks at the same time.
func NewToken(l *Layers) *Token {
	r, gpu := on(l.Table.Device())
	format, ok := l.format()
	if !gpu || !ok || !l.takes() {
		return nil
	}
	name := "token"
	if format != "" {
		name += "_" + format
	}
	f, err := r.Function(kernelOf(name, l.Table.DType()))
	if err != nil {
		return nil // other kernels fail in the same way, and say it
	}
	blocks, err := f.MaxCooperativeBlocks([3]int{block, 1, 1})
	if err != nil || blocks == 0 {
		return nil
	}
	if r.dev.Emulated() {
		blocks = min(blocks, emulatedBlocks)
	}
	t := &Token{of: l, format: format, function: f, blocks: blocks}
	t.prepare()
	return t
}

// matrices are those of all stages, in their order.
func (l *Layers) matrices() []*Linear {
	var all []*Linear
	for i := range l.Layers {
		by := &l.Layers[i]
		all = append(all, &by.QKV, &by.Out, &by.GateUp, &by.Down)
	}
	return append(all, &l.Output)
}

// second is the format that every kernel for packed matrices takes beside its own.
const second = "q6k"

// format is that of the packed matrices, or second where all have that one, or "" where all matrices are dense. It
// reports whether there is a kernel for it.
func (l *Layers) format() (format string, ok bool) {
	for _, m := range l.matrices() {
		switch f := m.M.Format; {
		case f == "" || f == format:
		case format == "" || format == second:
			format = f
		case f != second:
			return "", false
		}
	}
	return format, format == "" || slices.Contains(kernels.TokenFormats, format)
}

// takes reports whether the kernels have room for the rows, and can read them in whole pieces.
func (l *Layers) takes() bool {
	dt, size := l.Table.DType(), l.Rope.Size
	if dt != tensor.F16 && dt != tensor.BF16 || size%8 != 0 || size > kernels.TokenSize ||
		l.Rope.Groups == 0 || l.Rope.Queries%l.Rope.Groups != 0 ||
		!dense(l.Table) || !l.Rope.Takes(dt) || len(l.Layers) == 0 {
		return false
	}
	for _, by := range l.Layers {
		for _, norm := range []*tensor.Tensor{by.QNorm, by.KNorm} {
			if norm != nil && (norm.DType() != dt || !dense(norm)) {
				return false
			}
		}
		if (by.QNorm == nil) != (by.KNorm == nil) || !by.GateUp.Gated ||
			by.Out.Plus != nil || by.Down.Plus != nil || by.GateUp.Plus != nil ||
			by.GateUp.M.Rows%4 != 0 || by.QKV.M.Rows%2 != 0 || by.Out.M.Rows%2 != 0 || by.Down.M.Rows%2 != 0 {
			return false
		}
	}
	for _, m := range l.matrices() {
		if !m.Takes(l.Table.Device(), dt) || m.Norm != nil && m.M.Cols > kernels.TokenNormed ||
			m.M.Cols%8 != 0 || m.rowBytes()%access != 0 {
			return false
		}
	}
	return true
}

// rowBytes is how many bytes a row of the matrix has.
func (l *Linear) rowBytes() int {
	if l.M.Dense != nil {
		return l.M.Cols * l.M.Dense.DType().Size()
	}
	return l.M.Packed.ElemCount() / l.M.Rows
}

// piece is how many of them come at once.
func (l *Linear) piece() int {
	if l.M.Dense != nil {
		return kernels.TokenDensePiece
	}
	return kernels.TokenPiece(l.rowBytes(), l.M.Cols)
}

// room is how many bytes of shared memory a block needs for a row, or for attention.
func (l *Layers) room() int {
	const groups = 8 // of threads, at most
	most := 4 * (3*l.Rope.Size + groups*(l.Rope.Size+2))
	for _, m := range l.matrices() {
		row := 2 * m.M.Cols
		if m.M.Format != "" {
			row += (m.M.Cols + 63) / 64 * kernels.TokenPartsBytes
		}
		most = max(most, row)
	}
	return (most + 127) &^ 127
}

// prepare sets what is the same for all tokens, and makes the rows.
func (t *Token) prepare() {
	l, d := t.of, t.of.Table.Device()
	most := min(max(t.blocks/l.Rope.Queries, 1), mostParts)
	parts := d.Zeros(tensor.I64, l.Rope.Queries, most, l.Rope.Size+2).Kept()
	t.memory = append(t.memory, parts)
	a := &t.args
	a.Rows, a.Parts, a.Cos, a.Sin = address(l.Table), address(parts), address(l.Rope.Cos), address(l.Rope.Sin)
	piece, room := 0, l.room()
	for _, m := range l.matrices() {
		piece = max(piece, m.piece())
	}
	a.Room = uint64(room)
	a.Slots, a.Slot = kernels.TokenRing(piece, room)
	a.Dim = uint64(l.Table.Dim(1))
	a.Queries, a.Groups, a.Half = uint64(l.Rope.Queries), uint64(l.Rope.Groups), uint64(l.Rope.Size/2)
	a.Window, a.Most, a.Scale = uint64(l.Window), uint64(most), 1
	if l.Rope.Interleaved {
		a.Interleaved = 1
	}
	t.stages = t.chain()
	a.Count = uint64(len(t.stages))
	t.table = d.Zeros(tensor.U8, len(bytesOf(t.stages))).Kept()
	a.Stages = address(t.table)
}

// words makes a row that stages leave to others, of n elements.
func (t *Token) words(n int) uint64 {
	row := t.of.Table.Device().Zeros(tensor.U32, n).Kept()
	t.memory = append(t.memory, row)
	return address(row)
}

// chain lists the stages; those of attention have no cache yet.
func (t *Token) chain() (stages []kernels.TokenStage) {
	l := t.of
	first := &l.Layers[0]
	heads, seen, half := t.words(first.QKV.results()), t.words(first.Out.M.Cols), t.words(first.Out.results())
	gated, x, pairs := t.words(first.GateUp.results()), t.words(first.Down.results()), uint64(0)
	add := func(by *Linear, s kernels.TokenStage) {
		s.Turn, s.Next = pairs%uint64(t.blocks), uint64(len(stages)+1)
		pairs += uint64(by.results()+1) / 2
		if by.Gated {
			pairs += uint64(by.results()) / 2
			s.Kind = kernels.TokenGated
		}
		if by.Plus != nil {
			s.Plus, s.PlusIs = address(by.Plus), kernels.PlusElements
		}
		t.matrix(by, &s)
		stages = append(stages, s)
	}
	for i := range l.Layers {
		by, tag := &l.Layers[i], uint64(i)
		begin, plus := x, uint64(kernels.PlusWords)
		if i == 0 {
			begin, plus = 0, kernels.PlusRow
		}
		add(&by.QKV, kernels.TokenStage{X: begin, TagX: tag - 1, Out: heads, Tag: tag})
		stages[len(stages)-1].Next++ // after attention
		stages = append(stages, kernels.TokenStage{Kind: kernels.TokenAttention,
			X: heads, TagX: tag, Out: seen, Tag: tag, Alpha: address(by.QNorm), Plus: address(by.KNorm), Eps: l.Eps})
		add(&by.Out, kernels.TokenStage{X: seen, TagX: tag, Plus: begin, PlusIs: plus, Out: half, Tag: tag})
		add(&by.GateUp, kernels.TokenStage{X: half, TagX: tag, Out: gated, Tag: tag})
		add(&by.Down, kernels.TokenStage{X: gated, TagX: tag, Plus: half, PlusIs: kernels.PlusWords, Out: x, Tag: tag})
	}
	add(&l.Output, kernels.TokenStage{X: x, TagX: uint64(len(l.Layers)) - 1})
	return stages
}

// matrix sets what a stage has of its matrix.
func (t *Token) matrix(by *Linear, s *kernels.TokenStage) {
	m := by.M.Dense
	if m == nil {
		m = by.M.Packed
	}
	switch {
	case by.M.Format == t.format:
	case by.M.Format == second:
		s.Other = 1
	default: // dense
		s.Other = 2
	}
	s.W, s.Alpha, s.Eps = address(m), address(by.Norm), by.Eps
	s.Rows, s.Cols = uint64(by.M.Rows), uint64(by.M.Cols)
	s.Row, s.Piece = uint64(by.rowBytes()), uint64(by.piece())
}

// Read launches the kernel for a token, U32 [1], at a position, and returns the logits [vocab] of the next. The caches
// [1 2·groups capacity size] of all layers have room for the position.
func (t *Token) Read(id *tensor.Tensor, position int, caches []*tensor.Tensor) *tensor.Tensor {
	const op = "decoder"
	d := t.of.Table.Device()
	if !slices.Equal(caches, t.caches) {
		t.use(caches)
	}
	logits := d.Empty(t.of.Table.DType(), t.of.Output.results())
	t.args.Tag += uint64(len(t.of.Layers)) // also after a launch that failed, which may have left words
	t.args.ID, t.args.Position, t.args.Logits = address(id), uint64(position), address(logits)
	args := rocm.NewArgs()
	defer args.Recycle()
	args.Struct(&t.args)
	extend.Check(op, d, t.function.LaunchCooperative([3]int{t.blocks, 1, 1}, [3]int{block, 1, 1}, args))
	return logits
}

// use has the stages of attention read and write caches.
func (t *Token) use(caches []*tensor.Tensor) {
	n := 0
	for i := range t.stages {
		if s := &t.stages[i]; s.Kind == kernels.TokenAttention {
			c := caches[n]
			extend.Written("decoder", c)
			s.W, s.Cols = address(c), uint64(c.Dim(2))
			n++
		}
	}
	t.caches = slices.Clone(caches)
	b, at := t.table.Buffer()
	extend.Check("decoder", t.of.Table.Device(), b.Upload(at, bytesOf(t.stages)))
}

// address is where the first element of a tensor is, 0 for nil.
func address(t *tensor.Tensor) uint64 {
	if t == nil {
		return 0
	}
	o := extend.InMemory("decoder", t)
	return uint64(o.Store.(backend.DeviceMemory).DeviceBuffer().Ptr()) + uint64(o.Layout.Offset*o.DType.Size())
}

func bytesOf(s []kernels.TokenStage) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
