package emulator

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm/emulator/internal/class"
	"github.com/gorocm/gorocm/rocm/emulator/internal/gfx12"
	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
	"github.com/gorocm/gorocm/rocm/emulator/internal/hostcode"
	"github.com/gorocm/gorocm/rocm/emulator/internal/lane"
)

// function is a decoded function: a kernel, or a function that a kernel calls.
type function struct {
	name  string
	entry uint64 // relative to the image
	end   uint64
	code  []inst
	index []int32 // index in code of the instruction at entry+4*i; -1 inside an instruction
	mode  mode
	heat  atomic.Uint64 // interpreted instructions
	host  atomic.Pointer[hostcode.Code]
}

// functionKey is an entry and the mode that its code is decoded for.
type functionKey struct {
	entry uint64
	mode  mode
}

// mode is how a kernel's code is executed.
type mode struct {
	flush bool // takes f32 denormals for zeros
	wide  bool // in waves of 64
}

// decoder turns the bytes of one function into insts.
type decoder struct {
	m    *Module
	t    *opcodes
	fn   *function
	pc   uint64 // of the instruction being decoded, relative to the image
	next uint64 // after the words that have been read
	mode

	literal    uint32
	hasLiteral bool
	slots      uint32
	inval      uint8 // for the next instruction
	orders     bool  // this one orders accesses, and is dropped where the host needs no fence for it
	branches   []fixup
	consts     map[uint64]*lanes
	wideConsts map[uint64]*wide
}

// fixup is a branch whose target is not known as an index yet.
type fixup struct {
	inst   int
	target uint64
}

// unsupported is what the decoder panics with, inside decodeFunction only.
type unsupported struct{ why string }

func (d *decoder) reject(format string, args ...any) {
	panic(unsupported{fmt.Sprintf(format, args...)})
}

// functionAt returns the decoded function that holds an address of the image.
func (m *Module) functionAt(addr uint64, mode mode) (*function, error) {
	if addr%4 != 0 || addr < m.text.Addr || addr-m.text.Addr >= m.text.Size {
		return nil, errorf(CodeLaunchFailure, "launch", "a jump to %#x, which is not code", addr)
	}
	name, entry, end := m.extent(addr)
	m.mu.Lock()
	defer m.mu.Unlock()
	key := functionKey{entry, mode}
	if f := m.functions[key]; f != nil {
		return f, nil
	}
	f, err := m.decodeFunction(name, entry, end, mode)
	if err != nil {
		return nil, err
	}
	m.functions[key] = f
	return f, nil
}

// extent finds the function symbol that holds addr. Code without a symbol reaches up to the next one.
func (m *Module) extent(addr uint64) (name string, entry, end uint64) {
	i := sort.Search(len(m.symbols), func(i int) bool { return m.symbols[i].Value > addr })
	end = m.text.Addr + m.text.Size
	if i < len(m.symbols) {
		end = m.symbols[i].Value
	}
	if i > 0 {
		if s := m.symbols[i-1]; s.Size == 0 {
			return s.Name, s.Value, end
		} else if addr-s.Value < s.Size {
			return s.Name, s.Value, s.Value + s.Size
		}
	}
	return fmt.Sprintf("code at %#x", addr), addr, end
}

func (m *Module) decodeFunction(name string, entry, end uint64, mode mode) (f *function, err error) {
	end = min(end, m.text.Addr+m.text.Size, uint64(len(m.code)))
	f = &function{name: name, entry: entry, end: end, mode: mode, index: make([]int32, (end-entry)/4+1)}
	f.code = make([]inst, 0, min((end-entry)/6, 1<<14)+1) // few functions have instructions of less than 6 bytes
	d := &decoder{m: m, t: m.opcodes(), fn: f, mode: mode, consts: map[uint64]*lanes{}, wideConsts: map[uint64]*wide{}}
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(unsupported)
			if !ok {
				panic(r)
			}
			f, err = nil, d.failure(u.why)
		}
	}()
	for i := range f.index {
		f.index[i] = -1
	}
	for d.pc = entry; d.pc+4 <= end; d.pc = d.next {
		f.index[(d.pc-entry)/4] = int32(len(f.code))
		d.next, d.hasLiteral = d.pc, false
		in := inst{d: sSink, d2: sSink, sbase: sNull}
		decoded := d.decode(&in)
		if d.orders && !inOrder {
			in.name, in.fn, decoded = "fence", fence, true
		}
		if decoded {
			in.at, in.next, d.orders = uint32(d.pc), uint32(d.next), false
			in.class, in.touch = class.Of(in.name)
			in.inval, d.inval = d.inval, 0
			if in.pair != nil {
				for k := range in.pair {
					half := &in.pair[k]
					half.at, half.class, half.touch = in.at, in.class, in.touch
				}
			}
			if d.wide {
				d.widen(&in)
			}
			f.code = append(f.code, in)
		}
	}
	// Falling off the end is an error, and so is a branch to nowhere.
	f.code = append(f.code, inst{name: "end of code", at: uint32(end), next: uint32(end), fn: func(w *wave, in *inst) {
		w.fail(CodeLaunchFailure, "execution ran past the end of the code")
	}})
	for _, b := range d.branches {
		t := int32(-1)
		if b.target >= entry && b.target < end && b.target%4 == 0 {
			t = f.index[(b.target-entry)/4]
		}
		if t < 0 {
			d.pc = uint64(f.code[b.inst].at)
			return nil, d.failure(fmt.Sprintf("branches to %#x, which is not an instruction of the function", b.target))
		}
		f.code[b.inst].tgt = t
	}
	return f, nil
}

// failure is the error for the instruction at d.pc: it names the function, the offset and the words.
func (d *decoder) failure(why string) error {
	words := ""
	for a := d.pc; a < d.pc+12 && a+4 <= uint64(len(d.m.code)); a += 4 {
		words += fmt.Sprintf(" %08x", binary.LittleEndian.Uint32(d.m.code[a:]))
	}
	e := errorf(CodeLaunchFailure, "decode", "%s; instruction at +%#x of the function, words%s", why, d.pc-d.fn.entry,
		words)
	e.Kernel = d.fn.name
	return e
}

// word reads the next 32 bits of the instruction.
func (d *decoder) word() uint32 {
	if d.next+4 > d.fn.end {
		d.reject("the instruction is cut off by the end of the function")
	}
	w := binary.LittleEndian.Uint32(d.m.code[d.next:])
	d.next += 4
	return w
}

// decode decodes one instruction to in. False means that it has no effect here: a wait, a hint, a cache operation.
func (d *decoder) decode(in *inst) bool {
	if d.m.gfx9 {
		return d.decode9(in)
	}
	w := d.word()
	switch {
	case d.m.gfx12 && gfx12.IsAccess(w):
		return d.access12(in, w)
	case d.m.gfx12 && w>>26 == 0x3d:
		return d.smem12(in, w)
	case w>>23 == 0x17f:
		return d.sopp(in, w)
	case w>>23 == 0x17e:
		return d.scalar(in, d.t.sopc[w>>16&0x7f], w, w&0xff, w>>8&0xff, 0)
	case w>>23 == 0x17d:
		return d.scalar(in, d.t.sop1[w>>8&0xff], w, w&0xff, 0, w>>16&0x7f)
	case w>>28 == 0xb:
		return d.sopk(in, w)
	case w>>30 == 2:
		return d.scalar(in, d.t.sop2[w>>23&0x7f], w, w&0xff, w>>8&0xff, w>>16&0x7f)
	case w>>26 == 0x3d:
		return d.smem(in, w)
	case w>>26 == 0x35:
		return d.vop3(in, w)
	case w>>26 == 0x33:
		return d.vop3p(in, w)
	case w>>26 == 0x32 && !d.wide:
		return d.vopd(in, w)
	case w>>26 == 0x36:
		return d.ds(in, w)
	case w>>26 == 0x37 && !d.m.gfx12:
		return d.flat(in, w)
	case w>>26 == 0x38 && !d.m.gfx12:
		return d.mubuf(in, w)
	case w>>25 == 0x3f:
		return d.vop1(in, w)
	case w>>25 == 0x3e:
		return d.vopc(in, w)
	case w>>31 == 0:
		return d.vop2(in, w)
	}
	d.reject("unknown encoding")
	return false
}

// floatConsts are the inline constants 240 to 248: ±0.5, ±1, ±2, ±4, 1/(2π).
var floatConsts = [9]float64{0.5, -0.5, 1, -1, 2, -2, 4, -4, 0.15915494309189532}

// constant returns the value of an inline constant or literal, as an operand of type t sees it.
func (d *decoder) constant(code uint32, t kind) (uint64, bool) {
	switch {
	case code == sNull:
		return 0, true
	case code >= 128 && code <= 192:
		return uint64(code - 128), true
	case code >= 193 && code <= 208:
		x := int64(192) - int64(code)
		if t.is64() {
			if t == kindF64 { // an integer constant is not converted
				return uint64(x), true
			}
			return uint64(x), true
		}
		return uint64(uint32(x)), true
	case code >= 240 && code <= 248:
		return floatConst(floatConsts[code-240], t), true
	case code == 255:
		return d.literalFor(t), true
	}
	return 0, false
}

func floatConst(f float64, t kind) uint64 {
	switch {
	case t.is64():
		if f == floatConsts[8] {
			return 0x3fc45f306dc9c882
		}
		return dbf(f)
	case t == kindF16, t == kindPF16:
		return uint64(half.ToF16(float32(f)))
	}
	return uint64(bf(float32(f)))
}

// literalFor returns the literal that follows the instruction.
func (d *decoder) literalFor(t kind) uint64 {
	if !d.hasLiteral {
		d.literal, d.hasLiteral = d.word(), true
	}
	switch t {
	case kindF64:
		return uint64(d.literal) << 32
	case kindI64:
		return uint64(int64(int32(d.literal)))
	}
	return uint64(d.literal)
}

// source resolves an operand field of 9 bits.
func (d *decoder) source(code uint32, t kind) operand {
	if code >= 256 {
		return operand{place: placeVGPR, typ: t, reg: uint16(code - 256)}
	}
	if v, ok := d.constant(code, t); ok {
		return d.constOperand(v, t)
	}
	o := operand{place: placeSGPR, typ: t, reg: uint16(code)}
	switch {
	case code < 128:
	case code == 235:
		return d.constOperand(sharedAperture, t)
	case code == 236:
		return d.constOperand(sharedAperture|0xffffffff, t)
	case code == 237:
		return d.constOperand(privateAperture, t)
	case code == 238:
		return d.constOperand(privateAperture|0xffffffff, t)
	case code == 251:
		o.place = placeVCCZ
	case code == 252:
		o.place = placeEXECZ
	case code == 253:
		o.place = placeSCC
	default:
		d.reject("source operand %d", code)
	}
	return o
}

func (d *decoder) constOperand(v uint64, t kind) operand {
	o := operand{place: placeConst, typ: t, val: v}
	if t.is64() {
		if o.cw = d.wideConsts[v]; o.cw == nil {
			o.cw = new(wide)
			for i := range o.cw {
				o.cw[i] = v
			}
			d.wideConsts[v] = o.cw
		}
		return o
	}
	if o.c = d.consts[v]; o.c == nil {
		o.c = new(lanes)
		lane.Fill(o.c, uint32(v))
		d.consts[v] = o.c
	}
	return o
}

// scalarDest maps a destination field to a register; writes to null go to a sink.
func scalarDest(code uint32) uint16 {
	if code == sNull {
		return sSink
	}
	return uint16(code)
}

// slot numbers memory instructions for the workers' allocation caches.
func (d *decoder) slot() uint32 {
	d.slots++
	return d.slots - 1
}
