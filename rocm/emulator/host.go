package emulator

import (
	"os"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/emulator/internal/hostcode"
)

// hotAfter is how often each instruction of a function is interpreted, on average, before the function is translated to
// machine code of the host. Tests change it.
var hotAfter = 50

// translates says that functions are translated: GOROCM_NATIVE=0 turns off all machine code that gorocm makes.
var translates = os.Getenv("GOROCM_NATIVE") != "0"

// heated notes that n instructions were interpreted, and translates the function if they are enough.
func (f *function) heated(n uint64) {
	limit := uint64(max(hotAfter*len(f.code), 1))
	before := f.heat.Add(n) - n
	if before < limit && before+n >= limit && translates && !f.mode.wide && !f.mode.flush {
		insts := make([]hostcode.Inst, len(f.code))
		for i := range insts {
			insts[i] = f.code[i].forHost()
		}
		f.host.Store(hostcode.Translate(insts, &hostLayout))
	}
}

// runHost runs code of the host from the wave's instruction on, up to one that is left to the interpreter. It does
// nothing if that is the first. It reports whether the wave has halted.
func (w *wave) runHost() bool {
	at := w.host.All[w.pc]
	if at == 0 {
		return false
	}
	if w.s[sExec] != allLanes {
		at = w.host.Some[w.pc]
	}
	hostcode.Run(at, unsafe.Pointer(w))
	return w.halt != haltNot
}

// forHost tells code of the host where memory is.
func (w *wave) forHost(l *launch) {
	w.memory, w.cache = uintptr(uint64(uintptr(l.gpu.mem.Arena()))-l.gpu.mem.Start()), &w.worker.cache
	w.shared, w.sharedSize = unsafe.Pointer(unsafe.SliceData(w.group.lds)), uint64(len(w.group.lds))
}

var hostLayout = hostcode.Layout{
	Scalars: int(unsafe.Offsetof(wave{}.s)), Vectors: int(unsafe.Offsetof(wave{}.v)),
	SCC: int(unsafe.Offsetof(wave{}.scc)), Halt: int(unsafe.Offsetof(wave{}.halt)), PC: int(unsafe.Offsetof(wave{}.pc)),
	Budget: int(unsafe.Offsetof(wave{}.budget)), Count: int(unsafe.Offsetof(wave{}.count)),
	Masks: int(unsafe.Offsetof(wave{}.masks)), Free: int(unsafe.Offsetof(wave{}.t)),
	Memory: int(unsafe.Offsetof(wave{}.memory)), Cache: int(unsafe.Offsetof(wave{}.cache)),
	Shared: int(unsafe.Offsetof(wave{}.shared)), SharedSize: int(unsafe.Offsetof(wave{}.sharedSize)),
	VCC: sVCC, Exec: sExec, Sink: sSink, Yield: byte(haltYield), Barrier: byte(haltBarrier), End: byte(haltEnd),
}

// forHost describes an instruction to the translation. The name is empty if it has modifiers that are not translated.
func (in *inst) forHost() hostcode.Inst {
	h := hostcode.Inst{D: int(in.d), D2: int(in.d2), Target: int(in.tgt), Data: int(in.data), Offset: uint32(in.off),
		Base: -1, Slot: int(in.slot % cacheLines), Size: int(in.size)}
	if in.sbase != sNull {
		h.Base = int(in.sbase)
	}
	h.Half, h.High = in.dst.is16(), in.high
	if in.omod != 0 || in.clamp || in.high && !h.Half || in.dpp != nil || in.sdwa != nil {
		return h
	}
	if in.pair != nil {
		x, y := in.pair[0].forHost(), in.pair[1].forHost()
		if in.class == LDS {
			h.Name, h.Dual = in.name, &[2]hostcode.Inst{x, y}
			h.S[0], _ = in.s[0].forHost()
		}
		if in.class == VALU && x.Name != "" && y.Name != "" {
			h.Name, h.Dual = in.name, &[2]hostcode.Inst{x, y}
		}
		return h
	}
	for k := range in.s {
		var ok bool
		if h.S[k], ok = in.s[k].forHost(); !ok {
			return h
		}
	}
	h.Name = strings.Replace(in.name, "v_dual_", "v_", 1)
	if in.name == "v_fma_mix_f32" {
		mixHost(&h, uint32(in.off))
	}
	return h
}

var hostPlaces = [...]hostcode.Place{placeVGPR: hostcode.Vector, placeConst: hostcode.Const,
	placeSGPR: hostcode.Scalar, placeDPP: hostcode.Elsewhere, placeSCC: hostcode.SCC, placeVCCZ: hostcode.VCCZ,
	placeEXECZ: hostcode.EXECZ}

func (o *operand) forHost() (h hostcode.Operand, ok bool) {
	p := o.place
	if p == placeModified {
		p = o.base
	}
	h.Place = hostPlaces[p]
	h.Reg, h.Value, h.Wide = int(o.reg), o.val, o.typ.is64()
	h.Neg, h.Abs, h.High = o.mods&modNeg != 0, o.mods&modAbs != 0, o.mods&modHigh != 0
	h.Half = o.typ.is16()
	return h, o.mods&^(modNeg|modAbs|modHigh) == 0
}

// mixHost gives the operands of a mixed multiplication and addition their types and modifiers.
func mixHost(h *hostcode.Inst, control uint32) {
	for k := range h.S {
		o, c := &h.S[k], control>>k
		o.High, o.Half, o.Neg, o.Abs = c&1 != 0, c>>3&1 != 0, c>>6&1 != 0, c>>9&1 != 0
	}
}
