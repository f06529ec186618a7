package emulator

import "fmt"

// run executes instructions until the wave halts.
func (w *wave) run() {
	w.halt, w.budget = haltNot, yieldAfter
	if w.worker.watch != nil {
		w.runWatched()
		return
	}
	n := uint64(0)
	w.host = w.fn.host.Load()
	for w.halt == haltNot {
		if w.host != nil && w.runHost() {
			break
		}
		in := &w.code[w.pc]
		w.pc++
		n++
		in.fn(w, in)
	}
	w.count += n
	w.fn.heated(n)
}

// address returns the device address of an offset in the image.
func (w *wave) address(offset uint32) uint64 {
	return w.group.run.kernel.module.image.Addr + uint64(offset)
}

// jump continues at a device address, which may be in another function of the module.
func (w *wave) jump(target uint64) {
	l := w.group.run
	offset := target - l.kernel.module.image.Addr
	f := w.fn
	if offset < f.entry || offset >= f.end {
		var err error
		if f, err = l.kernel.module.functionAt(offset, l.mode); err != nil {
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
	w.fn, w.code, w.pc, w.host = f, f.code, int(i), f.host.Load()
}

// fault makes the error of an instruction that cannot go on: it says where in the grid and in the code.
func (w *wave) fault(code int, format string, args ...any) *Error {
	l := w.group.run
	m, at := l.kernel.module, uint64(w.code[max(w.pc-1, 0)].at)
	e := l.errorf(code, "%s (in block %v, %s)", fmt.Sprintf(format, args...), w.group.id, m.describe(at, l.mode))
	e.Source = m.source(at)
	return e
}

// fail ends the launch with an error.
func (w *wave) fail(code int, format string, args ...any) { panic(w.fault(code, format, args...)) }

// workItem names the work-item of a lane by its position in the block.
func (w *wave) workItem(lane int) string { return w.group.run.workItem(w.lane0 + uint32(lane)) }

// workItem names a work-item of a block by its position.
func (l *launch) workItem(n uint32) string {
	x, y := l.block[0], l.block[1]
	return fmt.Sprint([3]uint32{n % x, n / x % y, n / x / y})
}

// blockName names a block by its position in the grid.
func (l *launch) blockName(n uint32) string {
	x, y := l.grid[0], l.grid[1]
	return fmt.Sprint([3]uint32{n % x, n / x % y, n / x / y})
}
