package tensor

import (
	"bytes"
	"errors"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// pinDevices are the devices that pinned memory is moved to: a GPU where there is one, and the emulated one otherwise.
func pinDevices(t *testing.T) []*Device {
	list := []*Device{openDevice(t, "rocm")}
	if dev, err := NewDevice("cuda"); err == nil {
		list = append(list, dev)
	}
	return list
}

// TestPinMemory moves tensors of several sizes and layouts through locked memory.
func TestPinMemory(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range pinDevices(t) {
		for _, c := range []struct {
			name string
			x    *Tensor
		}{
			{"small", CPU().Arange(F32, 6).Reshape(2, 3)},
			{"scalar", CPU().Full(F64, 3)},
			{"empty", CPU().Zeros(F32, 0, 3)},
			{"large", CPU().Arange(F32, 1<<20).Reshape(1<<10, 1<<10)},
			{"transposed", CPU().Arange(F32, 1<<10).Reshape(1<<5, 1<<5).T()},
			{"from a GPU", dev.Arange(I32, 1<<16).Reshape(2, 1<<15).T()},
		} {
			p := c.x.PinMemory()
			if !p.IsPinned() || !p.Device().IsCPU() || c.x.IsPinned() {
				t.Errorf("%s: pinned %v on %v, the operand %v", c.name, p.IsPinned(), p.Device(), c.x.IsPinned())
			}
			want := c.x.ToBytes()
			sent := p.ToDevice(dev)
			if !bytes.Equal(p.ToBytes(), want) || !bytes.Equal(sent.ToBytes(), want) {
				t.Errorf("%s: the elements are not those", c.name)
			}
			p.CopySet(sent.ZerosLike())
			if !bytes.Equal(p.ToBytes(), make([]byte, len(want))) || !bytes.Equal(sent.ToBytes(), want) {
				t.Errorf("%s: the elements are not those that were set", c.name)
			}
			if p.PinMemory() != p || !p.Unsqueeze(0).IsPinned() {
				t.Errorf("%s: what is pinned is pinned again, or its view is not", c.name)
			}
			p.Free()
			if p.IsPinned() {
				t.Errorf("%s: pinned when freed", c.name)
			}
			if _, err := Try(p.PinMemory); err == nil {
				t.Errorf("%s: a freed tensor was pinned", c.name)
			}
		}
	}
}

// TestPinnedUploads changes a tensor right after it was sent, in each of the ways that there are: what was sent must be
// the elements before.
func TestPinnedUploads(t *testing.T) {
	for _, dev := range pinDevices(t) {
		n := 16 << 20 // more than the bus moves in a moment
		if dev.Emulated() {
			n = 1 << 16
		}
		for name, change := range map[string]func(p *Tensor){
			"an operation":       func(p *Tensor) { p.ConstSet(7) },
			"a part":             func(p *Tensor) { p.Narrow(0, n-100, 100).ConstSet(7) },
			"another's elements": func(p *Tensor) { p.CopySet(dev.Full(F32, 7, n)) },
			"its slice":          func(p *Tensor) { clear(p.Data().([]float32)) },
			"the next tensor": func(p *Tensor) {
				p.Free()
				CPU().Full(F32, 7, n).PinMemory()
			},
		} {
			p := CPU().Arange(F32, float64(n)).PinMemory()
			var sent [3]*Tensor
			for i := range sent {
				sent[i] = p.ToDevice(dev)
			}
			change(p)
			for _, s := range sent {
				if got := s.Sub(dev.Arange(F32, float64(n))).Abs().Max().ToScalar(); got != 0 {
					t.Errorf("%v: %s changed what was sent, by %v", dev, name, got)
				}
			}
		}
		// With a slice around, ToDevice waits.
		p := CPU().Zeros(F32, n).PinMemory()
		slice := p.Data().([]float32)
		sent := p.ToDevice(dev)
		slice[n-1] = 7
		if got := sent.Max().ToScalar(); got != 0 {
			t.Errorf("%v: writing to a slice changed what was sent", dev)
		}
	}
}

// TestCopySetOver writes elements of one device to those of another.
func TestCopySetOver(t *testing.T) {
	for _, dev := range pinDevices(t) {
		for name, c := range map[string]struct{ to, from *Device }{"to the host": {CPU(), dev},
			"to the GPU": {dev, CPU()}} {
			for view, f := range map[string]func(x *Tensor) *Tensor{
				"all":        func(x *Tensor) *Tensor { return x },
				"a part":     func(x *Tensor) *Tensor { return x.Narrow(0, 1, 2) },
				"transposed": func(x *Tensor) *Tensor { return x.T() },
				"a column":   func(x *Tensor) *Tensor { return x.Narrow(1, 2, 1) },
			} {
				to, want := c.to.Zeros(F32, 4, 3), CPU().Zeros(F32, 4, 3)
				for _, from := range []*Tensor{CPU().Arange(F32, 1, float64(1+f(to).ElemCount())).Reshape(f(to).Dims()...), Of(7).ToDType(F32)} {
					f(want).CopySet(from)
					f(to).CopySet(from.ToDevice(c.from))
					if !bytes.Equal(to.ToBytes(), want.ToBytes()) {
						t.Errorf("%s, %s: %v, want %v", name, view, to, want)
					}
				}
			}
			to := c.to.Zeros(F32, 3)
			for kind, from := range map[error]*Tensor{ErrShape: c.from.Zeros(F32, 4),
				ErrDType: c.from.Zeros(I32, 3), ErrGradient: NewVar(c.from.Zeros(F32, 3))} {
				if err := Catch(func() error { to.CopySet(from); return nil }); !errors.Is(err, kind) {
					t.Errorf("%s: %v, want %v", name, err, kind)
				}
			}
			freed := c.from.Zeros(F32, 3)
			freed.Free()
			if err := Catch(func() error { to.CopySet(freed); return nil }); !errors.Is(err, ErrMemory) {
				t.Errorf("%s: what was freed was copied (%v)", name, err)
			}
		}
	}
}
