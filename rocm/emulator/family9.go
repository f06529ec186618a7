package emulator

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx9"
)

// The second family of GPUs: gfx942. Package gfx9 reads its instructions; here they become the records that gfx1100's
// do, with the functions of gfx1100's instructions of the same meaning, which tables have by name. Waves have 64 lanes,
// so that halves.go executes all vector instructions.

// Vector registers of gfx942 behind those that both families have.
const (
	accumulators = 256 + 32                 // the first of the accumulation registers, which v_accvgpr and matrices use
	selected     = accumulators + 256 + 32  // two sources and the result of an instruction with SDWA
	allVectors   = selected + sdwaRegisters // registers of a lane
)

// named are the rows of the opcode tables by the names of their instructions.
var named struct {
	scalar map[string]*sop
	vector map[string]*vop
	flat   map[string]*access
	shared map[string]*sharedRow
	pairs  map[string]*sharedPair
	lanes  map[string]sharedSpecial
}

// nameRows fills named, when the tables are complete.
func nameRows() {
	n, t := &named, &opcodes11
	scalars, vectors := rows12()
	n.scalar = byName(func(row *sop) string { return row.name },
		t.sop1, t.sop2, t.sopc, t.sopk, t.sopp, pointers(scalar9), pointers(scalars))
	n.vector = byName(func(row *vop) string { return row.name }, t.vop1, t.vop2, t.vopc, t.vop3, t.vop3p,
		indexVector(vector9, len(vector9)), indexVector(vectors, len(vectors)))
	n.flat = byName(func(row *access) string { return row.name }, t.flat, pointers(atomics9), pointers(atomics12))
	n.shared = byName(func(row *sharedRow) string { return row.name }, t.shared)
	for _, row := range slices.Concat(sharedAtomics9, sharedAtomics12) {
		n.shared[row.name] = &sharedRow{row, strings.Contains(row.name, "_rtn_")}
	}
	n.pairs, n.lanes = map[string]*sharedPair{}, map[string]sharedSpecial{}
	for _, row := range t.pairs {
		n.pairs[row.name] = row
	}
	for _, row := range dsSpecial {
		n.lanes[row.name] = row
	}
}

// byName has the rows of tables by their names.
func byName[T any](name func(*T) string, tables ...[]*T) map[string]*T {
	m := map[string]*T{}
	for _, row := range slices.Concat(tables...) {
		if row != nil {
			m[name(row)] = row
		}
	}
	return m
}

func pointers[T any](list []T) (to []*T) {
	for i := range list {
		to = append(to, &list[i])
	}
	return to
}

// code9 is the number of an operand as gfx1100 encodes it, with the accumulation registers behind all others.
func code9(o gfx9.Operand) uint32 {
	switch {
	case o == gfx9.M0:
		return sM0
	case o == gfx9.None:
		return sNull
	case o >= gfx9.AGPR:
		return 256 + accumulators + uint32(o-gfx9.AGPR)
	}
	return uint32(o)
}

// vector9 is a vector register.
func register9(o gfx9.Operand) uint16 { return uint16(code9(o) - 256) }

// read9 reads the next instruction.
func (d *decoder) read9() (gfx9.Inst, error) {
	var words []uint32
	for a := d.next; a < d.next+8 && a+4 <= d.fn.end; a += 4 {
		words = append(words, binary.LittleEndian.Uint32(d.m.code[a:]))
	}
	return gfx9.Decode(words)
}

// decode9 decodes an instruction of gfx942 to in. False means that it has no effect here.
func (d *decoder) decode9(in *inst) bool {
	x, err := d.read9()
	if err != nil {
		d.reject("%v", err)
	}
	d.next += uint64(4 * x.Size)
	d.literal, d.hasLiteral = x.Literal, true
	name := x.As
	if name == "" {
		name = x.Name
	}
	switch x.Format {
	case gfx9.SOP1, gfx9.SOP2, gfx9.SOPC:
		return d.scalar(in, d.scalarRow9(name), 0, code9(x.Src[0]), code9(x.Src[1]), code9(x.Dst))
	case gfx9.SOPK:
		return d.sopk9(in, &x)
	case gfx9.SOPP:
		return d.sopp9(in, &x)
	case gfx9.SMEM:
		return d.smem9(in, &x, name)
	case gfx9.MAI:
		return d.matrix9(in, &x)
	case gfx9.DS:
		return d.ds9(in, &x, name)
	case gfx9.FLAT, gfx9.GLOBAL, gfx9.SCRATCH:
		return d.flat9(in, &x, name)
	case gfx9.MUBUF:
		return d.mubuf9(in, &x, name)
	}
	row := named.vector[name]
	if row == nil {
		d.reject("%s is not emulated", x.Name)
	}
	if x.Format == gfx9.VOP3P {
		return d.packed9(in, &x, row)
	}
	return d.vector9(in, &x, row)
}

func (d *decoder) scalarRow9(name string) *sop {
	row := named.scalar[name]
	if row == nil {
		d.reject("%s is not emulated", name)
	}
	return row
}

func (d *decoder) sopk9(in *inst, x *gfx9.Inst) bool {
	row := d.scalarRow9(x.Name)
	in.name, in.fn, in.off, in.d = row.name, row.fn, int64(uint16(x.Imm)), sSink
	if x.Dst != gfx9.None {
		in.d = scalarDest(code9(x.Dst))
	}
	if row.name == "s_call_b64" {
		in.off = int64(d.next) + 4*x.Imm
		return true
	}
	in.s[0] = d.source(code9(x.Src[0]), kindU32)
	k := uint64(uint32(x.Imm))
	if strings.HasSuffix(row.name, "u32") {
		k = uint64(uint16(x.Imm))
	}
	in.s[1] = d.constOperand(k, kindU32)
	return true
}

// waitsForStores reports whether s_waitcnt waits for all accesses to global memory.
func waitsForStores(imm int64) bool { return imm&15 == 0 && imm>>14&3 == 0 }

func (d *decoder) sopp9(in *inst, x *gfx9.Inst) bool {
	row := d.scalarRow9(x.Name)
	if row.fn == nil {
		d.orders = d.orders || row.name == "s_waitcnt" && waitsForStores(x.Imm)
		return false
	}
	in.name, in.fn, in.off = row.name, row.fn, int64(uint16(x.Imm))
	if fn := wideBranches[row.name]; fn != nil {
		in.fn = fn
	}
	if strings.Contains(row.name, "branch") {
		d.branches = append(d.branches, fixup{len(d.fn.code), uint64(int64(d.next) + 4*x.Imm)})
	}
	return true
}

func (d *decoder) smem9(in *inst, x *gfx9.Inst, name string) bool {
	in.d = scalarDest(code9(x.Dst))
	switch {
	case strings.HasPrefix(name, "s_dcache_inv"), strings.HasPrefix(name, "s_dcache_wb"):
		return false
	case name == "s_memtime", name == "s_memrealtime":
		in.name, in.fn = name, d.scalarRow9(name).fn
		return true
	case strings.HasPrefix(name, "s_load_"):
		in.fn = loadScalar
	case strings.HasPrefix(name, "s_buffer_load_"):
		in.fn = loadScalarBuffer
	default:
		d.reject("%s is not emulated", x.Name)
	}
	in.name, in.size, in.slot, in.off = name, uint32(4*x.Words), d.slot(), x.Imm
	in.s[0] = d.source(code9(x.Src[0]), kindU64)
	if in.s[0].place != placeSGPR {
		d.reject("%s from an address that is not in scalar registers", x.Name)
	}
	in.sbase = uint16(code9(x.Base))
	return true
}

func (d *decoder) ds9(in *inst, x *gfx9.Inst, name string) bool {
	if name == "ds_nop" {
		return false
	}
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: register9(x.Address)}
	in.data, in.data2, in.d, in.off = register9(x.Data), register9(x.Data2), register9(x.Dst), x.Imm
	if strings.Contains(name, "cmpstore") { // gfx1100 has the comparand behind the new value
		in.data, in.data2 = in.data2, in.data
	}
	if special, ok := named.lanes[name]; ok {
		in.name, in.fn, in.size = special.name, special.fn, 4
		return true
	}
	if p := named.pairs[name]; p != nil {
		d.sharedPair(in, p, uint32(x.Offset0), uint32(x.Offset1))
		return true
	}
	row := named.shared[name]
	if row == nil {
		d.reject("%s is not emulated", x.Name)
	}
	in.sharedAccess(row)
	return true
}

func (d *decoder) flat9(in *inst, x *gfx9.Inst, name string) bool {
	row := named.flat[name]
	if row == nil {
		d.reject("%s is not emulated", x.Name)
	}
	address := x.Address
	if address == gfx9.None {
		address = gfx9.VGPR
	}
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: register9(address)}
	in.data, in.d = register9(x.Data), register9(x.Dst)
	in.data2 = in.data + uint16(row.size/4)
	in.sbase, in.off = uint16(code9(x.Base)), x.Imm
	in.mem, in.size, in.slot = row.fn, row.size, d.slot()
	in.words, in.store = row.words()
	in.glc = x.SC0 || x.SC1 && strings.HasPrefix(name, "load") // a load past the caches
	switch x.Format {
	case gfx9.FLAT:
		in.name, in.fn = "flat_"+row.name, flatOp
	case gfx9.SCRATCH:
		in.name, in.fn, in.n = "scratch_"+row.name, scratchOp, uint8(b2u(x.Address != gfx9.None))
	default:
		in.name, in.fn = "global_"+row.name, globalOp
	}
	return true
}

func (d *decoder) mubuf9(in *inst, x *gfx9.Inst, name string) bool {
	switch {
	case name == "inv":
		d.inval |= invalidateL0
		if x.SC1 {
			d.inval |= invalidateL1
		}
		fallthrough
	case name == "wbl2":
		d.orders = true
		return false
	}
	row := named.flat[name]
	switch {
	case row == nil:
		d.reject("buffer_%s is not emulated", x.Name)
	case x.LDS:
		d.reject("buffer_%s to shared memory is not emulated", x.Name)
	case x.Src[0] == gfx9.Literal:
		d.reject("buffer_%s with an offset that is no register or small constant", x.Name)
	}
	in.s[0] = operand{place: placeVGPR, typ: kindU32, reg: register9(x.Address)}
	in.s[1] = operand{place: placeSGPR, reg: uint16(x.Base)}
	in.s[2] = d.source(code9(x.Src[0]), kindU32)
	in.n = uint8(b2u(x.Offset)*bufferOffset | b2u(x.Index)*bufferIndex)
	in.d, in.data = register9(x.Dst), register9(x.Dst)
	in.data2, in.off = in.data+uint16(row.size/4), x.Imm
	in.mem, in.size, in.slot = row.fn, row.size, d.slot()
	in.glc = x.SC0
	in.name, in.fn = "buffer_"+row.name, bufferOp
	return true
}
