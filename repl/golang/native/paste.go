package native

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// The code of a short function that calls nothing is in the place of its calls, behind a test of whether it is still
// the newest one: where it is not, the function is called.

// mostPasted is how many operations a function has whose code is in the place of its calls, and mostOfAll how many a
// function gets so.
const mostPasted, mostOfAll = 16, 400

// body is the code of a function for the place of its calls.
type body struct {
	f     *ir.Func // nil for one that is called
	given *given   // of one that is given functions; nil for any other
	stack string   // what traces call the function
	older *uint64  // not 0 once it is no longer the newest; only generated code reads it
}

// bodyOf is the code of a function for the place of its calls, nil for one that is called.
func bodyOf(w *work) *body {
	if w.u.Loop != nil || w.literal != nil || w.proc.literal {
		return nil
	}
	if w.f.CanPaste(mostPasted) {
		w.makeBody().f = w.f.Clone()
	}
	w.given()
	return w.body
}

// replace has calls call the newest version, and what is compiled from now on have a new body.
func (p *Proc) replace(with *body) {
	if b := p.body; b != nil && b != with {
		atomic.StoreUint64(b.older, 1)
	}
	p.body = with
}

// bySize are functions in the order in which they are translated: short ones first, whose code others may have.
func bySize(list []*work) []*work {
	size := func(w *work) int { return int(w.u.Syntax.End() - w.u.Syntax.Pos()) }
	return slices.SortedStableFunc(slices.Values(list), func(x, y *work) int { return cmp.Compare(size(x), size(y)) })
}

// pastes is a call whose code is in its place.
type pastes struct {
	f    *ir.Func
	b    *ir.Block // where it begins, and then where the code goes on
	in   *ir.Inlined
	call func() []*ir.Value // adds the call at b
}

// paste adds the code of a function, and the call.
func (p *pastes) paste(x *body, args []*ir.Value, within *ir.Inlined) []*ir.Value {
	block := func() *ir.Block {
		b := p.f.NewBlock()
		b.In = p.in
		return b
	}
	older := p.b.Add(p.f, ir.Load, ir.Uint64, p.f.Int(ir.Ptr, int64(uintptr(unsafe.Pointer(x.older)))))
	newest := p.b.Add(p.f, ir.Eq, ir.Bool, older, p.f.Int(ir.Uint64, 0))
	from, other, done := p.b, block(), block()
	other.Cold = true
	code := p.f.Paste(x.f, args, within)
	from.Kind, from.Control, from.Succs = ir.If, newest, []*ir.Block{code.Entry, other}
	code.Entry.Preds, other.Preds = []*ir.Block{from}, []*ir.Block{from}
	list := make([]*ir.Value, len(x.f.Results))
	for i, k := range x.f.Results {
		list[i] = done.Add(p.f, ir.Phi, k)
	}
	end := func(b *ir.Block, results []*ir.Value) {
		b.Kind, b.Results, b.Succs = ir.Jump, nil, []*ir.Block{done}
		done.Preds = append(done.Preds, b)
		for i, v := range results {
			list[i].Args = append(list[i].Args, v)
		}
	}
	for _, b := range code.Returns {
		end(b, b.Results)
	}
	p.b = other
	results := p.call()
	for _, v := range other.Values {
		v.Cold = v.Op == ir.Call
	}
	end(p.b, results)
	p.b = done
	return list
}

// bodyOf is the code of a function of the session for the place of its calls, nil where it is called.
func (t functions) bodyOf(callee *Proc) *body {
	x := callee.body
	if w := t.batch[callee]; w != nil {
		x = w.body
	}
	if x == nil || x.f == nil {
		return nil
	}
	return x
}

// pasted translates a call of a function of the session whose code can be in its place. call adds the call.
func (t functions) pasted(callee *Proc, args []*ir.Value, call func() []*ir.Value) []*ir.Value {
	x := t.bodyOf(callee)
	if x == nil || t.device != nil || t.p.plain {
		return call()
	}
	for _, b := range x.f.Blocks {
		t.pastedValues += len(b.Values)
	}
	if t.pastedValues > mostOfAll {
		return call()
	}
	*t.keep = append(*t.keep, x.older)
	p := &pastes{f: t.f, b: t.b, in: t.in}
	p.call = func() []*ir.Value {
		t.b = p.b
		list := call()
		p.b = t.b
		return list
	}
	list := p.paste(x, args, &ir.Inlined{Name: x.stack, Call: t.place(), In: t.in})
	t.b = p.b
	return list
}
