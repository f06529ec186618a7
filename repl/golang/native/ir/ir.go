// Package ir is the typed code of a function in static single assignment form, between the syntax of Go and the
// instructions of a processor, and the passes that improve it.
//
// A value of Go is one or more values here: a slice is a pointer, a length and a capacity. An integer is held in 64
// bits, sign-extended or zero-extended as its kind says; operations keep it so.
package ir

import (
	"go/token"
	"unsafe"
)

// Kind is what a value holds.
type Kind uint8

// The kinds of values. Ptr is a pointer that the garbage collector must see.
const (
	None Kind = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Ptr
	Float32
	Float64
)

var kindSize = [...]int{Bool: 1, Int8: 1, Int16: 2, Int32: 4, Int64: 8, Uint8: 1, Uint16: 2, Uint32: 4, Uint64: 8,
	Ptr: 8, Float32: 4, Float64: 8}

// Size is the number of bytes in memory.
func (k Kind) Size() int { return kindSize[k] }

// IsFloat reports whether the value is in a floating-point register.
func (k Kind) IsFloat() bool { return k >= Float32 }

// Signed reports whether the value is a signed integer.
func (k Kind) Signed() bool { return k >= Int8 && k <= Int64 }

// Op is what makes a value.
type Op uint8

// The operations. Those of integers wrap around; Div and Rem take a divisor that is not 0.
const (
	Const   Op = iota // Imm; of floats the bits
	Param             // Imm is which of the words of its class
	Phi               // Args follow Block.Preds
	Add               //
	Sub               //
	Mul               //
	Div               //
	Rem               //
	And               //
	Or                //
	Xor               //
	AndNot            //
	Shl               // of any unsigned count, or a signed one that is not negative
	Shr               //
	Neg               //
	Com               // ^x
	Eq                // the comparisons are of the kind of Args[0]
	Ne                //
	Lt                //
	Le                //
	Gt                //
	Ge                //
	Convert           // between kinds, as Go converts
	Bits              // the same bits as another kind of the same size
	Sqrt              //
	Abs               //
	Compare           // of texts, a pointer and a length each: negative, zero or positive
	Find              // the address of a map's element, or 0: Args are the map and the words of the key
	Next              // goes on with a map's iterator: 0 at the end, 1 for a key, whose address is a Result, else 2
	Load              // of Args[0] + Args[1]*Scale + Imm; without Args[1] of Args[0] + Imm
	Store             // of Args[2], or of Args[1] where there is no index
	Frame             // the address of a variable of the function's own, at Imm; Size: it may hold pointers
	Zero              // clears the variable Args[0], from Imm on, Size bytes
	Check             // leaves the function for a panic unless Test holds
	Poll              // leaves for the scheduler when it asks
	Call              // of Proc; its results are Result values
	Leave             // has Go code do something; its results are Result values
	Result            // Imm is which
	Keep              // nothing: Args[0] is live until here
)

// AtAddress is the Proc of a Call of the code whose address is where the word at Imm points to.
const AtAddress = -1

// OfClosure is the Proc of a Call of the code of a closure, which is the last argument. It has, at Imm, the address of
// where the address of the code is.
const OfClosure = -2

// Test is what a Check compares.
type Test uint8

// What a Check leaves the function for.
const (
	IndexTest  Test = iota // Args[0] < Args[1], unsigned
	UpToTest               // Args[0] <= Args[1], unsigned
	NilTest                // Args[0] is not nil
	DivideTest             // Args[0] is not 0
	ShiftTest              // Args[0] is not negative
)

// Value is an operation and what it results in.
type Value struct {
	Op      Op
	Kind    Kind
	Test    Test
	Scale   uint8
	ID      int
	Imm     int64
	Size    int // of Zero and Frame; of Find the bytes of the key, 0 for a text: Imm is the code, as of Next
	Args    []*Value
	Block   *Block
	Site    int      // of Check, Poll, Call and Leave: which of the function's sites
	Proc    int      // of Call
	Results [2]uint8 // of Call: how many integers and pointers, and floats
	Uses    int      // how many values and blocks use it, as Func.Count has counted
	Fused   bool     // computed where it is used: a comparison that its block's end tests
	Cold    bool     // of a Call that rarely happens: it saves the registers itself
}

// Site is a place at which generated code is left.
type Site struct {
	Pos  token.Pos
	Code int // what Go code is to do
	Aux  any // more of that
	// Do is a function value of Go that does it, if it can, while the goroutine is pinned; nil without any.
	Do unsafe.Pointer
	In *Inlined
}

// Inlined is a function whose code is in the place of a call; nil stands for the function itself.
type Inlined struct {
	Name string
	Call token.Pos // where it is called
	In   *Inlined  // in which function that is
}

// BlockKind is how a block ends.
type BlockKind uint8

// The ends of blocks.
const (
	Jump   BlockKind = iota // Succs[0]
	If                      // Succs[0] where Control is true, else Succs[1]
	Return                  // of Results
	Dead                    // never reached: what is before it leaves the function
)

// Block is a list of values that are computed one after the other.
type Block struct {
	ID      int
	Values  []*Value
	Kind    BlockKind
	Control *Value
	Results []*Value
	Succs   []*Block
	Preds   []*Block
	Pos     token.Pos // of its last value, not valid where that is not known
	In      *Inlined
	Cold    bool // rarely executed

	Dom   *Block // the immediate dominator
	Depth int    // how many loops it is in
	order int
	depth int // in the tree of dominators
}

// Func is a function.
type Func struct {
	Name    string
	Blocks  []*Block // the entry is the first
	Params  []Kind
	Results []Kind
	Sites   []Site
	Memory  int // bytes of the frame for Frame values
	nextID  int
}

// NewBlock adds a block.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: len(f.Blocks)}
	f.Blocks = append(f.Blocks, b)
	return b
}

// NumValues is more than any value's ID.
func (f *Func) NumValues() int { return f.nextID }

// New makes a value that is in no block yet.
func (f *Func) New(b *Block, op Op, k Kind, args ...*Value) *Value {
	v := &Value{Op: op, Kind: k, ID: f.nextID, Args: args, Block: b}
	f.nextID++
	return v
}

// Add appends a value to a block.
func (b *Block) Add(f *Func, op Op, k Kind, args ...*Value) *Value {
	v := f.New(b, op, k, args...)
	b.Values = append(b.Values, v)
	return v
}

// Int makes a constant.
func (f *Func) Int(k Kind, n int64) *Value {
	v := f.New(nil, Const, k)
	v.Imm = n
	return v
}

// Pure reports whether a value depends on its operands alone and has no other effect.
func (v *Value) Pure() bool {
	return v.Op >= Add && v.Op <= Abs
}

// Count counts the uses of all values.
func (f *Func) Count() {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			v.Uses = 0
		}
	}
	use := func(list []*Value) {
		for _, v := range list {
			v.Uses++
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			use(v.Args)
		}
		use(b.Results)
		if b.Control != nil {
			b.Control.Uses++
		}
	}
}
