package emulator

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

const (
	waveSize       = 32
	maxLDS         = 64 << 10
	maxGroup       = 1024
	dynamicStack   = 16 << 10 // private bytes per work-item where the compiler does not know how many
	packetSize     = 64
	argumentBuffer = 4096 // bytes; grows for a kernel that takes more
	denormShift    = 16   // in compute_pgm_rsrc1
	scratchLimit   = 1 << 20
	descDispatch   = 1 << 1
	descQueue      = 1 << 2
	descKernarg    = 1 << 3
	descDispatchI  = 1 << 4
	descFlat       = 1 << 5
	descPrivate    = 1 << 6
)

// launch is one kernel launch while it runs.
type launch struct {
	gpu         *GPU
	kernel      *Kernel
	fn          *function
	grid, block [3]uint32
	kernarg     uint64 // address
	packet      uint64 // address of the dispatch packet
	lds         uint32
	perLane     uint64 // private bytes of a work-item
	waves       int    // per workgroup
	groups      uint64
	flush       bool

	next    atomic.Uint64 // workgroup to start
	aborted atomic.Bool
	once    sync.Once
	err     *Error
	count   atomic.Uint64 // wave instructions
}

// worker executes workgroups, one after the other, and keeps its buffers between launches.
type worker struct {
	cache [cacheLines]region
	group group
	waves []*wave
}

// group is the workgroup that a worker executes.
type group struct {
	gpu *GPU
	run *launch
	id  [3]uint32
	lds []byte
}

// Launch runs a kernel and returns when it is done. grid counts workgroups, block counts work-items of a workgroup;
// dynamicLDS is added to the kernel's own shared memory. kernarg holds the explicit arguments, packed at their natural
// alignment; hidden arguments are appended. A launch of another goroutine is waited for.
func (g *GPU) Launch(k *Kernel, grid, block [3]uint32, dynamicLDS uint32, kernarg []byte) error {
	if k == nil || k.module.gpu != g || k.module.image == nil {
		return errorf(CodeInvalidValue, "launch", "the kernel's module is not loaded on this GPU")
	}
	l := &launch{gpu: g, kernel: k, grid: grid, block: block}
	if err := l.configure(dynamicLDS, kernarg); err != nil {
		return err
	}
	g.begin()
	g.launching.Lock()
	defer g.launching.Unlock()
	defer g.end()
	if g.closed {
		return l.errorf(CodeInvalidValue, "the GPU is closed")
	}
	if err := l.arguments(kernarg, dynamicLDS); err != nil {
		return err
	}
	l.execute()
	g.executed.Add(l.count.Load())
	if l.err != nil {
		return l.err
	}
	return nil
}

func (l *launch) errorf(code int, format string, args ...any) *Error {
	e := errorf(code, "launch", format, args...)
	e.Kernel = l.kernel.meta.name
	return e
}

// configure checks the shape of a launch and decodes the kernel.
func (l *launch) configure(dynamicLDS uint32, kernarg []byte) error {
	meta, desc := &l.kernel.meta, &l.kernel.desc
	threads, groups := uint64(1), uint64(1)
	for i := range 3 {
		if l.grid[i] == 0 || l.block[i] == 0 {
			return l.errorf(CodeInvalidConfiguration, "a grid of %v blocks of %v threads is empty", l.grid, l.block)
		}
		if uint64(l.grid[i])*uint64(l.block[i]) > 1<<32-1 {
			return l.errorf(CodeInvalidConfiguration, "a grid of %v blocks of %v threads has more than 2^32-1 threads in a dimension", l.grid, l.block)
		}
		threads *= uint64(l.block[i])
		groups *= uint64(l.grid[i])
		if threads > maxGroup || groups > 1<<48 {
			return l.errorf(CodeInvalidConfiguration, "a grid of %v blocks of %v threads is too large; a block has at most %d threads", l.grid, l.block, maxGroup)
		}
	}
	if threads > meta.maxThreads {
		return l.errorf(CodeInvalidConfiguration, "a block of %v has %d threads; the kernel was compiled for at most %d", l.block, threads, meta.maxThreads)
	}
	if meta.reqd != [3]uint32{} && meta.reqd != l.block {
		return l.errorf(CodeInvalidConfiguration, "a block of %v; the kernel requires %v", l.block, meta.reqd)
	}
	if lds := uint64(desc.groupSegment) + uint64(dynamicLDS); lds > maxLDS {
		return l.errorf(CodeInvalidConfiguration, "%d bytes of shared memory (%d of them dynamic); a block has at most %d", lds, dynamicLDS, maxLDS)
	}
	if n := uint64(len(kernarg)); n < meta.explicit || n > max(meta.kernargSize, (meta.explicit+15)&^15) {
		return l.errorf(CodeInvalidValue, "%d bytes of arguments; the kernel takes %d", n, meta.explicit)
	}
	l.lds = desc.groupSegment + dynamicLDS
	l.perLane = uint64(desc.privateSegment)
	if meta.dynamicStack || desc.properties&(1<<11) != 0 {
		l.perLane += dynamicStack
	}
	if l.perLane > scratchLimit {
		return l.errorf(CodeInvalidConfiguration, "%d bytes of private memory for each work-item; at most %d", l.perLane, scratchLimit)
	}
	l.perLane = (l.perLane + 15) &^ 15
	l.waves = int(threads+waveSize-1) / waveSize
	l.groups = groups
	l.flush = l.kernel.flush()
	var err error
	if l.fn, err = l.kernel.module.functionAt(l.kernel.entry, l.flush); err != nil {
		return err
	}
	return nil
}

// arguments puts the kernarg segment and the dispatch packet into device memory, into a buffer that launches share.
func (l *launch) arguments(explicit []byte, dynamicLDS uint32) error {
	g := l.gpu
	size := (max(l.kernel.meta.kernargSize, uint64(l.kernel.desc.kernargSize), uint64(len(explicit))) + 63) &^ 63
	if g.args.size < size+packetSize {
		larger, err := g.mem.alloc(size+packetSize, "kernel argument buffer")
		if err != nil {
			return err
		}
		_ = g.mem.release(g.args.addr, "launch") // cannot fail: it is live
		g.args = larger
	}
	b := g.mem.bytes(g.args.addr, size+packetSize)
	clear(b)
	copy(b, explicit)
	l.kernarg, l.packet = g.args.addr, g.args.addr+size
	for _, h := range l.kernel.meta.hidden {
		putUint(b[h.offset:h.offset+h.size], l.hidden(h.kind, dynamicLDS))
	}
	l.fillPacket(b[size:])
	return nil
}

// hidden returns the value of a hidden argument; those that serve features of the HIP runtime (printf, hostcall,
// device-side queues, multi-grid sync) are null.
func (l *launch) hidden(kind string, dynamicLDS uint32) uint64 {
	switch kind {
	case "hidden_block_count_x":
		return uint64(l.grid[0])
	case "hidden_block_count_y":
		return uint64(l.grid[1])
	case "hidden_block_count_z":
		return uint64(l.grid[2])
	case "hidden_group_size_x":
		return uint64(l.block[0])
	case "hidden_group_size_y":
		return uint64(l.block[1])
	case "hidden_group_size_z":
		return uint64(l.block[2])
	case "hidden_grid_dims":
		return uint64(l.dims())
	case "hidden_private_base":
		return privateAperture >> 32
	case "hidden_shared_base":
		return sharedAperture >> 32
	case "hidden_dynamic_lds_size":
		return uint64(dynamicLDS)
	}
	return 0 // remainders and global offsets are 0 in HIP
}

func (l *launch) dims() uint32 {
	switch {
	case l.grid[2]*l.block[2] > 1:
		return 3
	case l.grid[1]*l.block[1] > 1:
		return 2
	}
	return 1
}

// fillPacket writes an hsa_kernel_dispatch_packet_t, which device code reads grid sizes from.
func (l *launch) fillPacket(b []byte) {
	le := binary.LittleEndian
	le.PutUint16(b[2:], uint16(l.dims()))
	for i := range 3 {
		le.PutUint16(b[4+2*i:], uint16(l.block[i]))
		le.PutUint32(b[12+4*i:], l.grid[i]*l.block[i])
	}
	le.PutUint32(b[24:], uint32(l.perLane))
	le.PutUint32(b[28:], l.lds)
	le.PutUint64(b[40:], l.kernarg)
}

func putUint(b []byte, v uint64) {
	for i := range b {
		if i < 8 {
			b[i] = byte(v >> (8 * i))
		}
	}
}

// execute runs all workgroups on the workers.
func (l *launch) execute() {
	g := l.gpu
	n := int(min(uint64(g.workers), l.groups))
	for len(g.pool) < n {
		g.pool = append(g.pool, new(worker))
	}
	if n == 1 {
		g.pool[0].work(l)
		return
	}
	var wg sync.WaitGroup
	for _, w := range g.pool[:n] {
		wg.Go(func() { w.work(l) })
	}
	wg.Wait()
}

// fail records the first error and stops the launch.
func (l *launch) fail(e *Error) {
	l.once.Do(func() { l.err = e })
	l.aborted.Store(true)
}

// work takes workgroups until there are none.
func (w *worker) work(l *launch) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			l.fail(r)
		default: // a mistake in the emulator; the launch fails, the session lives on
			l.fail(l.errorf(CodeLaunchFailure, "the emulator failed: %v\n%s", r, debug.Stack()))
		}
	}()
	w.prepare(l)
	for !l.aborted.Load() {
		id := l.next.Add(1) - 1
		if id >= l.groups {
			return
		}
		w.start(l, id)
		w.runGroup(l)
	}
}

// prepare makes the buffers of a launch.
func (w *worker) prepare(l *launch) {
	w.cache = [cacheLines]region{}
	w.group.gpu, w.group.run = l.gpu, l
	if cap(w.group.lds) < int(l.lds) {
		w.group.lds = make([]byte, maxLDS)
	}
	w.group.lds = w.group.lds[:l.lds]
	for len(w.waves) < l.waves {
		w.waves = append(w.waves, new(wave))
	}
	for _, v := range w.waves[:l.waves] {
		v.group, v.worker, v.perLane = &w.group, w, l.perLane
		if need := int(l.perLane * waveSize); cap(v.scratch) < need {
			v.scratch = make([]byte, need)
		}
		v.scratch = v.scratch[:l.perLane*waveSize]
	}
}

// start sets the registers of a workgroup's waves as the kernel descriptor asks.
func (w *worker) start(l *launch, id uint64) {
	x, y := uint64(l.grid[0]), uint64(l.grid[1])
	w.group.id = [3]uint32{uint32(id % x), uint32(id / x % y), uint32(id / x / y)}
	poison(w.group.lds)
	threads := l.block[0] * l.block[1] * l.block[2]
	for i, v := range w.waves[:l.waves] {
		v.pc, v.fn, v.code, v.scc, v.halt, v.count = 0, l.fn, l.fn.code, false, haltNot, 0
		v.pc = int(l.fn.index[(l.kernel.entry-l.fn.entry)/4])
		v.denorm = uint8(l.kernel.desc.rsrc1 >> denormShift & 15)
		v.lane0 = uint32(i * waveSize)
		v.s[sVCC], v.s[sM0] = 0, 0
		v.s[sExec] = allLanes
		if left := threads - v.lane0; left < waveSize {
			v.s[sExec] = 1<<left - 1
		}
		v.initScalars(l, w.group.id)
		v.numberLanes(l.block)
	}
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
	p, r2 := l.kernel.desc.properties, l.kernel.desc.rsrc2
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
	s = uint16(r2 >> 1 & 31)
	for i, x := range id {
		if r2>>(7+i)&1 != 0 {
			v.s[s] = x
			s++
		}
	}
}

// runGroup runs the waves of a workgroup in turns: each until it ends, waits at a barrier or has used its budget.
func (w *worker) runGroup(l *launch) {
	waves := w.waves[:l.waves]
	defer func() {
		for _, v := range waves {
			l.count.Add(v.count)
		}
	}()
	for live := len(waves); live > 0; {
		waiting := 0
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
			}
		}
		if waiting == live {
			for _, v := range waves {
				if v.halt == haltBarrier {
					v.halt = haltNot
				}
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

// run executes instructions until the wave halts.
func (w *wave) run() {
	w.halt, w.budget = haltNot, yieldAfter
	n := uint64(0)
	for w.halt == haltNot {
		in := &w.code[w.pc]
		w.pc++
		n++
		in.fn(w, in)
	}
	w.count += n
}

// address returns the device address of an offset in the image.
func (w *wave) address(offset uint32) uint64 {
	return w.group.run.kernel.module.image.addr + uint64(offset)
}

// jump continues at a device address, which may be in another function of the module.
func (w *wave) jump(target uint64) {
	l := w.group.run
	offset := target - l.kernel.module.image.addr
	f := w.fn
	if offset < f.entry || offset >= f.end {
		var err error
		if f, err = l.kernel.module.functionAt(offset, l.flush); err != nil {
			w.fail(CodeLaunchFailure, "%v", err)
		}
	}
	i := f.index[(offset-f.entry)/4]
	if offset%4 != 0 || i < 0 {
		w.fail(CodeLaunchFailure, "a jump into the middle of an instruction, at %#x", target)
	}
	if w.budget--; w.budget < 0 {
		w.halt = haltYield
	}
	w.fn, w.code, w.pc = f, f.code, int(i)
}

// fault makes the error of an instruction that cannot go on: it says where in the code and in the grid.
func (w *wave) fault(code int, format string, args ...any) *Error {
	l := w.group.run
	in := &w.code[max(w.pc-1, 0)]
	e := l.errorf(code, "%s (in block %v, %s at %s+%#x)", fmt.Sprintf(format, args...), w.group.id, in.name, w.fn.name, uint64(in.at)-w.fn.entry)
	return e
}

// fail ends the launch with an error.
func (w *wave) fail(code int, format string, args ...any) { panic(w.fault(code, format, args...)) }

// workItem names the work-item of a lane by its position in the block.
func (w *wave) workItem(lane int) string {
	t, b := w.lane0+uint32(lane), w.group.run.block
	return fmt.Sprint([3]uint32{t % b[0], t / b[0] % b[1], t / b[0] / b[1]})
}
