package rtype

import (
	"go/types"
	"slices"
)

// methodSet returns the methods of t in the order of descriptors, none where there are no stubs.
func (w *World) methodSet(t types.Type) []*types.Selection {
	if Stubs == 0 {
		return nil
	}
	var all []*types.Selection
	for s := range types.NewMethodSet(t).Methods() {
		if m := s.Obj().(*types.Func); w.callable(m) && (w.cfg.Hidden == nil || !w.cfg.Hidden(m)) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *types.Selection) int {
		return compareMethods(a.Obj().(*types.Func), b.Obj().(*types.Func))
	})
	return all
}

// fillMethods gives s, which is t or, with pointer, *t, its methods.
func (w *World) fillMethods(s shell, t types.Type, methods []*types.Selection, pointer bool) {
	for i, sel := range methods {
		m := sel.Obj().(*types.Func)
		if m.Exported() {
			s.uncommon.xcount++
		}
		c := w.callee(t, sel)
		word := pointer || s.flags&flagDirect == 0 // calls through an interface pass a pointer to the receiver
		s.methods[i] = method{name: nameOffset(methodName(m, 0)), typ: typeOffset(c.typ)}
		s.methods[i].ifn = w.stub(c, word)
		s.methods[i].tfn = s.methods[i].ifn
		if word && !pointer {
			s.methods[i].tfn = w.stub(c, false)
		}
	}
}
