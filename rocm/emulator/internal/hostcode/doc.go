// Package hostcode translates the instructions of a kernel to machine code of the host: amd64 with AVX2.
//
// A wave's registers stay in memory, where the interpreter has them; rbx points at the wave. A vector register is four
// YMM registers wide. The results of the last three vector instructions are kept in YMM registers besides being written
// to memory, so that the next instruction need not wait for its operands to come back from there.
//
// A function is translated twice: for waves of which all lanes are active, and for others, whose vector instructions
// leave the inactive lanes as they are. An instruction that changes EXEC continues in the one or the other.
//
// What is not translated (atomic operations, and whatever a kernel executes rarely) is left to the interpreter: the
// code sets the wave's program counter to the instruction and returns. It can be entered again behind it. Some
// instructions are translated for most values of their operands, and left to the interpreter for others.
//
// Branches are taken inside the code. A branch backwards takes one from the wave's budget, and returns when nothing is
// left of it.
package hostcode

// Place is where an operand is.
type Place uint8

// The places of operands.
const (
	Vector    Place = iota // a vector register
	Scalar                 // a scalar register
	Const                  // a number
	SCC                    // the scalar condition code, as 0 or 1
	VCCZ                   // 1 when VCC is 0
	EXECZ                  // 1 when EXEC is 0
	Elsewhere              // known to the interpreter
)

// Operand is a source of an instruction.
type Operand struct {
	Place Place
	Reg   int
	Value uint64 // of a Const
	Neg   bool   // of a float
	Abs   bool   // of a float, before Neg
	Wide  bool   // of 64 bits
	Half  bool   // of 16 bits
	High  bool   // the upper 16 bits of the register
}

// Inst is an instruction that may be translated. Name is its name without the suffix of its encoding, or empty for an
// instruction that the interpreter executes.
type Inst struct {
	Name   string
	D, D2  int // registers of the result, and of the carries out
	S      [3]Operand
	Half   bool     // the result has 16 bits
	High   bool     // and goes to the upper half of the register, of which the other one stays as it is
	Dual   *[2]Inst // both halves of an instruction of two operations, which read their operands before either writes
	Target int      // of a branch: the index of the instruction
	Data   int      // the register that an exchange between lanes reads
	Offset uint32   // of an exchange or an access to memory, which adds it to addresses
	Base   int      // of an access: the scalar register of the address, or of an offset of it; or -1
	Slot   int      // of an access to device memory: which allocation it had last
	Size   int      // of an access: how many bytes for each lane
}

// Layout says where a wave has what the code reads and writes, in bytes.
type Layout struct {
	Scalars, Vectors int // registers of 4 and of 128 bytes
	SCC, Halt        int // bytes
	PC, Budget       int // words of 64 bits
	Count            int // of executed instructions, 64 bits
	Masks, Free      int // two times 128 bytes for the code's own use
	Memory           int // what to add to an address of device memory, 64 bits
	Cache            int // a pointer to the allocations that accesses had last: addresses and sizes, 64 bits each
	Shared           int // a pointer to shared memory
	SharedSize       int // 64 bits
	VCC, Exec        int // numbers of scalar registers
	Sink             int // the number of the scalar register whose value nobody reads

	Yield, Barrier, End byte // reasons to halt
}

// Code is a translated function.
type Code struct {
	// All and Some are the addresses at which the code of an instruction is entered, when all lanes are active and when
	// some are not. They are 0 where the interpreter goes on.
	All, Some []uintptr
	memory    []byte
}
