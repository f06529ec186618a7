package emulator

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
)

// sample is an encoded instruction and what the tables say about it.
type sample struct {
	name  string
	words []uint32
	sig   string // of vector instructions: operands are compared, too
}

func v(n uint32) uint32 { return 256 | n }

// onlyShort has the instructions without a VOP3 encoding, or with one that needs a feature LLVM has switched off.
var onlyShort = map[string]bool{"v_swap_b32": true, "v_swaprel_b32": true, "v_readfirstlane_b32": true, "v_permlane64_b32": true, "v_mov_b16": true,
	"v_pk_fmac_f16": true, "v_dot2acc_f32_f16": true}

// samples encodes one instruction for every row of every table.
func samples() []sample {
	var list []sample
	add := func(name, sig string, words ...uint32) { list = append(list, sample{name, words, sig}) }
	for _, r := range sop1 {
		dst, src := uint32(4), uint32(2)
		if strings.HasPrefix(r.sig, "=") {
			dst = 0
		}
		if strings.HasSuffix(r.sig, "=") {
			src = map[bool]uint32{true: 128, false: 0}[strings.HasPrefix(r.name, "s_sendmsg")]
		}
		add(r.name, "", 0xbe800000|dst<<16|uint32(r.op)<<8|src)
	}
	for _, r := range sop2 {
		add(r.name, "", 0x80000000|uint32(r.op)<<23|6<<16|4<<8|2)
	}
	for _, r := range sopc {
		add(r.name, "", 0xbf000000|uint32(r.op)<<16|4<<8|2)
	}
	for _, r := range sopk {
		reg := uint32(4)
		if r.name == "s_version" {
			reg = 0
		}
		add(r.name, "", 0xb0000000|uint32(r.op)<<23|reg<<16|1)
	}
	for _, r := range sopp {
		add(r.name, "", 0xbf800000|uint32(r.op)<<16)
	}
	for op, name := range []string{"s_load_b32", "s_load_b64", "s_load_b128", "s_load_b256", "s_load_b512"} {
		add(name, "", 0xf4000000|uint32(op)<<18|8<<6|1, 0xf8000010)
	}
	for op, name := range []string{"s_buffer_load_b32", "s_buffer_load_b64", "s_buffer_load_b128", "s_buffer_load_b256", "s_buffer_load_b512"} {
		add(name, "", 0xf4000000|uint32(op+8)<<18|8<<6|2, 0xf8000010)
	}
	long := func(r vop, op uint32) {
		w0 := 0xd4000000 | op<<16 | 8
		src := [3]uint32{v(2), v(4), v(6)}
		_, right, _ := strings.Cut(r.sig, "=")
		for i, k := range right {
			if kind(k) == kindMask || strings.HasPrefix(r.name, "v_permlane") && i > 0 || strings.HasSuffix(r.name, "lane_b32") && (i > 0 || r.op == 865) {
				src[i] = 10
			}
			if kind(k) == kindDest {
				src[i] = 0
			}
		}
		for i := len(right); i < 3; i++ {
			src[i] = 0
		}
		if vop3b[int(op)] {
			w0 |= sVCC << 8
		}
		add(r.name, r.sig, w0, src[0]|src[1]<<9|src[2]<<18)
	}
	for _, r := range vop1 {
		if r.sig == "u=" {
			add(r.name, "", 0x7e000000|uint32(r.op)<<9)
			continue
		}
		add(r.name, "", 0x7e000000|4<<17|uint32(r.op)<<9|v(2))
		if !onlyShort[r.name] {
			long(r, 384+uint32(r.op))
		}
	}
	for _, r := range vop2 {
		w := []uint32{uint32(r.op)<<25 | 4<<17 | 6<<9 | v(2)}
		if strings.Contains(r.sig, "K") {
			w = append(w, 0x1234)
		}
		add(r.name, "", w...)
		if !strings.Contains(r.sig, "K") && !onlyShort[r.name] {
			long(r, 256+uint32(r.op))
		}
	}
	for _, r := range vop3 {
		long(r, uint32(r.op))
	}
	for _, r := range vopc {
		add(r.name, "", 0x7c000000|uint32(r.op)<<17|6<<9|v(2))
		add(r.name, r.sig, 0xd4000000|uint32(r.op)<<16|map[bool]uint32{true: 10, false: sExec}[r.op < 128], v(2)|v(4)<<9)
	}
	for _, r := range vop3p {
		third := uint32(0)
		if _, right, _ := strings.Cut(r.sig, "="); len(right) == 3 {
			third = v(30) << 18
		}
		add(r.name, "", 0xcc000000|uint32(r.op)<<16|8|1<<14, v(10)|v(20)<<9|third|3<<27)
	}
	for op, r := range opcodes11.flat {
		if r == nil {
			continue
		}
		add("buffer_"+r.name, "", 0xe0000000|uint32(op)<<18, 128<<24|2<<16|4<<8)
		for seg, prefix := range []string{"flat_", "scratch_", "global_"} {
			if seg == 1 && strings.HasPrefix(r.name, "atomic") || seg == 0 && strings.Contains(r.name, "csub") {
				continue
			}
			registers := uint32(2 | 4<<8 | sNull<<16)
			if strings.HasPrefix(r.name, "load") {
				registers = 2 | sNull<<16 | 8<<24
			}
			if seg == 1 {
				registers |= 1 << 23 // the address register is in use
			}
			add(prefix+r.name, "", 0xdc000000|uint32(seg)<<16|uint32(op)<<18, registers)
		}
	}
	for op, r := range opcodes11.shared {
		if r != nil {
			// Registers that an instruction does not have must be 0.
			add(r.name, "", 0xd8000000|uint32(op)<<18|8, dsRegisters(r.name))
		}
	}
	for op, r := range opcodes11.pairs {
		add(r.name, "", 0xd8000000|op<<18|8, dsRegisters(r.name))
	}
	for op, r := range dsSpecial {
		w := dsRegisters(r.name)
		add(r.name, "", 0xd8000000|op<<18|8, w)
	}
	return list
}

func dsRegisters(name string) uint32 {
	w := uint32(1)
	if strings.Contains(name, "append") || strings.Contains(name, "consume") {
		return 8 << 24
	}
	if !strings.Contains(name, "load") && !strings.Contains(name, "swizzle") {
		w |= 2 << 8
	}
	if strings.Contains(name, "2addr") && strings.Contains(name, "store") || strings.Contains(name, "cmpstore") ||
		strings.Contains(name, "mskor") || strings.Contains(name, "wrap") {
		w |= 4 << 16
	}
	if strings.Contains(name, "load") || strings.Contains(name, "rtn") || strings.Contains(name, "perm") || strings.Contains(name, "swizzle") {
		w |= 8 << 24
	}
	return w
}

var (
	encodingComment = regexp.MustCompile(`\[([0-9a-fx,]+)\]\s*$`)
	wideRegister    = regexp.MustCompile(`^-?\|?[vs]\[\d+:\d+\]`)
)

// TestTablesAgreeWithLLVM has LLVM disassemble an instruction for every row and compares names and operand widths.
func TestTablesAgreeWithLLVM(t *testing.T) {
	mc, err := exec.LookPath("llvm-mc-19")
	if err != nil {
		if mc, err = exec.LookPath("llvm-mc"); err != nil {
			t.Skip("llvm-mc is not installed")
		}
	}
	list := samples()
	var in strings.Builder
	for _, s := range list {
		in.WriteString(hexBytes(s.words) + "\n")
	}
	cmd := exec.Command(mc, "-arch=amdgcn", "-mcpu=gfx1100", "-mattr=+wavefrontsize32", "--disassemble", "-show-encoding")
	cmd.Stdin = strings.NewReader(in.String())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		t.Skipf("llvm-mc does not run: %v: %s", err, errs.String())
	}
	text := map[string]string{}
	for line := range strings.Lines(out.String()) {
		if m := encodingComment.FindStringSubmatch(line); m != nil {
			text[m[1]], _, _ = strings.Cut(strings.TrimSpace(line), ";")
		}
	}
	for _, s := range list {
		got, ok := text[hexBytes(s.words)]
		if !ok {
			t.Errorf("%s: LLVM knows no instruction %08x", s.name, s.words)
			continue
		}
		mnemonic, operands, _ := strings.Cut(strings.TrimSpace(got), " ")
		mnemonic = strings.TrimSuffix(strings.TrimSuffix(mnemonic, "_e32"), "_e64")
		if mnemonic != s.name {
			t.Errorf("%08x is %s in the tables, %s in LLVM", s.words, s.name, mnemonic)
		}
		if s.sig != "" {
			checkWidths(t, s, operands)
		}
	}
	t.Logf("%d encodings compared", len(list))
}

// checkWidths compares which operands have 64 bits.
func checkWidths(t *testing.T, s sample, operands string) {
	t.Helper()
	left, right, _ := strings.Cut(s.sig, "=")
	want := []bool{kind(left[0]).words() > 1}
	if vop3b[int(s.words[0]>>16&0x3ff)] {
		want = append(want, false)
	}
	if strings.HasPrefix(s.name, "v_cmpx") {
		want = nil
	}
	for _, k := range right {
		if kind(k) != kindDest {
			want = append(want, kind(k).words() > 1)
		}
	}
	fields := strings.Split(operands, ", ")
	if len(fields) != len(want) {
		t.Errorf("%s has %d operands in the tables; LLVM: %s", s.name, len(want), operands)
		return
	}
	for i, f := range fields {
		if wideRegister.MatchString(strings.TrimSpace(f)) != want[i] {
			t.Errorf("%s: operand %d has 64 bits: %v; LLVM: %s", s.name, i, want[i], operands)
		}
	}
}

func hexBytes(words []uint32) string {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	parts := make([]string, len(b))
	for i, c := range b {
		parts[i] = fmt.Sprintf("0x%02x", c)
	}
	return strings.Join(parts, ",")
}

// decodeWords decodes instructions that stand alone in a module.
func decodeWords(words ...uint32) (*function, error) {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	m := &Module{gfx12: testArch == GFX1200, code: code, text: codeobject.Span{Addr: 0, Size: uint64(len(code))}}
	return m.decodeFunction("test", 0, uint64(len(code)), mode{})
}

func TestEveryRowDecodes(t *testing.T) {
	for _, s := range samples() {
		if s.name == "s_call_b64" || strings.HasPrefix(s.name, "s_cbranch") || s.name == "s_branch" {
			continue
		}
		if _, err := decodeWords(s.words...); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

func TestUnknownEncodings(t *testing.T) {
	for _, words := range [][]uint32{
		{0xbe80ff00 | 200<<8},      // SOP1
		{0xd4000000 | 1000<<16, 0}, // VOP3
		{0xcc000000 | 127<<16, 0},  // VOP3P
		{0xd8000000 | 250<<18, 0},  // DS
		{0xdc020000 | 3<<18, 0},    // GLOBAL
		{0xe0000000 | 0<<18, 0},    // MUBUF load with a format
		{0xf0000000, 0},            // MIMG
		{0x7e000000 | 29<<9},       // VOP1
		{0xd4000000 | 531<<16},     // cut off
		{0xbfa00010},               // branch to nowhere
	} {
		_, err := decodeWords(append([]uint32{0xbf800000}, words...)...)
		fails(t, err, CodeLaunchFailure, "test", "+0x4", fmt.Sprintf("%08x", words[0]))
	}
}
