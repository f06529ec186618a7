package emulator

import (
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/number"
)

// opcodes are the tables of a family of GPUs as the decoder looks them up. They are filled by init because rows refer to
// code that decodes.
type opcodes struct {
	sop1, sop2, sopc, sopk, sopp  []*sop
	vop1, vop2, vopc, vop3, vop3p []*vop

	flat   []*access
	shared []*sharedRow
	pairs  map[uint32]*sharedPair
	lanes  map[uint32]sharedSpecial
}

var opcodes11, opcodes12 opcodes

func init() {
	accelerate()
	vop3p = append(vop3p, wmma(1)...)
	for op, row := range map[uint32]sharedSpecial{61: {"ds_consume", countLanes(-1)}, 62: {"ds_append", countLanes(1)}} {
		dsSpecial[op], acrossHalves[row.name] = row, row.fn
	}
	for _, row := range wmma(2) {
		acrossHalves[row.name] = row.fn.(execFn)
	}
	opcodes11 = opcodes{
		sop1: index(sop1, 256), sop2: index(sop2, 128), sopc: index(sopc, 128), sopk: index(sopk, 32), sopp: index(sopp, 128),
		vop1: indexVector(vop1, 256), vop2: indexVector(vop2, 64), vopc: indexVector(vopc, 256), vop3: indexVector(vop3, 1024),
		vop3p: indexVector(vop3p, 128),
		flat:  indexAccess(), shared: indexShared(), pairs: indexPairs(), lanes: dsSpecial,
	}
	nameRows()
	opcodes12 = opcodes11.changed()
	for _, table := range [][]*sop{opcodes11.sopp, opcodes12.sopp} {
		for _, row := range table {
			if row != nil {
				class.SetOther(row.name)
			}
		}
	}
}

func index(rows []sop, n int) []*sop {
	t := make([]*sop, n)
	for i := range rows {
		t[rows[i].op] = &rows[i]
	}
	return t
}

func indexVector(rows []vop, n int) []*vop {
	t := make([]*vop, n)
	for i := range rows {
		rows[i].prepare()
		t[rows[i].op] = &rows[i]
	}
	return t
}

func indexAccess() []*access {
	t := make([]*access, 128)
	for _, rows := range [][]access{moves, globalAtomics} {
		for i := range rows {
			t[rows[i].op] = &rows[i]
		}
	}
	return t
}

// sharedRow is an access of DS; returns is set for atomics that return the old value.
type sharedRow struct {
	access
	returns bool
}

func indexShared() []*sharedRow {
	t := make([]*sharedRow, 256)
	for _, row := range shared {
		t[row.op] = &sharedRow{row, false}
	}
	for _, row := range sharedAtomics {
		plain, returning := row, row
		plain.name = "ds_" + row.name
		cut := strings.LastIndexByte(row.name, '_')
		returning.name = "ds_" + row.name[:cut] + "_rtn" + row.name[cut:]
		if t[row.op] == nil {
			t[row.op] = &sharedRow{plain, false}
		}
		t[row.op+32] = &sharedRow{returning, true}
	}
	t[21] = &sharedRow{access{21, "ds_add_f32", 4, modify32(addAtF32)}, false}
	t[52] = &sharedRow{access{52, "ds_wrap_rtn_b32", 4, modifyTwice32(number.Wrap)}, true}
	t[121] = &sharedRow{access{121, "ds_add_rtn_f32", 4, modify32(addAtF32)}, true}
	t[126] = &sharedRow{access{126, "ds_condxchg32_rtn_b64", 8, modify64(number.ExchangeMarked)}, true}
	return t
}

// sharedPair is a row of sharedPairs.
type sharedPair struct {
	op     int
	name   string
	store  bool
	stride uint32 // bytes per unit of the offsets
	access access
}

func indexPairs() map[uint32]*sharedPair {
	t := map[uint32]*sharedPair{}
	for i := range sharedPairs {
		t[uint32(sharedPairs[i].op)] = &sharedPairs[i]
	}
	return t
}
