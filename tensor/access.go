package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/graph"
)

// What packages below tensor may do and users may not: see package access.
func init() {
	access.Buffer = func(t any) (*rocm.Buffer, int) { return t.(*Tensor).exposed(false) }
	access.Backend = func(device any) backend.Backend { return device.(*Device).backend }
	access.NewDevice = func(kind, location string, b backend.Backend) any { return newDevice(kind, location, b) }
	access.Operand = func(t any) backend.Operand {
		x := t.(*Tensor)
		check(x.unchanged())
		return backend.Operand{Store: x.store, DType: x.dtype, Layout: x.layout}
	}
	access.Written = func(op string, t any) backend.Operand {
		check(t.(*Tensor).writable(op))
		return t.(*Tensor).writeOperand()
	}
	access.Reduce = func(t any, name string, dims []int, keep bool) any {
		return must(t.(*Tensor).reduce(name, dims, keep))
	}
	access.Tensor = func(device any, o backend.Operand) any {
		return newTensor(device.(*Device), o.DType, o.Layout, o.Store)
	}
	access.New = func(op string, device any, dt kernels.DType, shape []int, run func() (backend.Storage, error)) any {
		return must(newFrom(op, device.(*Device), dt, shape, run))
	}
	access.IndexSelect = func(op string, t, ids any, dim int) any {
		return must(t.(*Tensor).indexSelect(op, ids.(*Tensor), dim))
	}
	access.Room = func(op string, dt kernels.DType, shape []int) { check(room(op, shape, dt)) }
	access.Check = func(op string, device any, err error) { check(failure(op, device.(*Device), err)) }
	access.SameDevice = func(op string, ts []any) { check(sameDevice(op, tensors(ts)...)) }
	access.Pool = func(op string, x any, p kernels.Pool, what backend.Pooled) any {
		if what == backend.Indices {
			return must(x.(*Tensor).windows(op, p, what, I64))
		}
		return must(x.(*Tensor).pooled(op, p, what))
	}
	access.Tracked = func(t any) bool { return tracked(t.(*Tensor)) }
	access.Draw = func(device any, counters int) (uint64, uint64) { return device.(*Device).draw(4 * counters) }
	access.By = func(y any, op string, operands []any, once bool, back func(g any) []any) any {
		grads := func(g *Tensor) (ds []*Tensor, err error) {
			err = Catch(func() error { ds = tensors(back(g)); return nil })
			return ds, err
		}
		return y.(*Tensor).byFunction(op, tensors(operands), once, grads)
	}
	access.Checkpoint = func(op string, f func() any) any {
		return checkpoint(op, func() *Tensor { return f().(*Tensor) })
	}
	access.FreeGradients = func(grads any) { grads.(*GradStore).free() }
	access.OwnGradients = func(grads, t any) {
		found := &grads.(*GradStore).found
		found.Owned = append(found.Owned, t.(*Tensor).store)
	}
	access.Plain = func(t any) any { return t.(*Tensor).plain() }
	access.Backward = func(loss any, ready func(id uint64, grad any)) any {
		t := loss.(*Tensor)
		return t.gradients(t.ones(), nil, graph.Way[*Tensor]{Ready: func(id uint64, g *Tensor) { ready(id, g) }})
	}
	access.Gradients = func(t, grad any, at []any, gradientsToo bool) []any {
		way := graph.Way[*Tensor]{How: graph.Retain}
		if gradientsToo {
			way.How = graph.Keep
		}
		store := t.(*Tensor).gradients(grad.(*Tensor), tensors(at), way)
		out := make([]any, len(at))
		for i, x := range tensors(at) {
			out[i] = store.found.ByID[x.node().ID]
		}
		return out
	}
}

// tensors returns *Tensor that came as any.
func tensors(list []any) []*Tensor {
	ts := make([]*Tensor, len(list))
	for i, x := range list {
		ts[i], _ = x.(*Tensor)
	}
	return ts
}
