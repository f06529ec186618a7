package gfx12

// Access is a decoded instruction of VGLOBAL, VFLAT, VSCRATCH or VBUFFER.
type Access struct {
	Segment            Segment
	Code               uint32
	Dst, Data, Address uint32 // vector registers
	Scalar             uint32 // scalar register of an address or, of VBUFFER, an offset; Null without one
	Offset             int64
	HasAddress         bool // VSCRATCH: Address is in use
	Resource           uint32
	Index, InRegister  bool // VBUFFER: the address has an index, an offset
	TFE                bool
	Scope, TH          uint32
}

// Segment is the encoding of an access.
type Segment uint8

// The encodings, in the order of their prefixes in Prefix.
const (
	Flat Segment = iota
	Scratch
	Global
	Buffer
)

// Prefix begins the names of a segment's instructions.
func (s Segment) Prefix() string { return [...]string{"flat_", "scratch_", "global_", "buffer_"}[s] }

// Scopes of coherence.
const (
	ScopeCU = iota
	ScopeSE
	ScopeDevice
	ScopeSystem
)

// IsAccess reports whether a word begins an instruction of three words that Decode reads.
func IsAccess(w uint32) bool { return w>>26 == 0x31 || w>>26 == 0x3b && w>>24&3 != 3 }

// Decode reads an instruction for which IsAccess holds.
func Decode(w, w1, w2 uint32) Access {
	a := Access{Code: w >> 14 & 0xff, Scalar: w & 0x7f, Dst: w1 & 0xff, Address: w2 & 0xff,
		Offset: int64(int32(w2) >> 8), Scope: w1 >> 18 & 3, TH: w1 >> 20 & 7}
	if w>>26 == 0x31 {
		a.Segment, a.Data, a.Resource = Buffer, a.Dst, w1>>9&0x1ff
		a.InRegister, a.Index, a.TFE = w1>>30&1 != 0, w1>>31 != 0, w>>22&1 != 0
		return a
	}
	a.Segment, a.Data, a.HasAddress = Segment(w>>24&3), w1>>23&0xff, w1>>17&1 != 0
	return a
}

// Returns reports whether an atomic instruction returns the old value.
func (a *Access) Returns() bool { return a.TH&1 != 0 }

// Load is a decoded instruction of SMEM.
type Load struct {
	Name              string
	Size              uint32 // bytes; 0 for instructions without a result
	Signed            bool   // a part of a word, whose sign is extended
	Buffer            bool
	Base, Dst, Scalar uint32 // registers; Scalar is Null without one
	Offset            int64
	Scope, TH         uint32
}

var smem = map[uint32]Load{
	0: {Name: "s_load_b32", Size: 4}, 1: {Name: "s_load_b64", Size: 8}, 2: {Name: "s_load_b128", Size: 16},
	3: {Name: "s_load_b256", Size: 32}, 4: {Name: "s_load_b512", Size: 64}, 5: {Name: "s_load_b96", Size: 12},
	8: {Name: "s_load_i8", Size: 1, Signed: true}, 9: {Name: "s_load_u8", Size: 1},
	10: {Name: "s_load_i16", Size: 2, Signed: true}, 11: {Name: "s_load_u16", Size: 2},
	33: {Name: "s_dcache_inv"}, 36: {Name: "s_prefetch_inst"}, 37: {Name: "s_prefetch_inst_pc_rel"},
	38: {Name: "s_prefetch_data"}, 39: {Name: "s_buffer_prefetch_data"}, 40: {Name: "s_prefetch_data_pc_rel"},
}

// DecodeLoad reads an instruction of SMEM; false if the opcode is unknown.
func DecodeLoad(w, w1 uint32) (Load, bool) {
	code := w >> 13 & 0x3f
	buffer := code >= 16 && code < 28
	if buffer {
		code -= 16
	}
	l, ok := smem[code]
	if l.Buffer = buffer; buffer {
		l.Name = "s_buffer" + l.Name[1:]
	}
	l.Base, l.Dst, l.Scalar, l.Offset = w&0x3f*2, w>>6&0x7f, w1>>25, int64(int32(w1<<8)>>8)
	l.Scope, l.TH = w>>21&3, w>>23&3
	return l, ok
}
