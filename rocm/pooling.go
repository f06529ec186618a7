package rocm

import (
	"math"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Pooling takes the average or the greatest element of each window of images, or brings gradients of averages back.
type Pooling struct {
	Elem           string // the type of all elements: f16, bf16, f32 or f64
	Planes, H, W   int    // of X, [Planes H W]
	OH, OW         int    // of Y, [Planes OH OW]
	KH, KW, SH, SW int    // sizes of a window, and from one to the next
	Greatest       bool   // in place of averages
	Backward       bool   // X, the gradient of images, of Y, that of averages
	X, Y           Place
}

// Pool puts a Pooling on the device's stream if the device has a library that takes it and computes what gorocm's kernels do, and reports
// whether it did. A greatest element is NaN where one of the window is, which MIOpen's are not. Errors are as those of Convolve.
func (d *Device) Pool(l *Pooling) (bool, error) {
	size := gemmSizes[l.Elem]
	if size == 0 || !l.regular() || d.recording() != nil {
		return false, nil
	}
	n := d.dnn.open(d)
	if n == nil {
		return false, nil
	}
	if _, ok := n.lib.kind.types[l.Elem]; !ok {
		return false, nil
	}
	if err := l.X.check("pool", d, l.Planes*l.H*l.W, size); err != nil {
		return false, err
	}
	if err := l.Y.check("pool", d, l.Planes*l.OH*l.OW, size); err != nil {
		return false, err
	}
	done, err := n.pool(d, l)
	runtime.KeepAlive(l)
	return done, err
}

func (l *Pooling) regular() bool {
	return min(l.Planes, l.KH, l.KW, l.SH, l.SW) > 0 && l.KH <= l.H && l.KW <= l.W &&
		l.OH == (l.H-l.KH)/l.SH+1 && l.OW == (l.W-l.KW)/l.SW+1 && l.Planes*l.H*l.W <= math.MaxInt32
}

// text names the pool in reports.
func (l *Pooling) text() string {
	switch {
	case l.Greatest:
		return l.Elem + " greatest elements of windows"
	case l.Backward:
		return l.Elem + " averages of windows, backward"
	}
	return l.Elem + " averages of windows"
}

// poolPlan is what pools of one shape need.
type poolPlan struct {
	x, y, pool uintptr
	more       []uintptr // arguments that only one library has
}

func (p *poolPlan) drop(lib *dnnLibrary) []step {
	column := lib.kind.platform.Column()
	return drops(
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.x},
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.y},
		dropped{driver.CName[dnnCalls]("dropPool", column), lib.dropPool, p.pool},
	)
}

func (n *deviceDNN) pool(d *Device, l *Pooling) (bool, error) {
	key := *l
	key.X, key.Y = Place{}, Place{}
	fresh := &poolPlan{}
	return n.planned(d, key, l.text(), l.Elem, fresh, func() error { return n.planPool(d, l, fresh) }, func(plan dnnPlan) (step, func(), error) {
		p := plan.(*poolPlan)
		one, zero := factors(l.Elem)
		x, y := side{p.x, l.X.pointer()}, side{p.y, l.Y.pointer()}
		if l.Backward { // of averages, neither the images nor the averages are looked at: the gradients stand for them
			args := []uintptr{n.handle, p.pool, one, y.desc, y.at, y.desc, y.at, x.desc, x.at, zero, x.desc, x.at}
			return n.optional("poolBackward", n.lib.poolBackward, append(args, p.more...)...)
		}
		args := []uintptr{n.handle, p.pool, one, x.desc, x.at, zero, y.desc, y.at}
		return n.optional("pool", n.lib.pool, append(args, p.more...)...)
	})
}

// planPool makes the descriptors.
func (n *deviceDNN) planPool(d *Device, l *Pooling, p *poolPlan) error {
	set, more, ok := n.lib.kind.column.pool(0, l)
	if !ok {
		return errNotSame
	}
	p.more = more
	if err := n.describe(d, &p.x, l.Elem, l.Planes, 1, l.H, l.W); err != nil {
		return err
	}
	if err := n.describe(d, &p.y, l.Elem, l.Planes, 1, l.OH, l.OW); err != nil {
		return err
	}
	if err := n.call(d, n.step("newPool", func() driver.Code { return n.lib.newPool(&p.pool) })); err != nil {
		return err
	}
	set[0] = p.pool
	return n.call(d, n.step("setPool", func() driver.Code { return n.lib.setPool(set...) }))
}
