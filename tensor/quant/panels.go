package quant

import (
	"encoding/binary"
	"math"
	"sync"
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
	top    byte // the largest code
	offset int  // that is taken away from codes
	minima bool // whether there are any
	// read sets the codes of a block, and the scales and the minima of its parts
	read func(codes []byte, scales, minima []float32, x []byte)
}

var codedFormats = map[Type]coded{
	Q4_0: {32, 15, 8, false, codesQ4_0}, Q4_1: {32, 15, 0, true, codesQ4_1},
	Q5_0: {32, 31, 16, false, codesQ5_0}, Q5_1: {32, 31, 0, true, codesQ5_1}, Q8_0: {32, 255, 128, false, codesQ8_0},
	Q2K: {16, 3, 0, true, codesQ2K}, Q3K: {16, 7, 4, false, codesQ3K}, Q4K: {32, 15, 0, true, codesQ4K},
	Q5K: {32, 31, 0, true, codesQ5K}, Q6K: {16, 63, 32, false, codesQ6K},
	IQ4_NL: {32, 255, 128, false, codesIQ4_NL}, IQ4_XS: {32, 255, 128, false, codesIQ4_XS},
	MXFP4: {32, 255, 128, false, codesMXFP4},
}

// tileProduct sets panelColumns rows of panelRows results, which are stride floats apart, to a panel of rows times a
// panel of columns: of so many parts, of 16·fours elements each. Minima may be nil.
type tileProduct func(out *float32, stride int, codes *byte, scales, minima *float32, x, facts *byte, parts, fours int)

// tileOf returns the function that multiplies panels of a format, or nil where there is none.
func tileOf(t Type) tileProduct {
	if codedFormats[t].read == nil {
		return nil
	}
	return fastTile(t)
}

// columnPanels are rows of x, eight beside one another, filled up with zeros.
type columnPanels struct {
	format      Type // of w
	count, cols int
	codes       []byte // [panels cols/4 8 4]
	// facts are three rows of eight numbers for each part of a panel: what whole sums begin with, for the offset of
	// codes, as int32; the scale of x; and that times the sum of the codes of x.
	facts []uint32
}

// columnsFor prepares rows of x for products with blocks of a format. free gives its memory back.
func columnsFor(xs []float32, cols int, t Type) *columnPanels {
	f := codedFormats[t]
	p, _ := spareColumns.Get().(*columnPanels)
	if p == nil {
		p = new(columnPanels)
	}
	p.format, p.count, p.cols = t, len(xs)/cols, cols
	panels, parts := (p.count+panelColumns-1)/panelColumns, cols/f.part
	p.codes, p.facts = sized(p.codes, panels*panelColumns*cols), sized(p.facts, panels*parts*3*panelColumns)
	a := roundedCodes(xs, cols, formats[t].with)
	defer a.free()
	parallel(panels, panelColumns*cols, func(lo, hi int) {
		for panel := lo; panel < hi; panel++ {
			codes := p.codes[panel*panelColumns*cols:][:panelColumns*cols]
			facts := p.facts[panel*parts*3*panelColumns:][:parts*3*panelColumns]
			n := min(panelColumns, p.count-panel*panelColumns)
			if n < panelColumns {
				clear(codes)
				clear(facts)
			}
			for column := range n {
				p.set(codes[4*column:], facts[column:], a, panel*panelColumns+column, f)
			}
		}
	})
	return p
}

// set writes row i of a to a column of a panel.
func (p *columnPanels) set(codes []byte, facts []uint32, a *rounded, i int, f coded) {
	row := a.codes[i*p.cols:][:p.cols]
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&row[0])), len(row))
	for k := 0; k < len(bytes); k += 4 {
		*(*[4]byte)(codes[k*panelColumns:]) = [4]byte(bytes[k:])
	}
	for k := 0; k < len(bytes); k += f.part {
		d, sum := a.scales[(i*p.cols+k)/a.block], int32(0)
		for j := k; j < k+f.part; j += 8 {
			sum += sumOfEight(le.Uint64(bytes[j:]))
		}
		fact := facts[k/f.part*3*panelColumns:]
		fact[0], fact[panelColumns] = uint32(-int32(f.offset)*sum), math.Float32bits(d)
		fact[2*panelColumns] = math.Float32bits(d * float32(sum))
	}
}

// sumOfEight adds eight signed bytes.
func sumOfEight(v uint64) int32 {
	v ^= 0x8080808080808080 // each 128 more, and not below 0
	v = v&0x00ff00ff00ff00ff + v>>8&0x00ff00ff00ff00ff
	return int32(v*0x0001000100010001>>48) - 8*128
}

var spareColumns sync.Pool // of *columnPanels, whose memory is in the caches

func (p *columnPanels) free() {
	if p != nil {
		spareColumns.Put(p)
	}
}

// serves reports whether p, which may be nil, is prepared for products with blocks of a format.
func (p *columnPanels) serves(t Type) bool {
	if p == nil {
		return false
	}
	f, g := codedFormats[p.format], codedFormats[t]
	return formats[p.format].with == formats[t].with && f.part == g.part && f.offset == g.offset
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
	f, cols, rows, tile := codedFormats[q.format], q.shape[1], q.shape[0], tileOf(q.format)
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
