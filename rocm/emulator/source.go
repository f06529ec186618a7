package emulator

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
)

// keepLines keeps an object that says which lines its code comes from; they are read when an error needs them.
func (m *Module) keepLines(object []byte) {
	if codeobject.HasLines(object) {
		m.debug = bytes.Clone(object)
	}
}

// source names the line that an instruction comes from, "cell[3]:7", or is empty.
func (m *Module) source(at uint64) string {
	if m.debug == nil {
		return ""
	}
	m.linesOnce.Do(func() { m.lines = codeobject.Lines(m.debug) })
	_, entry, end := m.extent(at)
	begin, i, last := max(m.lineAt(entry), 0), m.lineAt(at), m.lineAt(end-1)
	if i < 0 {
		return ""
	}
	// What is inlined from another file, a header, counts as the line before it. A function ends in the file that it is
	// written in.
	for last > begin && m.lines[last].File == "" {
		last--
	}
	for k := i; k >= begin; k-- {
		if m.lines[k].File == m.lines[last].File {
			i = k
			break
		}
	}
	if m.lines[i].File == "" {
		return ""
	}
	name := m.lines[i].File
	if cut := strings.LastIndexByte(name, '/'); cut >= 0 {
		name = name[cut+1:]
	}
	return fmt.Sprintf("%s:%d", name, m.lines[i].Line)
}

// lineAt is the index of the line that holds an address, -1 for none.
func (m *Module) lineAt(at uint64) int {
	i := sort.Search(len(m.lines), func(i int) bool { return m.lines[i].At > at }) - 1
	for i > 0 && m.lines[i].File == "" && m.lines[i-1].At == m.lines[i].At {
		i-- // the end of one sequence at the beginning of the next
	}
	return i
}

// describe writes the instruction at an offset of the image: its line of source if that is known, itself, and where in
// its function it is.
func (m *Module) describe(at uint64, mode mode) string {
	name, entry, end := m.extent(at)
	l := disassembly{d: decoder{m: m, t: m.opcodes(), mode: mode,
		fn: &function{name: name, entry: entry, end: min(end, uint64(len(m.code)))}}}
	l.d.consts, l.d.wideConsts = map[uint64]*lanes{}, map[uint64]*wide{}
	text := "?"
	if l.d.pc = at; at+4 <= l.d.fn.end {
		l.one()
		text = l.lines[0].text
	}
	text = fmt.Sprintf("%s at %s+%#x", text, name, at-entry)
	if line := m.source(at); line != "" {
		text = line + ": " + text
	}
	return text
}
