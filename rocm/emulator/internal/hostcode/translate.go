package hostcode

import (
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// translation is a function being translated: for each instruction, where its code is.
type translation struct {
	*emitter
	insts  []Inst
	ok     []bool   // it is translated
	label  []bool   // code is entered here, or jumps here
	starts [2][]int // where it is in each translation
	enters []int    // where waves with inactive lanes enter it, for which masks are made first
	jumps  []jump
	expand int // the routine that makes masks of EXEC
	count  int // instructions that are not counted yet
	doubts []doubt
}

// jump is a displacement of 32 bits to an instruction in one of both translations, or to where it is entered.
type jump struct{ at, stream, to int }

// doubt is where an instruction is left to the interpreter for some values.
type doubt struct {
	leaves       []int
	index, count int // of the instruction, and how many before it are not counted yet
}

const (
	allActive = iota
	someActive
	entry // of someActive
)

// branches are the branches that are translated: whether they look at SCC (s), VCC (v) or EXEC (e), none of which
// means that they are always taken, and whether at 0 or not.
var branches = map[string]struct {
	test byte
	cond byte
}{
	"s_branch":       {},
	"s_cbranch_scc0": {'s', ifZero}, "s_cbranch_scc1": {'s', ifNotZero},
	"s_cbranch_vccz": {'v', ifZero}, "s_cbranch_vccnz": {'v', ifNotZero},
	"s_cbranch_execz": {'e', ifZero}, "s_cbranch_execnz": {'e', ifNotZero},
}

// Translate translates a function. It returns nil where the host cannot run such code, or nothing can be translated.
func Translate(insts []Inst, at *Layout) *Code {
	if !supported() {
		return nil
	}
	t := &translation{emitter: newEmitter(at), insts: insts, ok: make([]bool, len(insts)+1),
		label: make([]bool, len(insts)+1), enters: make([]int, len(insts)+1)}
	t.code = make([]byte, 0, 400*len(insts)+4096)
	for i := range insts {
		if _, branch := branches[insts[i].Name]; branch {
			t.label[insts[i].Target] = true
		}
	}
	t.routine()
	for _, s := range []int{someActive, allActive} {
		t.some = s == someActive
		t.starts[s] = make([]int, len(insts)+1)
		if !t.stream(s) {
			return nil
		}
	}
	t.routines()
	for i := range insts {
		if t.ok[i] && t.label[i] {
			t.enters[i] = len(t.code)
			t.near(0xe8, t.expand)
			t.jump(someActive, i, 0xe9)
		}
	}
	return t.finish()
}

// writesExec reports whether other lanes may be active after an instruction.
func (t *translation) writesExec(in *Inst) bool {
	switch {
	case strings.HasSuffix(in.Name, "exec_b32"):
		return true
	case scalarOps[in.Name] != nil, strings.HasPrefix(in.Name, "v_cmp"), strings.HasPrefix(in.Name, "v_read"):
		return in.D == t.at.Exec || in.D == t.at.Exec-1 && strings.HasSuffix(in.Name, "64")
	case strings.Contains(in.Name, "_co_"):
		return in.D2 == t.at.Exec
	}
	return false
}

// routine emits the routine that makes the masks of inactive lanes.
func (t *translation) routine() {
	t.expand = len(t.code)
	t.vex(vSpread, 0, 0, t.s(t.at.Exec))
	t.vex(vXor, 2, 2, register(2))
	for c := range groupSize {
		t.vex(vAnd, 1, 0, t.laneBits(c))
		t.vex(vEqual8, 1, 1, register(2))
		t.vex(vMovStore, 1, 0, wave(t.at.Masks+32*c))
	}
	t.byte(0xc3)
}

// stream translates all instructions. The first time it finds out which can be, and which are entered from elsewhere,
// and both must be the same the second time. It reports whether code has come of it.
func (t *translation) stream(s int) bool {
	t.clear()
	entered := true // what comes before may have left to the interpreter, or to the other translation
	for i := range t.insts {
		in := &t.insts[i]
		t.label[i] = t.label[i] || entered
		if t.label[i] {
			t.counted()
			t.clear()
		}
		t.starts[s][i] = len(t.code)
		b, branch := branches[in.Name]
		switch {
		case branch:
			t.ok[i] = true
			t.count++
			t.counted()
			t.branch(s, i, in.Target, b.test, b.cond)
			entered = false
		case in.Name == "s_barrier", in.Name == "s_endpgm":
			t.ok[i] = true
			t.count++
			t.counted()
			entered = true
			why := t.at.Barrier
			if in.Name == "s_endpgm" {
				why = t.at.End
			}
			t.halt(why, i+1)
		case (t.some || t.ok[i]) && in.Name != "" && t.try(in):
			t.ok[i] = true
			entered = len(t.leaves) > 0 || t.writesExec(in)
			if len(t.leaves) > 0 {
				t.doubts = append(t.doubts, doubt{slices.Clone(t.leaves), i, t.count})
			}
			t.count++
			if t.writesExec(in) {
				t.counted()
				t.change(s, i+1)
			}
		case t.ok[i]:
			return false
		default:
			t.counted()
			t.starts[s][i] = len(t.code)
			entered = true
			t.leave(i)
		}
	}
	t.counted()
	t.starts[s][len(t.insts)] = len(t.code)
	t.leave(len(t.insts))
	t.leaveDoubtful()
	return slices.Contains(t.ok, true)
}

// leaveDoubtful emits where instructions are left to the interpreter for some values.
func (t *translation) leaveDoubtful() {
	for _, d := range t.doubts {
		for _, at := range d.leaves {
			t.patch(at)
		}
		t.count = d.count
		t.counted()
		t.leave(d.index)
	}
	t.doubts = t.doubts[:0]
}

// counted adds the instructions since the last time to the wave's count.
func (t *translation) counted() {
	if t.count > 0 {
		t.aluImm(true, 0x81, 0, wave(t.at.Count), uint32(t.count))
		t.count = 0
	}
}

// leave returns to the interpreter, which goes on with instruction i.
func (t *translation) leave(i int) {
	t.aluImm(true, 0xc7, 0, wave(t.at.PC), uint32(i))
	t.byte(0xc3)
}

// halt returns to the interpreter with a reason; the wave goes on with instruction i.
func (t *translation) halt(why byte, i int) {
	t.byte(0xc6)
	t.modrm(0, wave(t.at.Halt), 1)
	t.byte(why)
	t.leave(i)
}

// change goes on in the other translation if the active lanes are now of its kind.
func (t *translation) change(s, next int) {
	t.aluImm(false, 0x81, 7, t.s(t.at.Exec), 1<<32-1)
	if s == allActive {
		t.jumpIf(entry, next, ifNotZero)
		return
	}
	t.jumpIf(allActive, next, ifZero)
	t.near(0xe8, t.expand)
}

// branch emits a branch from instruction i.
func (t *translation) branch(s, i, target int, test, cond byte) {
	switch test {
	case 's':
		t.byte(0x80)
		t.modrm(7, wave(t.at.SCC), 1)
		t.byte(0)
	case 'v':
		t.aluImm(false, 0x81, 7, t.s(t.at.VCC), 0)
	case 'e':
		t.aluImm(false, 0x81, 7, t.s(t.at.Exec), 0)
	}
	if target > i {
		if test == 0 {
			t.jump(s, target, 0xe9)
		} else {
			t.jumpIf(s, target, cond)
		}
		return
	}
	skip := -1
	if test != 0 {
		skip = t.ahead(cond ^ 1)
	}
	t.aluImm(true, 0x81, 5, wave(t.at.Budget), 1)
	t.jumpIf(s, target, ifSign^1)
	t.halt(t.at.Yield, target)
	if skip >= 0 {
		t.patch(skip)
	}
}

// jump emits a jump to an instruction, and jumpIf one on a condition.
func (t *translation) jump(stream, to int, op ...byte) {
	t.byte(op...)
	t.jumps = append(t.jumps, jump{len(t.code), stream, to})
	t.word(0)
}

func (t *translation) jumpIf(stream, to int, cond byte) { t.jump(stream, to, 0x0f, 0x80|cond) }

// near emits a call or jump to code that is there.
func (t *translation) near(op byte, to int) {
	t.byte(op)
	t.word(uint32(to - len(t.code) - 4))
}

// finish makes the code executable.
func (t *translation) finish() *Code {
	for _, j := range t.jumps {
		to := t.enters
		if j.stream != entry {
			to = t.starts[j.stream]
		}
		target := t.starts[someActive][j.to] // an instruction of the interpreter
		if j.stream != entry || t.ok[j.to] {
			target = to[j.to]
		}
		binary.LittleEndian.PutUint32(t.code[j.at:], uint32(target-j.at-4))
	}
	for len(t.code)%64 != 0 {
		t.code = append(t.code, 0xcc)
	}
	base := len(t.code)
	for _, f := range t.fixes {
		binary.LittleEndian.PutUint32(t.code[f.at:], uint32(base+f.n-f.end))
	}
	memory := executable(append(t.code, t.pool...))
	if memory == nil {
		return nil
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	c := &Code{All: make([]uintptr, len(t.insts)), Some: make([]uintptr, len(t.insts)), memory: memory}
	for i := range t.insts {
		if t.ok[i] && t.label[i] {
			c.All[i] = start + uintptr(t.starts[allActive][i])
			c.Some[i] = start + uintptr(t.enters[i])
		}
	}
	runtime.AddCleanup(c, release, memory)
	return c
}

// Translates reports whether an instruction would be translated.
func Translates(in *Inst, at *Layout) bool {
	e := newEmitter(at)
	e.some = true
	return e.try(in)
}
