package tensor

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// PinMemory returns a tensor on the CPU with the elements of t, in page-locked memory, which a GPU reads and writes
// without the processor. It returns t itself when t is pinned already. The elements of a tensor on a GPU are copied
// there directly. PyTorch calls it pin_memory.
//
// ToDevice of a pinned tensor returns before the transfer has ended; writes to the tensor wait for it. After Data has
// returned a slice of the elements, ToDevice waits itself. CopySet copies from a GPU to a pinned tensor directly.
//
// Locking memory takes longer than transferring it, so locked memory is reused: when a pinned tensor is freed or
// collected, another one gets its memory. Pin what is transferred again and again. Locked memory is never swapped out.
//
// Memory is locked for all GPUs of a platform: that of t, or of a device that is open, or of the first GPU that can be
// opened. On the emulated GPU nothing has to be locked. PinMemory panics with ErrDevice when no device can be opened,
// and with ErrMemory when the system locks no more memory.
func (t *Tensor) PinMemory() *Tensor { return must(t.pinMemory("pin memory")) }

// IsPinned reports whether the elements of t are in page-locked memory, as those of PinMemory and of their views are.
func (t *Tensor) IsPinned() bool {
	h, ok := t.store.(*host.Storage)
	return ok && h.IsPinned() && !h.IsFreed()
}

func (t *Tensor) pinMemory(op string) (*Tensor, error) {
	if err := t.alive(op); err != nil {
		return nil, err
	}
	if t.IsPinned() {
		return t, nil
	}
	dev, err := pinningDevice(t.dev)
	if err != nil {
		return nil, caused(&Error{Op: op, Kind: ErrDevice}, err)
	}
	h, err := host.PinnedBlocks.Get(dev.backend.(backend.Pinner), dev.Location(), t.Bytes())
	if err != nil {
		e := &Error{Op: op, Kind: ErrMemory, Shapes: [][]int{t.Dims()}, DTypes: []DType{t.dtype},
			Devices: []string{dev.Location()}}
		return nil, caused(e.note("ulimit -l says how much a process may lock, where that is limited; x.ToDevice moves what is not pinned, too"), err)
	}
	out := dense(CPU(), t.dtype, t.layout.Shape, h)
	if t.ElemCount() == 0 {
		return out, nil
	}
	if t.dev.IsCPU() {
		err = failure(op, t.dev, t.dev.backend.Copy(t.plain().operand(), out.operand()))
	} else {
		err = t.plain().readTo(op, h.Data)
	}
	if err != nil {
		return nil, err
	}
	if from := t.dev; tracked(t) {
		out.by(op, via{t, func(g *Tensor) *Tensor { return g.ToDevice(from) }})
	}
	return out, nil
}

// pinningDevice returns the device that locks memory: dev if it is a GPU, else one that is open, else any other.
func pinningDevice(dev *Device) (*Device, error) {
	if !dev.IsCPU() {
		return dev, nil
	}
	devices.Lock()
	var open []*Device
	for _, d := range devices.open {
		open = append(open, d)
	}
	devices.Unlock()
	slices.SortFunc(open, func(a, b *Device) int { // real GPUs come before emulated ones
		switch {
		case a.Emulated() == b.Emulated():
			return cmp.Compare(a.location, b.location)
		case a.Emulated():
			return 1
		}
		return -1
	})
	if len(open) > 0 {
		return open[0], nil
	}
	first, err := NewDevice("rocm")
	if err == nil && !first.Emulated() {
		return first, nil
	}
	if nvidia, other := NewDevice("cuda"); other == nil {
		return nvidia, nil
	}
	return first, err
}
