package emulator

import (
	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx9"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// lanes is a vector register, and wide a pair of them.
type (
	lanes = lane.Vector
	wide  = lane.Wide
)

const allLanes = 0xffffffff

// Numbers of scalar registers as operands encode them.
const (
	sVCC  = 106
	sTrap = 108 // ttmp0
	sNull = 124
	sM0   = 125
	sExec = 126
	// sSink is where writes to null go. Registers follow it because a write may span several.
	sSink     = 136
	sgprSlots = 160
	vgprSlots = allVectors // the 32 from the 256th on are slack for operands that span several
)

// execFn executes one instruction for a wave.
type execFn func(w *wave, in *inst)

// inst is a decoded instruction.
type inst struct {
	fn     execFn
	s      [3]operand
	d, d2  uint16 // destination register; second destination (carry out) of VOP3B
	data   uint16 // memory: first data register
	data2  uint16 // memory: second data register of DS
	n      uint8  // memory: registers; compare: predicate
	dst    kind   // type of the destination
	omod   uint8  // output multiplier: 1 is ×2, 2 is ×4, 3 is ÷2
	clamp  bool
	wide   bool // of a wave of 64
	high   bool // 16-bit result goes to the upper half
	glc    bool // atomics: return the old value
	sbase  uint16
	off    int64
	slot   uint32       // memory: which cache line of the worker's allocation cache
	size   uint32       // memory: bytes per lane
	words  uint8        // memory: words per lane of a plain load or store; 0 for others
	store  bool         // memory: a plain store
	class  Class        // what kind of instruction it is
	touch  class.Effect // memory: what it does there
	inval  uint8        // caches that instructions before it invalidate, as an acquire does: invalidateL0, invalidateL1
	tgt    int32        // branch: index of the target
	at     uint32       // offset in the image
	next   uint32       // offset of the following instruction
	dpp    *dppControl
	pair   *[2]inst // VOPD: the two halves
	halves *halves  // of a wave of 64
	sdwa   *sdwaControl
	moves  *moves64
	matrix *gfx9.MFMA
	whole  bool // executes both halves of a wave of 64
	mem    accessFn
	name   string
}

// kind is the type of an operand, as a letter in the signatures of the opcode tables.
type kind uint8

const (
	kindU32  kind = 'u' // 32 bits, integer or untyped
	kindF32  kind = 'f'
	kindF16  kind = 'h'
	kindI16  kind = 's' // 16 bits, integer or untyped
	kindF64  kind = 'd'
	kindU64  kind = 'q' // 64 bits, unsigned or untyped
	kindI64  kind = 'l'
	kindQuad kind = 'Q' // four words
	kindPF16 kind = 'p' // two f16
	kindPI16 kind = 'P' // two 16-bit integers
	kindMask kind = 'm' // one bit per lane, in a scalar register
	kindDest kind = 'D' // the destination, read as a source
	kindLit  kind = 'K' // a literal that always follows
)

func (k kind) is16() bool { return k == kindF16 || k == kindI16 }
func (k kind) is64() bool { return k == kindF64 || k == kindU64 || k == kindI64 }

// operand is a resolved source operand.
type operand struct {
	place place // where the value is; placeModified when modifiers apply
	base  place // where it is before modifiers
	mods  uint8
	typ   kind
	reg   uint16
	val   uint64
	c     *lanes // val in every lane
	cw    *wide  // val in every lane
}

type place uint8

const (
	placeVGPR place = iota
	placeConst
	placeSGPR
	placeDPP      // the lanes that a DPP control has moved
	placeSCC      // scalar condition code, as 0 or 1
	placeVCCZ     // 1 when VCC is 0
	placeEXECZ    // 1 when EXEC is 0
	placeModified // look at base and mods
)

// Modifiers of a source operand. The first group is for scalars of any float type, the second for packed 16-bit pairs.
const (
	modNeg   = 1 << iota
	modAbs   // applied before modNeg
	modHigh  // take the upper 16 bits
	modFlush // denormals are zeros when the wave's mode says so

	modSelLo = 1 << iota // packed: the low result takes the upper half
	modSelHi             // packed: the high result takes the upper half
	modNegLo
	modNegHi
)

func (o *operand) setMods(m uint8) {
	if m == 0 {
		return
	}
	if o.place != placeModified {
		o.base, o.place = o.place, placeModified
	}
	o.mods |= m
}
