package emulator

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
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
	mem := l.gpu.mem.bytes(l.kernel.module.image.addr+s.Addr, s.Size)
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
		message := formatC(l.gpu.cString(words[1]), words[2:n])
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
	a := g.mem.find(addr)
	if a == nil {
		return fmt.Sprintf("(a format at %#x)", addr)
	}
	text, _, _ := strings.Cut(string(g.mem.bytes(addr, min(a.size-(addr-a.addr), 1<<16))), "\x00")
	return text
}

// argument is an argument of printf: its kind (i, f, p or s) and value.
type argument struct {
	kind byte
	bits uint64
	text string
}

// arguments reads the words that follow a format.
func arguments(words []uint64) (list []argument) {
	for len(words) > 0 {
		a := argument{kind: byte(words[0])}
		n, at := int(words[0]>>8), 1
		if a.kind == 's' {
			var b []byte
			for ; len(b) < n && at < len(words); at++ {
				b = binary.LittleEndian.AppendUint64(b, words[at])
			}
			a.text = string(b[:min(n, len(b))])
		} else if len(words) > 1 {
			a.bits, at = words[1], 2
		}
		list, words = append(list, a), words[at:]
	}
	return list
}

// formatC formats like C's printf.
func formatC(format string, words []uint64) string {
	var b strings.Builder
	args := arguments(words)
	next := func() (a argument) {
		if len(args) > 0 {
			a, args = args[0], args[1:]
		}
		return a
	}
	for {
		plain, rest, found := strings.Cut(format, "%")
		b.WriteString(plain)
		if !found {
			return b.String()
		}
		end := strings.IndexAny(rest, "diouxXeEfFgGaAcspn%")
		if end < 0 {
			b.WriteString("%" + rest)
			return b.String()
		}
		spec, verb := rest[:end], rest[end]
		format = rest[end+1:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		size := ""
		for strings.HasSuffix(spec, "h") || strings.HasSuffix(spec, "l") || strings.HasSuffix(spec, "z") ||
			strings.HasSuffix(spec, "j") || strings.HasSuffix(spec, "t") {
			size, spec = spec[len(spec)-1:]+size, spec[:len(spec)-1]
		}
		for strings.Contains(spec, "*") {
			spec = strings.Replace(spec, "*", strconv.Itoa(int(int32(next().bits))), 1)
		}
		if verb == 'n' {
			continue
		}
		if len(args) == 0 {
			b.WriteString("%" + spec + size + string(verb))
			continue
		}
		b.WriteString(next().format(spec, size, verb))
	}
}

// format writes an argument as a conversion says: spec is its flags, width and precision, size its length modifier.
func (a argument) format(spec, size string, verb byte) string {
	switch verb {
	case 's':
		return fmt.Sprintf("%"+spec+"s", a.text)
	case 'c':
		return fmt.Sprintf("%"+spec+"s", string([]byte{byte(a.bits)}))
	case 'p':
		return fmt.Sprintf("%"+spec+"s", "0x"+strconv.FormatUint(a.bits, 16))
	case 'd', 'i':
		return fmt.Sprintf("%"+spec+"d", signed(a.bits, size))
	case 'u':
		return fmt.Sprintf("%"+spec+"d", unsigned(a.bits, size))
	case 'o', 'x', 'X':
		return fmt.Sprintf("%"+spec+string(verb), unsigned(a.bits, size))
	}
	f := math.Float64frombits(a.bits)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		text := map[bool]string{true: "nan", false: "inf"}[math.IsNaN(f)]
		if math.Signbit(f) && !math.IsNaN(f) {
			text = "-" + text
		} else if strings.Contains(spec, "+") {
			text = "+" + text
		}
		if verb < 'a' {
			text = strings.ToUpper(text)
		}
		width, _, _ := strings.Cut(strings.TrimLeft(spec, "+ 0#"), ".")
		return fmt.Sprintf("%"+width+"s", text)
	}
	switch verb {
	case 'a', 'A':
		verb += 'x' - 'a'
	default:
		if !strings.Contains(spec, ".") {
			spec += ".6"
		}
	}
	return fmt.Sprintf("%"+spec+string(verb), f)
}

// signed and unsigned read an integer of the size of a length modifier.
func signed(bits uint64, size string) int64 {
	switch size {
	case "":
		return int64(int32(bits))
	case "h":
		return int64(int16(bits))
	case "hh":
		return int64(int8(bits))
	}
	return int64(bits)
}

func unsigned(bits uint64, size string) uint64 {
	switch size {
	case "":
		return uint64(uint32(bits))
	case "h":
		return uint64(uint16(bits))
	case "hh":
		return uint64(uint8(bits))
	}
	return bits
}
