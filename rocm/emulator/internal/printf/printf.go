// Package printf formats what kernels print as C does.
package printf

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

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

// Format formats like C's printf. The words are the arguments: for each one its kind (i, f, p or s), with the length of
// a string above the lowest byte, and its value.
func Format(format string, words []uint64) string {
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
