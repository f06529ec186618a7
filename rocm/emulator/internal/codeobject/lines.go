package codeobject

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"sort"
)

// Line is where the code from an address on, relative to the image, comes from.
type Line struct {
	At   uint64
	File string // empty where nobody knows
	Line int
}

// HasLines reports whether an object says which lines its code comes from.
func HasLines(object []byte) bool {
	f, err := elf.NewFile(bytes.NewReader(object))
	return err == nil && f.Section(".debug_line") != nil
}

// Lines reads the line table of an object, in the order of addresses. What is damaged is left out.
func Lines(object []byte) (list []Line) {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return nil
	}
	data, err := f.DWARF()
	if err != nil {
		return nil
	}
	for units := data.Reader(); ; units.SkipChildren() {
		unit, err := units.Next()
		if err != nil || unit == nil {
			break
		}
		lines, err := data.LineReader(unit)
		if err != nil || lines == nil {
			continue
		}
		var e dwarf.LineEntry
		for lines.Next(&e) == nil {
			l := Line{At: e.Address}
			if !e.EndSequence && e.File != nil && e.Line > 0 {
				l.File, l.Line = e.File.Name, e.Line
			}
			list = append(list, l)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].At < list[j].At })
	return list
}
