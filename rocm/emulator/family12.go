package emulator

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx12"
)

// The third family of GPUs: gfx1200 and gfx1201. They have gfx1100's encodings but for accesses to memory, and most of
// its opcodes; package gfx12 lists the others, and reads those accesses.

// opcodes are the tables for a module's code.
func (m *Module) opcodes() *opcodes {
	if m.gfx12 {
		return &opcodes12
	}
	return &opcodes11
}

// absent is the signature of a scalar instruction that is not emulated; without a function, others have no effect.
const absent = "absent"

// changed returns gfx12's tables. t is gfx11's. A row without a function is an instruction that is not emulated.
func (t opcodes) changed() opcodes {
	for _, table := range []*[]*sop{&t.sop1, &t.sop2, &t.sopc, &t.sopk, &t.sopp} {
		*table = slices.Clone(*table)
	}
	for _, table := range []*[]*vop{&t.vop1, &t.vop2, &t.vopc, &t.vop3, &t.vop3p} {
		*table = slices.Clone(*table)
	}
	t.flat, t.shared, t.lanes = append(t.flat, make([]*access, 128)...), slices.Clone(t.shared), maps.Clone(t.lanes)
	n := &named
	for _, c := range gfx12.Changes {
		as := cmp.Or(c.As, c.Name)
		switch c.Format {
		case gfx12.SOP1, gfx12.SOP2, gfx12.SOPC, gfx12.SOPK, gfx12.SOPP:
			table := [][]*sop{t.sop1, t.sop2, t.sopc, t.sopk, t.sopp}[c.Format-gfx12.SOP1]
			table[c.Code] = known(n.scalar[as], c.Name, &sop{name: c.Name, sig: absent})
		case gfx12.Memory:
			t.flat[c.Code] = known(n.flat[as], c.Name, &access{name: c.Name})
		case gfx12.Shared:
			t.shared[c.Code] = known(n.shared[as], c.Name, &sharedRow{access: access{name: c.Name}})
		default:
			table := [][]*vop{t.vop1, t.vop2, t.vopc, t.vop3, t.vop3p}[c.Format-gfx12.VOP1]
			table[c.Code] = known(n.vector[as], c.Name, &vop{name: c.Name, sig: "u="})
		}
	}
	return t
}

// known is a row or, without one, a substitute for an instruction that there is.
func known[T any](row *T, name string, substitute *T) *T {
	if row == nil && name != "" {
		return substitute
	}
	return row
}

// smem12 decodes scalar loads; cache operations have no effect here.
func (d *decoder) smem12(in *inst, w uint32) bool {
	x, ok := gfx12.DecodeLoad(w, d.word())
	switch {
	case !ok:
		d.reject("unknown SMEM opcode %d", w>>13&0x3f)
	case x.Size == 0:
		return false
	case x.Size < 4:
		in.fn, in.high = loadScalarPart, x.Signed
	default:
		in.fn = loadScalar
	}
	in.name, in.size, in.slot, in.d = x.Name, x.Size, d.slot(), scalarDest(x.Dst)
	in.s[0] = d.source(x.Base, kindU64)
	if x.Buffer {
		if in.fn = loadScalarBuffer; in.s[0].place != placeSGPR || x.Size < 4 {
			d.reject("%s is not emulated, or its buffer resource is not in scalar registers", x.Name)
		}
	}
	in.sbase, in.off = uint16(x.Scalar), x.Offset
	return true
}

// access12 decodes VGLOBAL, VFLAT, VSCRATCH and VBUFFER.
func (d *decoder) access12(in *inst, w uint32) bool {
	x := gfx12.Decode(w, d.word(), d.word())
	row := d.t.flat[x.Code]
	switch {
	case row == nil:
		d.reject("unknown opcode %d of %s instructions", x.Code, strings.TrimSuffix(x.Segment.Prefix(), "_"))
	case row.name == "inv" && x.Segment == gfx12.Global:
		if x.Scope >= gfx12.ScopeSE {
			d.inval |= invalidateL0
		}
		if x.Scope >= gfx12.ScopeDevice {
			d.inval |= invalidateL1
		}
		fallthrough
	case strings.HasPrefix(row.name, "wb") && x.Segment == gfx12.Global:
		d.orders = true
		return false
	case row.fn == nil, x.Segment == gfx12.Scratch && x.Code > 37:
		d.reject("%s%s is not emulated", x.Segment.Prefix(), row.name)
	case x.Segment == gfx12.Flat && x.Scalar != sNull:
		d.reject("flat_%s with a scalar address", row.name)
	case x.TFE:
		d.reject("buffer_%s with tfe", row.name)
	}
	in.name = x.Segment.Prefix() + row.name
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: uint16(x.Address)}
	in.d, in.data, in.data2 = uint16(x.Dst), uint16(x.Data), uint16(x.Data+row.size/4)
	in.sbase, in.off, in.mem, in.size, in.slot = uint16(x.Scalar), x.Offset, row.fn, row.size, d.slot()
	in.words, in.store = row.words()
	in.glc = x.Scope >= gfx12.ScopeSE // a load past the caches
	if strings.HasPrefix(row.name, "atomic") {
		in.glc = x.Returns()
	}
	switch x.Segment {
	case gfx12.Buffer:
		in.s[1] = operand{place: placeSGPR, reg: uint16(x.Resource)}
		in.s[2] = d.source(x.Scalar, kindU32)
		in.n = uint8(b2u(x.InRegister)*bufferOffset | b2u(x.Index)*bufferIndex)
		in.fn, in.sbase = bufferOp, sNull
	case gfx12.Scratch:
		in.fn, in.n = scratchOp, uint8(b2u(x.HasAddress))
	case gfx12.Flat:
		in.fn = flatOp
	default:
		in.fn = globalOp
	}
	return true
}

// nameOf is LLVM's name of an instruction.
func (d *decoder) nameOf(name string) string {
	if d.m.gfx12 {
		return gfx12.Name(name)
	}
	return name
}

// access reads the memory instruction at d.pc.
func (d *decoder) access() gfx12.Access {
	w := d.m.code[d.pc:]
	le := binary.LittleEndian
	return gfx12.Decode(le.Uint32(w), le.Uint32(w[4:]), le.Uint32(w[8:]))
}

// assembly12 is assembly for the instructions of gfx12.
func (d *decoder) assembly12(in *inst, first, last uint32) string {
	text, after := "", ""
	switch {
	case gfx12.IsAccess(first):
		x := d.access()
		text, after = in.assembly(0, x.Scalar<<24), x.CacheText(d.t.flat[x.Code].name)
	case first>>26 == 0x3d && in.off == 0:
		if text = strings.TrimSuffix(in.assembly(first, last), "null"); in.sbase != sNull {
			text += " offset:"
		}
		text += "0x0"
	default:
		text = in.assembly(first, last)
	}
	halves := strings.Split(text, " :: ")
	for i, half := range halves {
		name, operands, _ := strings.Cut(half, " ")
		halves[i] = strings.TrimRight(gfx12.Name(name)+" "+operands, " ")
	}
	return strings.Join(halves, " :: ") + after
}

// hint12 writes an operation on caches.
func (d *decoder) hint12(w uint32) string {
	if gfx12.IsAccess(w) {
		x := d.access()
		return "global_" + d.t.flat[x.Code].name + x.CacheText("")
	}
	x, _ := gfx12.DecodeLoad(w, binary.LittleEndian.Uint32(d.m.code[d.pc+4:]))
	return x.Text()
}
