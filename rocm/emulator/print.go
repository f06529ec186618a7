package emulator

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/printf"
)

// printed is the variable that kernels print to: two 32-bit counters (words of messages, messages that did not fit),
// and then the words of the messages.
const printed = "gorocm_printed"

// asserted marks, in its length, the message of a failed assertion.
const asserted = 1 << 63

// messages writes what the kernel has printed to the GPU's output, and returns the first failed assertion.
func (l *launch) messages() (failed string) {
	s, ok := l.kernel.module.globals[printed]
	if !ok || s.Size < 16 {
		return ""
	}
	mem := l.gpu.mem.Bytes(l.kernel.module.image.Addr+s.Addr, s.Size)
	used, lost := binary.LittleEndian.Uint32(mem), binary.LittleEndian.Uint32(mem[4:])
	if used == 0 {
		return ""
	}
	words := make([]uint64, min(uint64(used), (s.Size-8)/8))
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(mem[8+8*i:])
	}
	clear(mem[:8+8*len(words)])
	var text strings.Builder
	for len(words) >= 2 && words[0] != 0 {
		n := words[0] &^ asserted
		if n < 2 || n > uint64(len(words)) {
			break // the kernel has written to the buffer itself
		}
		message := printf.Format(l.gpu.cString(words[1]), words[2:n])
		if words[0]&asserted == 0 {
			text.WriteString(message)
		} else if failed == "" {
			failed = message
		}
		words = words[n:]
	}
	if lost > 0 {
		fmt.Fprintf(&text, "… %d more messages of %s: there was no room for them\n", lost, l.kernel.meta.Name)
	}
	out := l.gpu.output
	if out == nil {
		out = os.Stdout
	}
	_, _ = io.WriteString(out, text.String()) // as C does, where nobody asks what printf returns
	return failed
}

// cString reads a string of device memory.
func (g *GPU) cString(addr uint64) string {
	a := g.mem.Find(addr)
	if a == nil {
		return fmt.Sprintf("(a format at %#x)", addr)
	}
	text, _, _ := strings.Cut(string(g.mem.Bytes(addr, min(a.Size-(addr-a.Addr), 1<<16))), "\x00")
	return text
}
