package compile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// DoesNothing reports whether the compiled code of a kernel ends at its beginning.
func DoesNothing(platform driver.Platform, object []byte, kernel string) bool {
	switch {
	case platform != driver.CUDA:
		i, err := DescribeKernel(object, kernel)
		return err == nil && i.Ends
	case bytes.HasPrefix(object, []byte("\x7fELF")):
		return cubinEnds(object, kernel)
	}
	return ptxEnds(string(object), kernel)
}

// cubinEnds reports whether one of the first two instructions of a kernel is an unconditional EXIT. An instruction
// before it sets the stack pointer.
func cubinEnds(object []byte, kernel string) bool {
	if len(object) < 64 {
		return false
	}
	object = bytes.Clone(object)
	// NVIDIA's own number up to sm_90, which package elf refuses
	binary.LittleEndian.PutUint32(object[20:], uint32(elf.EV_CURRENT))
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return false
	}
	section := f.Section(".text." + kernel)
	if section == nil {
		return false
	}
	const size = 16 // bytes of an instruction, since sm_70
	code := make([]byte, 2*size)
	n, _ := section.ReadAt(code, 0) // a section may have one
	for at := 0; at+size <= n; at += size {
		if op := binary.LittleEndian.Uint64(code[at:]); op&0xffff == 0x794d {
			return true
		}
	}
	return false
}

// ptxEnds reports whether ret is the only instruction of a kernel.
func ptxEnds(text, kernel string) bool {
	_, rest, found := strings.Cut(text, ".entry "+kernel+"(")
	_, rest, begins := strings.Cut(rest, "\n{")
	body, _, ends := strings.Cut(rest, "\n}")
	if !found || !begins || !ends {
		return false
	}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if line != "" && line != "ret;" && line[0] != '.' && !strings.HasPrefix(line, "//") {
			return false
		}
	}
	return true
}
