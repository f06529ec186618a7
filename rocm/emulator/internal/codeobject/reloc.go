package codeobject

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// Relocation stores the image's address plus value at an offset of the image.
type Relocation struct{ At, Value uint64 }

// readRelocations returns the dynamic relocations of a code object. Compilers emit them for tables of addresses.
func readRelocations(f *elf.File, imageSize uint64) ([]Relocation, error) {
	var list []Relocation
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		b, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("relocations: %w", err)
		}
		symbols, _ := f.DynamicSymbols()
		for ; len(b) >= 24; b = b[24:] {
			at, info, addend := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
				binary.LittleEndian.Uint64(b[16:])
			r := Relocation{at, addend}
			switch uint32(info) {
			case relocRelative64:
			case relocAbs64:
				n := info >> 32 // symbol 0 is omitted by debug/elf
				if n == 0 || n > uint64(len(symbols)) || symbols[n-1].Section == elf.SHN_UNDEF {
					return nil, fmt.Errorf("relocation at %#x refers to an undefined symbol", at)
				}
				r.Value += symbols[n-1].Value
			default:
				return nil, fmt.Errorf("relocation type %d at %#x is not supported", uint32(info), at)
			}
			if at > imageSize || imageSize-at < 8 {
				return nil, fmt.Errorf("relocation at %#x lies outside the image", at)
			}
			list = append(list, r)
		}
	}
	return list, nil
}
