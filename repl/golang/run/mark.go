package run

import (
	"reflect"
	"sync/atomic"
)

// Mark is where a cell is: the line and column of the last of its statements that began.
type Mark struct {
	Symbol string // of its address
	Value  *int
	Cell   string
}

// At may be asked of a cell that was left behind and still runs: then what it tells may be one statement late.
//
//go:norace
func (m *Mark) At() (line, col int) {
	v := *m.Value
	return v / MarkColumns, v % MarkColumns
}

// newCellMark makes the mark of all cells: only one of them runs.
func (rt *Runtime) newCellMark() {
	v := new(int)
	rt.cellMark = &Mark{Symbol: rt.Provide("at", reflect.ValueOf(v)), Value: v}
}

// The column takes the low bits of a mark.
const MarkColumns = 1 << 12

// name is the name of the cell.
func (m *Mark) name() string {
	if m == nil {
		return "a cell"
	}
	return m.Cell
}

// Redirect is a function that others may take the place of.
type Redirect struct {
	to atomic.Pointer[reflect.Value] // the newer version
}

// MarkOf is the mark while a cell runs.
func (rt *Runtime) MarkOf(cell string) *Mark {
	return &Mark{rt.cellMark.Symbol, rt.cellMark.Value, cell}
}
