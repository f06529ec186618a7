package emulator

import "strings"

// The opcode tables as the decoder looks them up. They are filled by init because rows refer to code that decodes.
var (
	sop1Table, sop2Table, sopcTable, sopkTable, soppTable  []*sop
	vop1Table, vop2Table, vopcTable, vop3Table, vop3pTable []*vop

	flatTable       []*access
	sharedTable     []*sharedRow
	sharedPairTable map[uint32]*sharedPair
)

func init() {
	accelerate()
	sop1Table = index(sop1, 256)
	sop2Table = index(sop2, 128)
	sopcTable = index(sopc, 128)
	sopkTable = index(sopk, 32)
	soppTable = index(sopp, 128)
	for _, row := range sopp {
		isOther[row.name] = true
	}
	vop1Table = indexVector(vop1, 256)
	vop2Table = indexVector(vop2, 64)
	vopcTable = indexVector(vopc, 256)
	vop3Table = indexVector(vop3, 1024)
	vop3p = append(vop3p, wmma(1)...)
	vop3pTable = indexVector(vop3p, 128)
	for op, row := range map[uint32]sharedSpecial{61: {"ds_consume", countLanes(-1)}, 62: {"ds_append", countLanes(1)}} {
		dsSpecial[op], acrossHalves[row.name] = row, row.fn
	}
	for _, row := range wmma(2) {
		acrossHalves[row.name] = row.fn.(execFn)
	}
	flatTable = indexAccess()
	sharedTable = indexShared()
	sharedPairTable = indexPairs()
	nameRows()
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
	t[52] = &sharedRow{access{52, "ds_wrap_rtn_b32", 4, modifyTwice32(wrap32)}, true}
	t[121] = &sharedRow{access{121, "ds_add_rtn_f32", 4, modify32(addAtF32)}, true}
	t[126] = &sharedRow{access{126, "ds_condxchg32_rtn_b64", 8, modify64(exchangeMarked)}, true}
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
