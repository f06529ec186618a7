package enter

// Where generated code finds what it needs, in bytes from the start of a Context, whose address is in R15.
const (
	GoStackAt = 0  // the stack pointer of Go while generated code runs
	GoFrameAt = 8  // the frame pointer
	StackAt   = 16 // the stack pointer of generated code while Go code runs
	LimitAt   = 24 // the stack pointer below which a function asks for a larger stack
	LeaveAt   = 32 // the address of the code that leaves
	BackAt    = 40 // where generated code goes on once a request is done: enter_amd64.s has the number
	ArgsAt    = 48 // words for Go code, or from it
	ResultsAt = ArgsAt + 8*MaxWords
	IntsAt    = ResultsAt + 8*MaxWords // the registers of integers
	FloatsAt  = IntsAt + 8*NumInts
	CompareAt = FloatsAt + 8*NumFloats // the address of the code that compares texts
	SlotAt    = CompareAt + 8          // where the context waits for a call of a function value: see Slots
	ClosureAt = SlotAt + 8             // the function value that Go code has called
	ResumeAt  = ClosureAt + 8          // the closure that goes on when its code leaves
	RequestAt = ResumeAt + 8           // the address of the code that leaves for a request
	FewerAt   = RequestAt + 8          // the same, for code without values in the first registers of floats
	SpentAt   = FewerAt + 8            // how many bytes requests have allocated: see Spend
	FormsAt   = SpentAt + 8            // those closures, by the form of the results
	size      = FormsAt + 8*MaxForms
)

// MaxForms is how many forms of results function values have.
const MaxForms = 72

// MaxWords is how many words go from and to Go code at a time. NumInts and NumFloats are how many registers hold
// values.
const (
	MaxWords  = 16
	NumInts   = 10
	NumFloats = 13
)

// KeptFloats are how many registers of floats, the last ones, functions restore that change them.
const KeptFloats = 3

// PreemptAt is where a goroutine, whose address is in R14, has the bound of its stack, and Preempt what the runtime
// writes there to have it stop. Every function of Go looks at it when it begins.
const (
	PreemptAt = 16
	Preempt   = -1314
	// StackHighAt is where it has the upper end of its stack, and ThreadAt its thread.
	StackHighAt = 8
	ThreadAt    = 48
)

// ThreadBits and GoroutineBits are how many bits of the addresses of threads and goroutines tell least: each takes
// about as much memory.
const (
	ThreadBits    = 11
	GoroutineBits = 9
)

// Margin is how much of its stack a function may use without asking.
const Margin = 8 << 10

// Where maps and their tables have what generated code reads.
const (
	MapUsedAt      = 0  // how many entries there are
	MapSeedAt      = 8  // of hashes
	MapTablesAt    = 16 // the tables, or the only group of a map without any
	MapNumTablesAt = 24
	MapDepthAt     = 32 // how often the list of tables has been doubled
	MapShiftAt     = 33 // how many bits of a hash do not tell the table
	MapWritingAt   = 34 // not 0 while a goroutine writes
	TableUsedAt    = 0  // how many entries the table has, of 16 bits
	TableSizeAt    = 2  // how many entries the table has room for, a power of two of 16 bits
	TableLeftAt    = 4  // how many may be added before it grows, of 16 bits
	TableIndexAt   = 8  // -1 once others have taken its place
	TableGroupsAt  = 16 // the groups, and behind that one less than their number, which is a power of two
)

// Where the runtime's iterator of a map has what generated code reads, from its type on.
const (
	IterTypeAt  = 16 // nil before it begins
	IterMapAt   = 24 // nil if that was empty
	IterFromAt  = 32 // the entry with which each table begins, of which the low bits count
	IterDepthAt = 56 // how often the list of tables had been doubled
	IterIndexAt = 64 // of the table, negative for a map that had only one group
	IterTableAt = 72 // nil between two
	IterGroupAt = 80 // the group it is in
	IterEntryAt = 88 // which entry comes next, counted from the first one
)

// MapEntries is where the entries of maps of a type are: the sizes of a group and of an entry in it, and where in an
// entry the element is.
type MapEntries struct{ Group, Slot, Elem int }

// MapLayout is where the entries of maps of a type are, and what hashes their keys. A group begins with a word that has
// a byte for each of its eight entries.
type MapLayout struct {
	MapEntries
	Key   int // how many bytes a key has that is hashed and compared by them, 0 for a text
	Parts [maxParts]KeyPart
}

// maxParts is how many parts a key may have that are hashed one by one.
const maxParts = 8

// KeyPart is a part of a key, behind the one before it: how many bytes it has, and the address of code that hashes RCX
// bytes at RAX with the seed RBX, to RAX. That changes no other register of integers and calls nothing.
type KeyPart struct {
	Size int
	Hash uintptr
}
