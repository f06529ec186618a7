package gfx9

import "fmt"

// Format is an encoding.
type Format uint8

// The encodings. GLOBAL and SCRATCH are segments of FLAT, MAI is the part of VOP3P for matrix cores.
const (
	SOP1 Format = iota
	SOP2
	SOPC
	SOPK
	SOPP
	SMEM
	VOP1
	VOP2
	VOPC
	VOP3
	VOP3P
	MAI
	DS
	FLAT
	GLOBAL
	SCRATCH
	MUBUF
)

// Row is a row of an opcode table.
type Row struct {
	Code int
	// Name is LLVM's, without the suffix of the encoding; of FLAT, SCRATCH, GLOBAL and MUBUF it is the part behind the
	// prefix, which these share.
	Name string
	// Sig has a letter for the destination, an equals sign, and a letter for each source: the kinds of operands of
	// package emulator. Rows of memory and of matrices have none.
	Sig string
	// As is the name that gfx11 has for the same instruction, where it has another one.
	As    string
	Words int // memory: registers of data; 0 is a part of one
}

// Operand is a register or constant, as sources encode it in nine bits: scalars and constants, and from VGPR on vector
// registers; from AGPR on accumulation registers.
type Operand uint16

// Operands that decoders meet.
const (
	FlatScratch Operand = 102
	XnackMask   Operand = 104
	VCC         Operand = 106
	Trap        Operand = 108 // ttmp0
	M0          Operand = 124
	Exec        Operand = 126
	Zero        Operand = 128
	SharedBase  Operand = 235
	selectBytes Operand = 249 // source 0 of VOP1, VOP2 and VOPC: SDWA follows
	moveLanes   Operand = 250 // DPP follows
	VCCZ        Operand = 251
	ExecZ       Operand = 252
	SCC         Operand = 253
	LDSDirect   Operand = 254
	Literal     Operand = 255
	VGPR        Operand = 256
	AGPR        Operand = 512
	None        Operand = 1 << 15 // no register
)

// IsVector reports whether an operand is a vector register of either kind.
func (o Operand) IsVector() bool { return o >= VGPR && o != None }

// Selects are the parts of registers that SDWA names.
const (
	Byte0 = iota
	Byte1
	Byte2
	Byte3
	Word0
	Word1
	Dword
)

// What SDWA does with the bits that it does not write.
const (
	UnusedPad = iota
	UnusedSext
	UnusedPreserve
)

// SDWA is what sub-dword addressing says. Abs and Neg are in the instruction.
type SDWA struct {
	Dst, Unused uint8
	Src         [2]uint8
	Sext        [2]bool
}

// DPP says where lanes get source 0 from.
type DPP struct {
	Ctrl, Rows, Banks uint32
	Bound             bool // lanes without a source read 0
}

// Inst is a decoded instruction.
type Inst struct {
	Format Format
	*Row
	Size     int     // words: 1 or 2
	Dst      Operand // None without one
	Carry    Operand // second destination: a mask
	Src      [3]Operand
	N        int    // sources
	Literal  uint32 // of operands that are Literal, and of kind K
	Imm      int64  // constant of SOPK and SOPP, offset of memory
	Abs, Neg uint32 // a bit for each source
	Sel      uint32 // op_sel; bit 3 is the destination's
	SelHi    uint32 // packed: op_sel_hi
	NegHi    uint32 // packed
	Omod     uint8
	Clamp    bool
	SDWA     *SDWA
	DPP      *DPP

	// Memory. Sources are registers of addresses.
	Base          Operand // scalar register added to the address, or None; the descriptor of MUBUF
	Address       Operand // vector register, or None
	Data, Data2   Operand
	SC0, SC1, NT  bool
	Offset0       int64 // of the first of two accesses; Imm is the whole
	Offset1       int64
	Index, Offset bool // MUBUF: the address has them
	LDS           bool // MUBUF: to shared memory

	// Matrices.
	Cbsz, Abid, Blgp uint32
	Matrix           *MFMA
}

// Returns reports whether an atomic instruction returns the old value.
func (in *Inst) Returns() bool { return in.SC0 && in.Dst != None }

// Error says why words are no instruction that is known.
type Error struct{ Why string }

func (e *Error) Error() string { return e.Why }

func unknown(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }
