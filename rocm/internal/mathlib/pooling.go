package mathlib

import (
	"math"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Pooling is a pool of images at addresses of the device's memory. See rocm.Pooling.
type Pooling struct {
	Elem           string
	Planes, H, W   int
	OH, OW         int
	KH, KW, SH, SW int
	Max            bool
	Backward       bool
	X, Y           uintptr
}

// Regular reports whether the sizes are consistent, and fit in 32 bits.
func (l *Pooling) Regular() bool {
	return min(l.Planes, l.KH, l.KW, l.SH, l.SW) > 0 && l.KH <= l.H && l.KW <= l.W &&
		l.OH == (l.H-l.KH)/l.SH+1 && l.OW == (l.W-l.KW)/l.SW+1 && l.Planes*l.H*l.W <= math.MaxInt32
}

// Text names the kind of pool in reports.
func (l *Pooling) Text() string {
	switch {
	case l.Max:
		return l.Elem + " maxima of windows"
	case l.Backward:
		return l.Elem + " averages of windows, backward"
	}
	return l.Elem + " averages of windows"
}

// poolPlan is the descriptors for pools of one shape.
type poolPlan struct {
	x, y, pool uintptr
	extraArgs  []uintptr // after those of both libraries
}

func (p *poolPlan) destroySteps(lib *dnnLibrary) []libraryStep {
	column := lib.kind.Platform.Column()
	return destroySteps(
		descriptor{driver.CName[dnnCalls]("destroyTensor", column), lib.destroyTensor, p.x},
		descriptor{driver.CName[dnnCalls]("destroyTensor", column), lib.destroyTensor, p.y},
		descriptor{driver.CName[dnnCalls]("destroyPool", column), lib.destroyPool, p.pool},
	)
}

// Pool puts a pool on the device's stream. It reports whether the library took it.
func (n *DNN) Pool(d Device, l *Pooling) (bool, error) {
	key := *l
	key.X, key.Y = 0, 0
	fresh := &poolPlan{}
	return n.runPlanned(d, key, l.Text(), l.Elem, fresh, func() error { return n.planPool(d, l, fresh) },
		func(plan dnnPlan) (libraryStep, func(), error) {
			p := plan.(*poolPlan)
			one, zero := scalars(l.Elem)
			x, y := operand{p.x, l.X}, operand{p.y, l.Y}
			if l.Backward { // average pools read neither images nor averages here: the gradients stand in for them
				args := []uintptr{n.handle, p.pool, one, y.desc, y.ptr, y.desc, y.ptr, x.desc, x.ptr, zero, x.desc,
					x.ptr}
				return n.optional("poolBackward", n.lib.poolBackward, append(args, p.extraArgs...)...)
			}
			args := []uintptr{n.handle, p.pool, one, x.desc, x.ptr, zero, y.desc, y.ptr}
			return n.optional("pool", n.lib.pool, append(args, p.extraArgs...)...)
		})
}

// planPool creates the descriptors.
func (n *DNN) planPool(d Device, l *Pooling, p *poolPlan) error {
	set, more, ok := n.lib.kind.vendor.pool(0, l)
	if !ok {
		return errDifferentResult
	}
	p.extraArgs = more
	if err := n.describe(d, &p.x, l.Elem, l.Planes, 1, l.H, l.W); err != nil {
		return err
	}
	if err := n.describe(d, &p.y, l.Elem, l.Planes, 1, l.OH, l.OW); err != nil {
		return err
	}
	if err := n.call(d, n.step("createPool", func() driver.Code { return n.lib.createPool(&p.pool) })); err != nil {
		return err
	}
	set[0] = p.pool
	return n.call(d, n.step("setPool", func() driver.Code { return n.lib.setPool(set...) }))
}
