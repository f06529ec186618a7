package quant

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Products with many rows of x are made in tiles: sixteen rows of w by eight of x, in whole numbers. A code is a byte
// without a sign: a number of a part, of 32 or 16 elements, is scale·(code - offset) - minimum.

const (
	panelRows    = 16
	panelColumns = 8
)

// coded is how the blocks of a format become codes.
type coded struct {
	part   int  // elements with one scale
	offset int  // that is taken away from codes
	minima bool // whether there are any
	// read sets the codes of a block, and the scales and the minima of its parts
	read func(codes []byte, scales, minima []float32, x []byte)
}

var codedFormats = map[Type]coded{
	Q4_0: {32, 8, false, codesQ4_0}, Q4_1: {32, 0, true, codesQ4_1}, Q5_0: {32, 16, false, codesQ5_0},
	Q5_1: {32, 0, true, codesQ5_1}, Q8_0: {32, 128, false, codesQ8_0},
	Q2K: {16, 0, true, codesQ2K}, Q3K: {16, 4, false, codesQ3K}, Q4K: {32, 0, true, codesQ4K},
	Q5K: {32, 0, true, codesQ5K}, Q6K: {16, 32, false, codesQ6K},
	IQ4_NL: {32, 128, false, codesIQ4_NL}, IQ4_XS: {32, 128, false, codesIQ4_XS}, MXFP4: {32, 128, false, codesMXFP4},
}

// columnPanels are rows of x, eight beside one another, filled up with zeros.
type columnPanels struct {
	count, cols int
	codes       []byte // [panels cols/4 8 4]
	// facts are three rows of eight numbers for each part of a panel: what whole sums begin with, for the offset of
	// codes, as int32; the scale of x; and that times the sum of the codes of x.
	facts []uint32
}

// columnsFor prepares rows of x for products with blocks of a format.
func columnsFor(xs []float32, cols int, t Type) *columnPanels {
	f, with := codedFormats[t], formats[formats[t].with]
	p := &columnPanels{count: len(xs) / cols, cols: cols}
	panels, parts := (p.count+panelColumns-1)/panelColumns, cols/f.part
	p.codes, p.facts = make([]byte, panels*panelColumns*cols), make([]uint32, panels*parts*3*panelColumns)
	first := map[int]int{34: 2, 36: 4, 292: 4}[with.bytes] // where codes begin
	parallel(p.count, 4*cols, func(lo, hi int) {
		packed := make([]byte, with.bytes)
		for i := lo; i < hi; i++ {
			panel, column := i/panelColumns, i%panelColumns
			codes := p.codes[panel*panelColumns*cols:][:panelColumns*cols]
			facts := p.facts[panel*parts*3*panelColumns:]
			for b := 0; b < cols; b += with.block {
				with.encode(packed, xs[i*cols+b:i*cols+b+with.block])
				d := half(packed)
				if first == 4 && with.block == block {
					d = math.Float32frombits(le.Uint32(packed))
				}
				q := packed[first:][:with.block]
				for k := 0; k < len(q); k += 4 {
					copy(codes[(b+k)*panelColumns+4*column:][:4], q[k:k+4])
				}
				for k := 0; k < len(q); k += f.part {
					sum := int32(0)
					for _, c := range q[k : k+f.part] {
						sum += int32(int8(c))
					}
					fact := facts[(b+k)/f.part*3*panelColumns+column:]
					fact[0], fact[panelColumns] = uint32(-int32(f.offset)*sum), math.Float32bits(d)
					fact[2*panelColumns] = math.Float32bits(d * float32(sum))
				}
			}
		}
	})
	return p
}

// panel is sixteen rows of w, of which the last may be missing: codes [cols/4 16 4], scales and minima [parts 16].
type panel struct {
	codes          []byte
	scales, minima []float32
	row            []byte
	rowScales      []float32
	rowMinima      []float32
	out            [panelRows * panelColumns]float32
}

func newPanel(t Type, cols int) *panel {
	f := codedFormats[t]
	parts := cols / f.part
	return &panel{codes: make([]byte, panelRows*cols), scales: make([]float32, panelRows*parts),
		minima: make([]float32, panelRows*parts), row: make([]byte, cols), rowScales: make([]float32, parts),
		rowMinima: make([]float32, parts)}
}

// read sets the panel to rows of w from first on.
func (p *panel) read(q *QTensor, first int) {
	f, format := codedFormats[q.format], formats[q.format]
	cols := q.shape[1]
	bytes, parts := cols/format.block*format.bytes, format.block/f.part
	for r := range panelRows {
		if first+r >= q.shape[0] {
			clear(p.row)
			clear(p.rowScales)
			clear(p.rowMinima)
		} else {
			row := q.data[(first+r)*bytes:][:bytes]
			for b := range cols / format.block {
				f.read(p.row[b*format.block:][:format.block], p.rowScales[b*parts:][:parts],
					p.rowMinima[b*parts:][:parts], row[b*format.bytes:][:format.bytes])
			}
		}
		words := unsafe.Slice((*uint32)(unsafe.Pointer(&p.codes[0])), len(p.codes)/4)[r:]
		for i := range cols / 4 {
			words[i*panelRows] = binary.NativeEndian.Uint32(p.row[4*i:])
		}
		for i, s := range p.rowScales {
			p.scales[i*panelRows+r], p.minima[i*panelRows+r] = s, p.rowMinima[i]
		}
	}
}

// byPanels is x·wᵀ in tiles. Results of the rows of x are stride floats apart.
func byPanels(q *QTensor, x *columnPanels, to []float32, stride int) {
	f, cols, rows := codedFormats[q.format], q.shape[1], q.shape[0]
	parts := cols / f.part
	parallel((rows+panelRows-1)/panelRows, panelRows*cols*(x.count/16+1), func(lo, hi int) {
		p := newPanel(q.format, cols)
		var minima *float32
		if f.minima {
			minima = &p.minima[0]
		}
		for i := lo; i < hi; i++ {
			first := i * panelRows
			p.read(q, first)
			for c := 0; c < x.count; c += panelColumns {
				codes, facts := &x.codes[c*cols], (*byte)(unsafe.Pointer(&x.facts[c*parts*3]))
				if first+panelRows <= rows && c+panelColumns <= x.count {
					tile(&to[c*stride+first], stride, &p.codes[0], &p.scales[0], minima, codes, facts, parts, f.part/16)
					continue
				}
				tile(&p.out[0], panelRows, &p.codes[0], &p.scales[0], minima, codes, facts, parts, f.part/16)
				for k := range min(panelColumns, x.count-c) {
					copy(to[(c+k)*stride+first:(c+k)*stride+min(rows, first+panelRows)], p.out[k*panelRows:])
				}
			}
		}
	})
}

// sameColumns reports whether x is prepared in the same way for two formats.
func sameColumns(a, b Type) bool {
	f, g := codedFormats[a], codedFormats[b]
	return formats[a].with == formats[b].with && f.part == g.part && f.offset == g.offset
}
