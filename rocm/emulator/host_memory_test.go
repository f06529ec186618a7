package emulator

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator/internal/codeobject"
	"github.com/gorocm/gorocm/rocm/emulator/internal/hostcode"
)

// Registers of random code that accesses memory: other instructions write to those that anyInstruction has.
const (
	offsetReg  = 20 // of lanes in a buffer, the scalar address of which is in bufferReg
	addressReg = 22 // of lanes, 64 bits
	sharedReg  = 24 // offsets in shared memory
	bufferReg  = 20
	constReg   = 22 // a small offset
)

// anyAccess is the encoding of a random access to memory.
func anyAccess(r *rand.Rand) []uint32 {
	v := func() uint32 { return uint32(r.IntN(9)) }
	switch r.IntN(8) {
	case 0: // s_load
		return []uint32{0xf4000000 | uint32(r.IntN(5))<<18 | uint32(r.IntN(3))*4<<6 | bufferReg/2,
			[]uint32{sNull, constReg}[r.IntN(2)]<<25 | uint32(r.IntN(24)*4-32)&0x1fffff}
	case 1, 2, 3:
		op := uint32(r.IntN(2)*r.IntN(256) + 1)
		if op == 1 {
			op = []uint32{13, 30, 31, 54, 57, 58, 59, 60, 77, 118, 160, 161, 162, 163, 164, 165, 166, 167, 222, 223, 254, 255}[r.IntN(22)]
		}
		offset := uint32(r.IntN(3)*r.IntN(40)) | uint32(r.IntN(2)*r.IntN(2)*r.IntN(3))<<8
		if r.IntN(3) == 0 {
			op = []uint32{14, 15, 55, 56, 78, 79, 119, 120}[r.IntN(8)]
		}
		return []uint32{0xd8000000 | op<<18 | offset, v()<<24 | v()<<16 | v()<<8 | sharedReg}
	}
	segment, address, scalar := uint32(2), uint32(offsetReg), uint32(bufferReg)
	switch r.IntN(3) {
	case 0:
		address, scalar = addressReg, sNull
	case 1:
		segment, address, scalar = 0, addressReg, sNull
	}
	offset := uint32(r.IntN(2)*(r.IntN(64)-32)) & 0x1fff
	return []uint32{0xdc000000 | uint32(16+r.IntN(24))<<18 | segment<<16 | offset, v()<<24 | scalar<<16 | v()<<8 | address}
}

// anyOffsets are offsets of lanes: of neighbours, the same, some rows, or any; few of them are outside.
func anyOffsets(r *rand.Rand, size int) (off lanes) {
	step, start := []int{0, 1, 2, 4, 4, 8, 12, 16}[r.IntN(8)], 32+4*r.IntN(64)
	row := []int{32, 32, 16, 8, 4}[r.IntN(5)]
	for i := range off {
		switch {
		case step == 1:
			off[i] = uint32(32 + r.IntN(size-64))
		default:
			off[i] = uint32(start + step*(i%row) + i/row*64)
		}
	}
	switch r.IntN(12) {
	case 0:
		off[r.IntN(32)] = uint32(size - r.IntN(40))
	case 1:
		off[r.IntN(32)] = awkward[r.IntN(len(awkward))]
	case 2:
		off[r.IntN(32)]++
	}
	return off
}

// memoryRound is a wave that executes random code, with the memory that it accesses.
type memoryRound struct {
	gpu            *GPU
	buffer         []byte
	code           *hostcode.Code
	executed, left map[string]int // by the interpreter, and by it in place of code of the host
}

// execute runs a wave's instructions, and returns the error with which they end early.
func (m *memoryRound) execute(w *wave, f *function, host bool) (err *Error) {
	defer func() {
		if e, ok := recover().(*Error); ok {
			err = e
		}
	}()
	for w.pc < len(f.code)-1 {
		if host {
			if w.runHost() || w.pc == len(f.code)-1 {
				continue
			}
		}
		if host {
			m.left[f.code[w.pc].name]++
		}
		w.pc++
		w.count++
		m.executed[f.code[w.pc-1].name]++
		f.code[w.pc-1].fn(w, &f.code[w.pc-1])
	}
	return nil
}

// waves returns two equal waves, with a workgroup and a worker each.
func (m *memoryRound) waves(r *rand.Rand, f *function, module *Module, address uint64) (a, b *wave) {
	const sharedSize = 2048
	new := func() *wave {
		w := &wave{fn: f, code: f.code, denorm: 15, worker: new(worker)}
		l := &launch{gpu: m.gpu, kernel: &Kernel{module: module}, fn: f, block: [3]uint32{32, 1, 1}, grid: [3]uint32{1, 1, 1}}
		w.group = &w.worker.group
		w.group.gpu, w.group.run = m.gpu, l
		w.group.lds = make([]byte, sharedSize+ldsGuard)[:sharedSize]
		w.forHost(l)
		return w
	}
	a, b = new(), new()
	for i := range 12 {
		for l := range a.v[i] {
			a.v[i][l] = anyWord(r)
		}
		a.s[i] = anyWord(r)
	}
	a.v[offsetReg], a.v[sharedReg] = anyOffsets(r, len(m.buffer)), anyOffsets(r, sharedSize)
	for i, off := range anyOffsets(r, len(m.buffer)) {
		at := address + uint64(off)
		a.v[addressReg][i], a.v[addressReg+1][i] = uint32(at), uint32(at>>32)
	}
	if r.IntN(20) == 0 {
		a.v[addressReg+1][r.IntN(32)] ^= 1 << r.IntN(32)
	}
	a.setPair(bufferReg, address)
	a.s[constReg] = uint32(r.IntN(64))
	a.s[sVCC], a.s[sExec] = r.Uint32(), []uint32{allLanes, allLanes, r.Uint32(), 0xff, 0}[r.IntN(5)]
	for i := range a.group.lds {
		a.group.lds[i] = byte(r.Uint32())
	}
	copy(b.group.lds, a.group.lds)
	b.s, b.v = a.s, a.v
	// The allocations that instructions had last, without which the first access is the interpreter's.
	for i := range a.worker.cache {
		if r.IntN(8) > 0 {
			a.worker.cache[i] = region{address, uint64(len(m.buffer))}
			b.worker.cache[i] = a.worker.cache[i]
		}
	}
	return a, b
}

// TestHostMemory executes random code with accesses to memory, some of them out of bounds, by the interpreter and by
// code of the host, which leave the same in all registers and in memory, and end with the same error.
func TestHostMemory(t *testing.T) {
	thorough.Slow(t)
	r := rand.New(rand.NewPCG(3, 4))
	gpu := newGPU(t)
	m := &memoryRound{gpu: gpu, executed: map[string]int{}, left: map[string]int{}}
	const size = 4096 + 20
	address, err := gpu.Malloc(size)
	if err != nil {
		t.Fatal(err)
	}
	m.buffer = gpu.mem.Bytes(address, size)
	rounds, faults := 4000, 0
	if thorough.On() {
		rounds = 30000
	}
	seen := map[string]int{}
	for round := range rounds {
		var code []byte
		for range 1 + r.IntN(6) {
			x := anyAccess(r)
			if r.IntN(3) == 0 {
				x = anyInstruction(r)
			}
			f, err := decodeWords(x...)
			if err != nil || len(f.code) == 1 || f.code[0].class == Branch || f.code[0].class == Other ||
				f.code[0].d == bufferReg {
				continue
			}
			seen[f.code[0].name]++
			for _, w := range x[:f.code[0].next/4] {
				code = binary.LittleEndian.AppendUint32(code, w)
			}
		}
		module := &Module{code: code, text: codeobject.Span{Addr: 0, Size: uint64(len(code))}}
		f, err := module.decodeFunction("test", 0, uint64(len(code)), mode{})
		if err != nil {
			t.Fatal(err)
		}
		var insts []hostcode.Inst
		for i := range f.code {
			insts = append(insts, f.code[i].forHost())
		}
		if m.code = hostcode.Translate(insts, &hostLayout); m.code == nil {
			continue
		}
		a, b := m.waves(r, f, module, address)
		b.host = m.code
		start := make([]byte, size)
		for i := range start {
			start[i] = byte(r.Uint32())
		}
		copy(m.buffer, start)
		wanted := m.execute(a, f, false)
		memory := bytes.Clone(m.buffer)
		copy(m.buffer, start)
		got := m.execute(b, f, true)
		switch {
		case (wanted == nil) != (got == nil), wanted != nil && wanted.Error() != got.Error():
			t.Fatalf("round %d: the error is %v, want %v", round, got, wanted)
		case a.pc != b.pc, a.count != b.count:
			t.Fatalf("round %d: it ends at %d after %d instructions, want %d, %d", round, b.pc, b.count, a.pc, a.count)
		case !bytes.Equal(memory, m.buffer), !bytes.Equal(a.group.lds, b.group.lds):
			t.Errorf("round %d: the contents of memory differ", round)
		}
		if wanted != nil {
			faults++
		}
		if what := differs(a, b); what != "" || t.Failed() {
			for i := range f.code {
				t.Logf("%+v", insts[i])
			}
			t.Fatalf("round %d: %s; EXEC was %#x", round, what, a.s[sExec])
		}
	}
	kinds := 0
	for name, n := range m.executed { // twice, if code of the host does nothing
		if (strings.Contains(name, "_load") || strings.Contains(name, "_store")) && m.left[name] < n/2 {
			kinds++
		}
	}
	t.Logf("%d kinds of accesses by code of the host, of %d kinds of instructions; %d faults", kinds, len(seen), faults)
	if kinds < 65 || faults < rounds/10 {
		t.Error("too few")
	}
}
