package emulator

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/asm"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx12"
)

// Disassemble writes the instructions of a kernel of a code object for gfx1100 or gfx942 as LLVM's assembler takes
// them, one on a line, with labels where branches lead. An instruction that the emulator does not know is written as
// its words.
func Disassemble(object []byte, kernel string) (string, error) {
	if only, err := codeobject.Unbundle(object, ""); err == nil {
		object = only
	} else if object, err = codeobject.Unbundle(object, GFX1100); err != nil {
		return "", loadError(err)
	}
	o, err := codeobject.Read(object, "", imageLimit)
	if err != nil {
		return "", loadError(err)
	}
	m := newModule(o)
	k, err := m.Kernel(kernel)
	if err != nil {
		return "", err
	}
	name, entry, end := m.extent(k.entry)
	listing := disassembly{d: decoder{m: m, t: m.opcodes(), mode: k.mode(),
		fn: &function{name: name, entry: entry, end: min(end, uint64(len(m.code)))}}}
	return listing.text(), nil
}

// disassembly writes a function with the decoder, including the waits and hints that the decoder drops.
type disassembly struct {
	d      decoder
	lines  []disassembled
	labels []uint64 // where branches lead
}

type disassembled struct {
	at     uint64
	text   string
	target uint64 // of a branch; 0 for others
}

func (l *disassembly) text() string {
	d := &l.d
	d.consts, d.wideConsts = map[uint64]*lanes{}, map[uint64]*wide{}
	for d.pc = d.fn.entry; d.pc+4 <= d.fn.end; d.pc = d.next {
		l.one()
	}
	slices.Sort(l.labels)
	l.labels = slices.Compact(l.labels)
	var b strings.Builder
	for _, x := range l.lines {
		if i, ok := slices.BinarySearch(l.labels, x.at); ok {
			fmt.Fprintf(&b, "L%d:\n", i+1)
		}
		b.WriteString("  " + x.text)
		if x.target != 0 {
			i, _ := slices.BinarySearch(l.labels, x.target)
			fmt.Fprintf(&b, " L%d", i+1)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// one decodes and writes the instruction at d.pc.
func (l *disassembly) one() {
	d := &l.d
	d.next, d.hasLiteral = d.pc, false
	in := inst{d: sSink, d2: sSink, sbase: sNull}
	first := binary.LittleEndian.Uint32(d.m.code[d.pc:])
	branches := len(d.branches)
	known, line := false, disassembled{at: d.pc}
	if d.m.gfx9 {
		l.one9(first)
		return
	}
	func() {
		defer func() {
			if r := recover(); r != nil {
				u, ok := r.(unsupported)
				if !ok {
					panic(r)
				}
				line.text = fmt.Sprintf(".long 0x%08x // %s", first, u.why)
				d.next = max(d.next, d.pc+4)
			}
		}()
		known = d.decode(&in)
		if !known {
			line.text = d.hint(first)
		}
	}()
	if known {
		in.wide = d.wide
		last := binary.LittleEndian.Uint32(d.m.code[d.next-4:])
		if d.m.gfx12 {
			line.text = d.assembly12(&in, first, last)
		} else {
			line.text = in.assembly(first, last)
		}
		if len(d.branches) > branches {
			line.target = d.branches[branches].target
			l.labels = append(l.labels, line.target)
		}
	}
	l.lines = append(l.lines, line)
}

// one9 is one for the instructions of gfx942.
func (l *disassembly) one9(first uint32) {
	d := &l.d
	line := disassembled{at: d.pc}
	x, err := d.read9()
	if err != nil {
		line.text = fmt.Sprintf(".long 0x%08x // %v", first, err)
		d.next += 4
	} else {
		line.text = x.Text()
		d.next += uint64(4 * x.Size)
		if strings.Contains(x.Name, "branch") || x.Name == "s_call_b64" {
			line.target = uint64(int64(d.next) + 4*x.Imm)
			l.labels = append(l.labels, line.target)
		}
	}
	l.lines = append(l.lines, line)
}

// hint writes an instruction without effect on the emulated GPU.
func (d *decoder) hint(w uint32) string {
	imm := w & 0xffff
	switch {
	case d.m.gfx12 && (gfx12.IsAccess(w) || w>>26 == 0x3d):
		return d.hint12(w)
	case w>>23 == 0x17f:
		row := d.t.sopp[w>>16&0x7f]
		switch row.name {
		case "s_waitcnt":
			return row.name + asm.Waits(imm)
		case "s_sendmsg":
			if imm == 3 {
				return "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)"
			}
		case "s_nop":
			return fmt.Sprintf("s_nop %d", imm)
		case "s_wait_idle", "s_wakeup", "s_icache_inv":
			return row.name
		case "s_delay_alu":
			return "s_delay_alu " + asm.Delays(imm)
		}
		return fmt.Sprintf("%s %#x", d.nameOf(row.name), imm)
	case w>>28 == 0xb:
		return fmt.Sprintf("%s %s, %#x", d.t.sopk[w>>23&0x1f].name, asm.Scalar(w>>16&0x7f, 1), imm)
	case w>>26 == 0x36:
		return "ds_nop"
	case w>>26 == 0x3d:
		return map[uint32]string{32: "s_gl1_inv", 33: "s_dcache_inv"}[w>>18&0xff]
	}
	return map[uint32]string{43: "buffer_gl0_inv", 44: "buffer_gl1_inv"}[w>>18&0xff]
}

func vectorName(n uint16, count int) string { return asm.Registers("v", uint32(n), count) }

// words is how many registers a value of a type takes.
func (k kind) words() int {
	switch {
	case k.is64():
		return 2
	case k == kindQuad:
		return 4
	}
	return 1
}

// text writes a source operand.
func (o *operand) text() string {
	p := o.place
	if p == placeModified {
		p = o.base
	}
	text := ""
	switch p {
	case placeVGPR, placeDPP:
		text = vectorName(o.reg, o.typ.words())
	case placeSGPR:
		text = asm.Scalar(uint32(o.reg), o.typ.words())
	case placeSCC:
		text = "src_scc"
	case placeVCCZ:
		text = "src_vccz"
	case placeEXECZ:
		text = "src_execz"
	case placeConst:
		text = constantText(o.val, o.typ)
	}
	if o.place != placeModified || o.typ == kindPF16 || o.typ == kindPI16 {
		return text
	}
	if o.mods&modHigh != 0 {
		text += ".h"
	}
	if o.mods&modAbs != 0 {
		text = "|" + text + "|"
	}
	if o.mods&modNeg != 0 {
		text = "-" + text
	}
	return text
}

// constantText writes a constant as the assembler takes it: small whole numbers, a few floats, and anything else in
// hex.
func constantText(v uint64, t kind) string {
	switch v {
	case sharedAperture:
		return "src_shared_base"
	case sharedAperture | 0xffffffff:
		return "src_shared_limit"
	case privateAperture:
		return "src_private_base"
	case privateAperture | 0xffffffff:
		return "src_private_limit"
	}
	whole := int64(int32(v))
	if t.is64() {
		whole = int64(v)
	}
	if whole >= -16 && whole <= 64 {
		return fmt.Sprint(whole)
	}
	for _, f := range floatConsts {
		if v == floatConst(f, t) {
			switch {
			case f == floatConsts[8]:
				return "0.15915494"
			case f == math.Trunc(f):
				return fmt.Sprintf("%.1f", f)
			}
			return fmt.Sprint(f)
		}
	}
	if t == kindF64 && v<<32 == 0 {
		v >>= 32
	}
	switch {
	case t.is64():
		return fmt.Sprintf("%#x", v)
	case t.is16():
		return fmt.Sprintf("%#x", uint16(v))
	}
	return fmt.Sprintf("%#x", uint32(v))
}
