package emulator

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
)

// worker executes workgroups, one after the other. Its buffers are reused by later launches.
type worker struct {
	cache  [cacheLines]region
	group  group
	waves  []*wave
	watch  *watch        // nil without checks and profile
	fences atomic.Uint32 // see fence

	matrices matrices
}

// group is the workgroup that a worker executes.
type group struct {
	gpu *GPU
	run *launch
	id  [3]uint32
	lds []byte
}

// work executes workgroups until there are none left.
func (w *worker) work(l *launch) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			l.fail(r)
		default: // a bug of the emulator: the launch fails, the process continues
			l.fail(l.errorf(CodeLaunchFailure, "the emulator failed: %v\n%s", r, debug.Stack()))
		}
	}()
	w.prepare(l)
	if w.watch = newWatch(l); w.watch != nil {
		defer w.watch.end(l)
	}
	for !l.aborted.Load() {
		id := l.next.Add(1) - 1
		if id >= l.groups {
			return
		}
		w.start(l, id)
		if w.watch != nil {
			w.watch.startGroup(w, id)
		}
		w.runGroup(l)
	}
}

// prepare allocates the buffers of a launch.
func (w *worker) prepare(l *launch) {
	w.cache = [cacheLines]region{}
	w.group.gpu, w.group.run = l.gpu, l
	if cap(w.group.lds) < int(l.lds) {
		w.group.lds = make([]byte, maxLDS+ldsGuard)
	}
	w.group.lds = w.group.lds[:l.lds]
	for len(w.waves) < l.waves {
		w.waves = append(w.waves, new(wave))
	}
	for _, v := range w.waves[:l.waves] {
		v.group, v.worker, v.perLane = &w.group, w, l.perLane
		v.private()
		v.forHost(l)
		if l.mode.wide {
			if v.upper == nil {
				v.upper = new(wave)
			}
			v.upper.group, v.upper.worker, v.upper.perLane = v.group, w, l.perLane
			v.upper.private()
		}
	}
}

// private allocates the private memory of a wave's lanes.
func (v *wave) private() {
	need := int(v.perLane * waveSize)
	if cap(v.scratch) < need {
		v.scratch = make([]byte, need)
	}
	v.scratch = v.scratch[:need]
}

// start initialises the registers of a workgroup's waves as the kernel descriptor requires.
func (w *worker) start(l *launch, id uint64) {
	x, y := uint64(l.grid[0]), uint64(l.grid[1])
	w.group.id = [3]uint32{uint32(id % x), uint32(id / x % y), uint32(id / x / y)}
	memory.Fill(w.group.lds)
	threads := l.block[0] * l.block[1] * l.block[2]
	for i, v := range w.waves[:l.waves] {
		v.pc, v.fn, v.code, v.scc, v.halt, v.count, v.asked = 0, l.fn, l.fn.code, false, haltNot, 0, false
		v.signalled, v.passes = false, false
		v.pc = int(l.fn.index[(l.kernel.entry-l.fn.entry)/4])
		v.denorm = uint8(l.kernel.desc.RSRC1 >> denormShift & 15)
		v.lane0 = uint32(i * l.mode.lanes())
		v.s[sVCC], v.s[sM0] = 0, 0
		v.s[sExec] = lanesOf(int(threads) - int(v.lane0))
		if l.mode.wide {
			v.s[sVCC+1] = 0
			v.upper.lane0 = v.lane0 + waveSize
			v.s[sExec+1] = lanesOf(int(threads) - int(v.upper.lane0))
			v.upper.numberLanes(l.block)
		}
		v.initScalars(l, w.group.id)
		v.numberLanes(l.block)
	}
}

// lanesOf is the mask of the lanes that n threads need.
func lanesOf(n int) uint32 {
	if n >= waveSize {
		return allLanes
	}
	return 1<<max(n, 0) - 1
}

// numberLanes puts the position of each work-item in its block into v0: x, y and z, 10 bits each.
func (v *wave) numberLanes(block [3]uint32) {
	x, y, z := v.lane0%block[0], v.lane0/block[0]%block[1], v.lane0/block[0]/block[1]
	for i := range v.v[0] {
		v.v[0][i] = x | y<<10 | z<<20
		if x++; x == block[0] {
			x = 0
			if y++; y == block[1] {
				y = 0
				z++
			}
		}
	}
}

func (v *wave) initScalars(l *launch, id [3]uint32) {
	p, r2 := l.kernel.desc.Properties, l.kernel.desc.RSRC2
	s := uint16(0)
	user := func(bit uint16, size uint16, value uint64) {
		if p&bit != 0 {
			v.setPair(s, value)
			s += size
		}
	}
	if p&1 != 0 { // private segment buffer: unused with flat scratch
		s += 4
	}
	user(descDispatch, 2, l.packet)
	user(descQueue, 2, 0)
	user(descKernarg, 2, l.kernarg)
	user(descDispatchI, 2, 0)
	user(descFlat, 2, 0)
	user(descPrivate, 1, l.perLane)
	if l.kernel.module.gfx12 {
		v.s[sTrap+7], v.s[sTrap+9] = id[1]|id[2]<<16*(r2>>9&1), id[0] // the upper half is z's if the kernel asks for it
		return
	}
	s = uint16(r2 >> 1 & 31)
	for i, x := range id {
		if r2>>(7+i)&1 != 0 {
			v.s[s] = x
			s++
		}
	}
}

// runGroup runs the waves of a workgroup round-robin: each until it ends, waits at a barrier or has used its budget.
func (w *worker) runGroup(l *launch) {
	waves := w.waves[:l.waves]
	defer func() {
		for _, v := range waves {
			l.count.Add(v.count)
		}
	}()
	for live := len(waves); live > 0; {
		waiting, yielded := 0, false
		for _, v := range waves {
			switch v.halt {
			case haltEnd:
				continue
			case haltBarrier:
				waiting++
				continue
			}
			v.run()
			switch v.halt {
			case haltEnd:
				live--
			case haltBarrier:
				waiting++
			case haltYield:
				yielded = true
				waiting += int(b2u(v.signalled))
			}
		}
		if yielded { // it may wait for another workgroup, whose worker needs a thread
			runtime.Gosched()
		}
		if waiting == live {
			if w.watch != nil && waiting > 0 {
				w.watch.barrier(waves)
			}
			for _, v := range waves {
				if v.halt == haltBarrier {
					v.halt = haltNot
				} else {
					v.passes = v.signalled
				}
				v.signalled = false
			}
		}
		if l.gpu.stop.Load() {
			e := l.errorf(CodeLaunchFailure, "interrupted")
			e.Interrupted = true
			panic(e)
		}
		if l.aborted.Load() {
			return
		}
	}
}
