package emulator

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// relocation stores the image's address plus value at an offset of the image.
type relocation struct{ at, value uint64 }

// readRelocations returns the dynamic relocations of a code object. Compilers emit them for tables of addresses.
func readRelocations(f *elf.File, imageSize uint64) ([]relocation, error) {
	var list []relocation
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
			at, info, addend := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
			r := relocation{at, addend}
			switch uint32(info) {
			case relocRelative64:
			case relocAbs64:
				n := info >> 32 // symbol 0 is omitted by debug/elf
				if n == 0 || n > uint64(len(symbols)) || symbols[n-1].Section == elf.SHN_UNDEF {
					return nil, fmt.Errorf("relocation at %#x refers to an undefined symbol", at)
				}
				r.value += symbols[n-1].Value
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

const bundleMagic = "__CLANG_OFFLOAD_BUNDLE__"

// unbundle returns the gfx1100 code object of a clang offload bundle, or object itself when it is none.
func unbundle(object []byte) ([]byte, error) {
	if !bytes.HasPrefix(object, []byte(bundleMagic)) {
		return object, nil
	}
	b := object[len(bundleMagic):]
	if len(b) < 8 {
		return nil, badObject("truncated offload bundle")
	}
	count := binary.LittleEndian.Uint64(b)
	b = b[8:]
	var targets []string
	for range min(count, 1024) {
		if len(b) < 24 {
			return nil, badObject("truncated offload bundle")
		}
		offset, size, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
		b = b[24:]
		if n > uint64(len(b)) || offset > uint64(len(object)) || size > uint64(len(object))-offset {
			return nil, badObject("truncated offload bundle")
		}
		target := string(b[:n])
		b = b[n:]
		if bytes.Contains([]byte(target), []byte("amdgcn-amd-amdhsa")) {
			targets = append(targets, target)
			if bytes.Contains([]byte(target), []byte("gfx1100")) {
				return object[offset : offset+size], nil
			}
		}
	}
	return nil, errorf(CodeNoBinaryForGPU, "load", "the offload bundle has no code object for gfx1100; it has %q", targets)
}
