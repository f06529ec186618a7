package emulator

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
)

// forms are instructions whose text depends on more than their registers. Wide ones are for waves of 64.
var forms = []struct {
	wide  bool
	words []uint32
}{
	{false, []uint32{0xe0507010, 0x03c20400}}, // buffer_load_b32: index and offset in registers, all cache bits
	{false, []uint32{0xe0502010, 0x7c420400}}, // no scalar offset
	{false, []uint32{0xe0501010, 0x7d820400}}, // the scalar offset in m0
	{false, []uint32{0xe0500fff, 0xf2020400}}, // a float as the scalar offset
	{false, []uint32{0xe0d04000, 0xc1020400}}, // buffer_atomic_cmpswap_b32 that returns
	{false, []uint32{0xe0680004, 0x80420403}}, // buffer_store_b32
	{false, []uint32{0xf4240002, 0x12000000}}, // s_buffer_load_b64 with a register
	{false, []uint32{0xf4240002, 0x12000010}}, // and an offset
	{false, []uint32{0xf4240002, 0xf8000010}}, // and an offset alone
	{false, []uint32{0xcc426008, 0x1c7a290a}}, // v_wmma_f16_16x16x16_f16 with op_sel
	{false, []uint32{0xcc424008, 0x1bca290a}}, // C is 1.0
	{false, []uint32{0xcc414008, 0x1bca290a}},
	{false, []uint32{0xcc404208, 0xbc22290a}}, // negated matrices
	{false, []uint32{0xcc44c008, 0x3c22290a}}, // v_wmma_i32_16x16x16_iu8 that clamps
	{false, []uint32{0xcc454008, 0x7a16290a}}, // v_wmma_i32_16x16x16_iu4 of signed integers, C is 5
	{true, []uint32{0xcc426008, 0x1c7a290a}},
	{true, []uint32{0xcc44c008, 0x3c22290a}},
	{false, []uint32{0xcc16c000, 0x7c0e0501}}, // v_dot4_i32_iu8 that clamps
	{false, []uint32{0xd8b80102, 0x08040201}}, // ds_storexchg_2addr_rtn_b32
	{false, []uint32{0xd9b80102, 0x08040201}}, // ds_storexchg_2addr_rtn_b64
	{false, []uint32{0xd8f80010, 0x08000000}}, // ds_append
	{false, []uint32{0xd8500000, 0}},          // ds_nop
}

// TestFormsAgreeWithLLVM compares the texts of forms, and of a sample of each row that buffers or shared memory have, with
// those of LLVM.
func TestFormsAgreeWithLLVM(t *testing.T) {
	thorough.Slow(t)
	mc, err := exec.LookPath("llvm-mc-19")
	if err != nil {
		t.Skip("llvm-mc-19 is not installed")
	}
	for _, wide := range []bool{false, true} {
		var list [][]uint32
		for _, f := range forms {
			if f.wide == wide {
				list = append(list, f.words)
			}
		}
		for _, s := range samples() {
			if strings.Contains(s.name, "buffer_") || strings.HasPrefix(s.name, "ds_") && s.name != "ds_swizzle_b32" {
				list = append(list, s.words)
			}
		}
		if len(list) < 100 {
			t.Fatalf("%d instructions only", len(list))
		}
		var in strings.Builder
		for _, words := range list {
			in.WriteString(hexBytes(words) + "\n")
		}
		size := map[bool]string{false: "32", true: "64"}[wide]
		cmd := exec.Command(mc, "-arch=amdgcn", "-mcpu=gfx1100", "-mattr=+wavefrontsize"+size, "--disassemble")
		cmd.Stdin = strings.NewReader(in.String())
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Run(); err != nil {
			t.Skipf("%s: %v", mc, err)
		}
		var want []string
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "\t") && !strings.Contains(line, ".text") {
				want = append(want, normal(line))
			}
		}
		if len(want) != len(list) {
			t.Fatalf("LLVM knows %d of %d instructions", len(want), len(list))
		}
		for i, words := range list {
			if got := normal(textOf(words, wide)); got != want[i] {
				t.Errorf("%08x: %s, LLVM has %s", words, got, want[i])
			}
		}
	}
}

// textOf disassembles one instruction.
func textOf(words []uint32, wide bool) string {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	m := &Module{code: code, text: codeobject.Span{Size: uint64(len(code))}}
	l := disassembly{d: decoder{m: m, t: m.opcodes(), mode: mode{wide: wide}, fn: &function{end: uint64(len(code))}}}
	return l.text()
}
