package gfx9

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// encoded are words for an opcode of a format, in the forms that different opcodes of it need: an instruction has
// fewer operands than the format, and LLVM knows it with zeros in their places only.
var encoded = map[Format]struct {
	codes uint32
	forms []func(code uint32) []uint32
}{
	SOP1: {256, []func(uint32) []uint32{word(0x17d<<23|4<<16|12, 8)}},
	SOP2: {96, []func(uint32) []uint32{word(2<<30|4<<16|8<<8|12, 23)}},
	SOPC: {128, []func(uint32) []uint32{word(0x17e<<23|8<<8|12, 16)}},
	SOPK: {29, []func(uint32) []uint32{word(0xb<<28|4<<16|8, 23), words(0xb<<28|4<<16|8, 0x1234, 23)}},
	SOPP: {128, []func(uint32) []uint32{word(0x17f<<23|3, 16), word(0x17f<<23, 16)}},
	SMEM: {64, []func(uint32) []uint32{words(0x30<<26|1<<17|16<<6|4, 0x10, 18), words(0x30<<26, 0, 18),
		words(0x30<<26|16<<6, 0, 18)}},
	VOP1: {256, []func(uint32) []uint32{word(0x3f<<25|1<<17|258, 9), word(0x3f<<25, 9)}},
	VOP2: {62, []func(uint32) []uint32{word(1<<17|2<<9|259, 25), words(1<<17|2<<9|259, 0x12345678, 25)}},
	VOPC: {256, []func(uint32) []uint32{word(0x3e<<25|2<<9|259, 17)}},
	VOP3: {896, []func(uint32) []uint32{long(260, 262, 264), long(260, 262, 0), long(260, 6, 0), long(4, 6, 0),
		long(260, 262, 10), long(260, 0, 0)}},
	MAI: {128, []func(uint32) []uint32{words(0x1a7<<23|16, 260|264<<9|272<<18, 16),
		words(0x1a7<<23|1<<15|16, 260|264<<9|272<<18|3<<27, 16)}},
	VOP3P: {128, []func(uint32) []uint32{words(0x1a7<<23|16|1<<14, 260|264<<9|272<<18|3<<27, 16),
		words(0x1a7<<23|16|1<<14, 260|264<<9|3<<27, 16), words(0x1a7<<23|16, 260|1<<27, 16),
		words(0x1a7<<23|16, 260, 16)}},
	DS: {256, []func(uint32) []uint32{words(0x36<<26, 2|4<<8, 17), words(0x36<<26, 2|4<<8|6<<16, 17), words(0x36<<26, 2|8<<24, 17),
		words(0x36<<26, 2|4<<8|8<<24, 17), words(0x36<<26, 2|4<<8|6<<16|8<<24, 17), words(0x36<<26, 8<<24, 17), words(0x36<<26, 0, 17)}},
	FLAT: {128, []func(uint32) []uint32{words(0x37<<26|16, 2|8<<24, 18), words(0x37<<26|16, 2|4<<8, 18)}},
	GLOBAL: {128, []func(uint32) []uint32{words(0x37<<26|2<<14|16, 2|127<<16|8<<24, 18), words(0x37<<26|2<<14|16, 2|127<<16|4<<8, 18),
		words(0x37<<26|2<<14|1<<16, 2|4<<8|8<<24|6<<16, 18), words(0x37<<26|2<<14, 2|127<<16, 18)}},
	SCRATCH: {128, []func(uint32) []uint32{words(0x37<<26|3<<13|16, 2|127<<16|8<<24, 18), words(0x37<<26|3<<13|16, 2|127<<16|4<<8, 18),
		words(0x37<<26|1<<14, 127<<16, 18), words(0x37<<26|3<<13, 2|127<<16, 18)}},
	MUBUF: {128, []func(uint32) []uint32{words(0x38<<26|1<<12, 2|4<<8|1<<16|128<<24, 18), words(0x38<<26|1<<15, 0, 18)}},
}

func word(w uint32, at int) func(uint32) []uint32 {
	return func(code uint32) []uint32 { return []uint32{w | code<<at} }
}

func words(w, w1 uint32, at int) func(uint32) []uint32 {
	return func(code uint32) []uint32 { return []uint32{w | code<<at, w1} }
}

func long(a, b, c uint32) func(uint32) []uint32 { return words(0x34<<26|2, a|b<<9|c<<18, 16) }

// notEmulated are instructions of LLVM's that the tables do not have: of other chips, of debuggers, and formats.
var notEmulated = regexp.MustCompile(`^(buffer_(load|store)_format|buffer_wbinvl1|scratch_load_lds|s_(buffer_)?atomic)`)

// neverEmulated are instructions whose operands are not written as LLVM does.
var neverEmulated = regexp.MustCompile(`^s_(set_gpr|cbranch_join|cbranch_i_fork|sendmsg|atc_probe|dcache_discard)`)

func mnemonic(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return word
}

// TestOpcodesAgreeWithLLVM disassembles each opcode of each format.
func TestOpcodesAgreeWithLLVM(t *testing.T) {
	thorough.Slow(t)
	tool, err := exec.LookPath("llvm-mc-19")
	if err != nil {
		t.Skip(err)
	}
	const begin, end = 0xbf801000, 0xbf800fff // s_nop
	var list [][]uint32
	var input strings.Builder
	line := func(words ...uint32) {
		for _, w := range words {
			for _, b := range binary.LittleEndian.AppendUint32(nil, w) {
				fmt.Fprintf(&input, "%#02x ", b)
			}
		}
		input.WriteByte('\n')
	}
	var formats []Format
	for format := range MUBUF + 1 {
		for code := range encoded[format].codes {
			for _, form := range encoded[format].forms {
				line(begin|uint32(len(list)>>12), begin|uint32(len(list)&0xfff))
				line(form(code)...)
				line(end)
				list, formats = append(list, form(code)), append(formats, format)
			}
		}
	}
	cmd := exec.Command(tool, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "--disassemble")
	cmd.Stdin = strings.NewReader(input.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	llvm := map[int][]string{}
	var at []int
	for text := range strings.Lines(string(out)) {
		var n int
		switch text = strings.TrimSpace(text); {
		case text == "" || text[0] == '.':
		case text == "s_nop 0xfff" || text == "s_nop 4095":
			at = nil
		case len(at) < 2:
			if _, err := fmt.Sscanf(text, "s_nop %v", &n); err == nil && n >= 0x1000 {
				at = append(at, n-0x1000)
			}
		default:
			i := at[0]<<12 | at[1]
			llvm[i] = append(llvm[i], normal(text))
		}
	}
	compared := map[Format]int{}
	for i, w := range list {
		in, err := Decode(w)
		want := llvm[i]
		if len(want) == 1 && strings.Contains(want[0], "/*Invalid") {
			continue
		}
		if len(w) == 2 && len(want) == 1 { // LLVM skips a word that it does not know
			if second, err := Decode(w[1:]); err == nil && normal(second.Text()) == want[0] {
				want = nil
			}
		}
		switch known := err == nil && in.Size == len(w); {
		case known && len(want) == 1:
			if got := normal(in.Text()); got != want[0] && !(neverEmulated.MatchString(got) && mnemonic(got) == mnemonic(want[0])) {
				t.Errorf("%08x: %s, LLVM has %s", w, got, want[0])
			}
			compared[formats[i]]++
		case !known && len(want) == 1 && len(w) == in.Size && !notEmulated.MatchString(want[0]):
			t.Errorf("%08x: LLVM has %s (%v)", w, want[0], err)
		}
	}
	total := 0
	for format := range MUBUF + 1 {
		t.Logf("format %d: %d", format, compared[format])
		if total += compared[format]; compared[format] == 0 {
			t.Errorf("nothing of format %d was compared", format)
		}
	}
	t.Logf("%d of %d", total, len(list))
}

var (
	suffix = regexp.MustCompile(`^(\w+?)_(?:e32|e64)\b`)
	spaces = regexp.MustCompile(`\s+`)
	label  = regexp.MustCompile(`(branch\w*|s_call_b64 \S+) \S+$`)
)

// normal drops what differs in form only: which encoding an instruction has, and how a target is written.
func normal(line string) string {
	line = suffix.ReplaceAllString(spaces.ReplaceAllString(strings.TrimSpace(line), " "), "$1")
	return strings.TrimSuffix(label.ReplaceAllString(line, "$1"), ",")
}
