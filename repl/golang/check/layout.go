package check

import (
	"go/types"
	"math"
	"runtime"
)

// layout is what there is to know of a type before it has a run-time type. All of it is counted up to a bound only, so
// that a type whose size or text would be a number of 60 digits has one, too.
type layout struct {
	size, align int64 // bytes
	parts       int64 // types that it is written with, where each name stands for what it is declared as
	levels      int   // types inside one another, up to the next name

	open, recursive bool // it is being looked at; it contains itself, by way of a pointer
}

// layouts computes layouts. Each type is looked at once: one that is twice in another, which is twice in a third, and
// so on, would be looked at more often than there is time for.
type layouts map[types.Type]layout

// beyond is a size or number that is larger than any that is used.
const beyond = math.MaxInt64 / 4

var wordSizes = types.SizesFor("gc", runtime.GOARCH)

func (ls layouts) of(t types.Type) layout {
	t = types.Unalias(t)
	if l, ok := ls[t]; ok {
		if l.open {
			l.recursive = true
			ls[t] = l
		}
		return l
	}
	ls[t] = layout{align: 1, open: true}
	l := ls.compute(t)
	if ls[t].recursive {
		l.parts = 0 // its name stands for it
	}
	l.parts = min(l.parts+1, beyond)
	ls[t] = l
	return l
}

func (ls layouts) compute(t types.Type) layout {
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsUntyped != 0 || t.Kind() == types.Invalid {
			return layout{align: 1}
		}
		return layout{size: wordSizes.Sizeof(t), align: wordSizes.Alignof(t)}
	case *types.Named:
		l := ls.of(t.Underlying())
		l.levels = 0
		for a := range t.TypeArgs().Types() {
			l.levels = max(l.levels, ls.of(a).levels+1)
		}
		if !IsSession(t.Obj()) {
			l.parts = 0 // it has a run-time type, or a name
		}
		return l
	case *types.Array:
		e := ls.of(t.Elem())
		return layout{size: times(e.size, t.Len()), align: e.align, parts: e.parts, levels: e.levels + 1}
	case *types.Struct:
		return ls.structure(t)
	case *types.Map:
		return word(ls.of(t.Key()), ls.of(t.Elem()))
	case interface{ Elem() types.Type }: // pointers, slices and channels
		l := word(ls.of(t.Elem()))
		if _, ok := t.(*types.Slice); ok {
			l.size *= 3
		}
		return l
	case *types.Signature:
		var all []layout
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				all = append(all, ls.of(v.Type()))
			}
		}
		return word(all...)
	case *types.Interface:
		l := word()
		l.size *= 2
		return l
	}
	return layout{align: 1} // type parameters, whose instances have sizes
}

// word is the layout of what refers to values of other types.
func word(to ...layout) layout {
	l := layout{size: wordSizes.Sizeof(types.Typ[types.Uintptr]), align: wordSizes.Alignof(types.Typ[types.Uintptr])}
	for _, x := range to {
		l.parts, l.levels = min(l.parts+x.parts, beyond), max(l.levels, x.levels+1)
	}
	return l
}

func (ls layouts) structure(t *types.Struct) layout {
	l := layout{align: 1}
	for f := range t.Fields() {
		x := ls.of(f.Type())
		l.size = min(roundUp(l.size, x.align)+x.size, beyond)
		l.align, l.parts, l.levels = max(l.align, x.align), min(l.parts+x.parts, beyond), max(l.levels, x.levels+1)
	}
	l.size = roundUp(l.size, l.align)
	return l
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// times multiplies sizes.
func times(size, n int64) int64 {
	if n > 0 && size > beyond/n {
		return beyond
	}
	return size * n
}
