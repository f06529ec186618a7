package emulator

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
)

// rdna4Forms are the formats of gfx12: how many opcodes they have, where the opcode is, and words that different opcodes
// need, because LLVM knows an instruction only with zeros in the place of what it does not have.
var rdna4Forms = map[string]struct {
	codes, at uint32
	forms     [][]uint32
}{
	"SOP1": {128, 8, [][]uint32{{0xbe840002}, {0xbe800002}, {0xbe840000}, {0xbe8000c1}, {0xbe840080}}},
	"SOP2": {96, 23, [][]uint32{{0x80060402}, {0x80060402, 0x1234}, {0x8006ff02, 0x40490fdb}}},
	"SOPC": {128, 16, [][]uint32{{0xbf000402}}},
	"SOPK": {32, 23, [][]uint32{{0xb0041801}, {0xb0000001}, {0xb0001801, 0x1234}}},
	"SOPP": {128, 16, [][]uint32{{0xbf800003}, {0xbf800000}, {0xbf80ffff}}},
	"SMEM": {64, 13, [][]uint32{{0xf4000201, 0xf8000010}, {0xf4000202, 0x12000000}, {0xf4000202, 0x12fffff0},
		{0xf4000001, 0xf8000010}, {0xf4000000, 0xf8000000}, {0xf4000000, 0}, {0xf4000202, 0xf8000000}}},
	"VOP1": {128, 9, [][]uint32{{0x7e040104}, {0x7e000000}, {0x7e0401ff, 0x12345678}, {0x7e0400fa, 0xff015a04}}},
	"VOP2": {64, 25, [][]uint32{{0x00040d04}, {0x00040d04, 0x12345678}, {0x00040ce9, 0x05397704}}},
	"VOPC": {256, 17, [][]uint32{{0x7c000d04}}},
	"VOP3": {1024, 16, [][]uint32{{0xd4000008, v(2) | v(4)<<9 | v(6)<<18}, {0xd4000008, v(2) | v(4)<<9},
		{0xd4000008, v(2)}, {0xd4000008, v(2) | v(4)<<9 | 10<<18}, {0xd4000008, 2}, {0xd4000008, 2 | 4<<9}, {0xd4000008, v(2) | 4<<9},
		{0xd4000008, v(2) | 4<<9 | 6<<18}, {0xd4000a08, v(2) | v(4)<<9 | v(6)<<18}, {0xd4000a08, v(2) | v(4)<<9},
		{0xd4000a08, v(2) | v(4)<<9 | 10<<18}, {0xd4000008, 0}, {0xd400007e, v(2) | v(4)<<9},
		{0xd4008108, v(2) | v(4)<<9 | 1<<27 | 1<<29}, {0xd4000008, 255 | v(4)<<9, 0x40490fdb}}},
	"VOP3P": {128, 16, [][]uint32{{0xcc004008, v(10) | v(20)<<9 | v(30)<<18 | 3<<27}, {0xcc004008, v(10) | v(20)<<9 | 3<<27},
		{0xcc004008, v(10) | v(20)<<9 | 242<<18 | 3<<27}}},
	"VOPD": {16, 22, [][]uint32{{0xca200104 | 4<<9, 0x03020000 | v(6) | 8<<9}}},
	"DS": {256, 18, [][]uint32{{0xd8000008, 1 | 2<<8}, {0xd8000008, 1 | 2<<8 | 4<<16}, {0xd8000008, 1 | 8<<24},
		{0xd8000008, 1 | 2<<8 | 8<<24}, {0xd8000008, 1 | 2<<8 | 4<<16 | 8<<24}, {0xd8000008, 8 << 24}, {0xd8000000, 0}}},
	"VGLOBAL": {128, 14, [][]uint32{{0xee00007c, 8, 2 | 16<<8}, {0xee00007c, 4 << 23, 2 | 0xfffff0<<8}, {0xee000006, 8 | 2<<18, 2},
		{0xee00007c, 8 | 4<<23 | 1<<20, 2}, {0xee000006, 4<<23 | 3<<18 | 3<<20, 2}, {0xee00007c, 2 << 18, 0}, {0xee00007c, 0, 0}}},
	"VFLAT": {128, 14, [][]uint32{{0xec00007c, 8, 2 | 16<<8}, {0xec00007c, 4 << 23, 2}, {0xec00007c, 8 | 4<<23 | 1<<20 | 1<<18, 2}}},
	"VSCRATCH": {64, 14, [][]uint32{{0xed00007c, 8 | 1<<17, 2 | 16<<8}, {0xed000006, 8, 16 << 8}, {0xed00007c, 4<<23 | 1<<17, 2},
		{0xed000006, 4<<23 | 1<<17 | 2<<20, 2}}},
	"VBUFFER": {128, 14, [][]uint32{{0xc400007c, 4 | 8<<9 | 1<<30, 2 | 16<<8}, {0xc4000006, 4 | 8<<9 | 3<<30, 2},
		{0xc400007c, 4 | 8<<9 | 1<<20 | 2<<18, 0}, {0xc400007d, 4 | 8<<9 | 1<<31 | 3<<18 | 3<<20, 2}}},
}

// TestRDNA4OpcodesAgreeWithLLVM disassembles each opcode of each format of gfx12. Instructions that are not emulated must be
// errors that name them.
func TestRDNA4OpcodesAgreeWithLLVM(t *testing.T) {
	thorough.Slow(t)
	mc, err := exec.LookPath("llvm-mc-19")
	if err != nil {
		t.Skip("llvm-mc-19 is not installed")
	}
	var list [][]uint32
	var formats []string
	var in strings.Builder
	for name, f := range rdna4Forms {
		for code := range f.codes {
			for _, form := range f.forms {
				if name == "VOP3" && form[0]&0x7f00 == 0x0a00 && !vop3b[int(code)] {
					continue // these bits are a register of some instructions, and modifiers of others
				}
				words := append([]uint32{form[0] | code<<f.at}, form[1:]...)
				list, formats = append(list, words), append(formats, name)
				in.WriteString(hexBytes(words) + "\n")
			}
		}
	}
	cmd := exec.Command(mc, "-arch=amdgcn", "-mcpu=gfx1200", "-mattr=+wavefrontsize32", "--disassemble", "-show-encoding")
	cmd.Stdin = strings.NewReader(in.String())
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run() // it fails because some words are no instructions
	llvm := map[string]string{}
	for line := range strings.Lines(out.String()) {
		if m := encodingComment.FindStringSubmatch(line); m != nil {
			text, _, _ := strings.Cut(strings.TrimSpace(line), ";")
			llvm[m[1]] = normal(text)
		}
	}
	compared, refused := map[string]int{}, map[string]bool{}
	for i, words := range list {
		want, ok := llvm[hexBytes(words)]
		if !ok || strings.Contains(want, "/*Invalid") || strings.HasPrefix(want, "s_atc_probe") {
			continue
		}
		got := normal(rdna4Text(words))
		switch _, why, unknown := strings.Cut(got, " // "); {
		case unknown && strings.Contains(why, mnemonic(want)) && strings.Contains(why, "not emulated"):
			refused[mnemonic(want)] = true
		case unknown:
			t.Errorf("%s %08x: LLVM has %s: %s", formats[i], words, want, got)
		case got != want && !(mnemonic(got) == mnemonic(want) && otherOperands.MatchString(want)):
			t.Errorf("%s %08x: %s, LLVM has %s", formats[i], words, got, want)
		}
		compared[formats[i]]++
	}
	for name := range rdna4Forms {
		if compared[name] == 0 {
			t.Errorf("nothing of %s was compared", name)
		}
	}
	t.Logf("compared: %v; %d instructions are not emulated", compared, len(refused))
}

// otherOperands are instructions whose operands are not written as LLVM does, and 16 bits in halves of registers.
var otherOperands = regexp.MustCompile(`^(s_(sendmsg|version|setreg|getreg|call|barrier|set|endpgm|code|delay|denorm|` +
	`round|sleep|nop|trap|wait|icache|ttrace)|ds_swizzle|v_pipeflush|v_mov_b16)|op_sel`)

// rdna4Text disassembles one instruction of gfx12.
func rdna4Text(words []uint32) string {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	m := &Module{gfx12: true, code: code, text: codeobject.Span{Size: uint64(len(code))}}
	l := disassembly{d: decoder{m: m, t: m.opcodes(), fn: &function{end: uint64(len(code))}}}
	text := strings.TrimSpace(strings.TrimPrefix(l.text(), "L1:\n"))
	text, _, _ = strings.Cut(text, "\n")
	return text
}
