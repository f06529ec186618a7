package rtype

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// printer writes types as reflect's String does.
type printer struct {
	b     strings.Builder
	named func(p *printer, t *types.Named)
	inner func(t types.Type) // set for the Inner form: writes a type that has one form
	paths bool               // names that are not exported have the path of their package
}

// typeText returns the String of the Outer form of t.
func typeText(t types.Type) string {
	p := printer{named: outerName}
	p.typ(t)
	return p.b.String()
}

func outerName(p *printer, t *types.Named) {
	if pkg := t.Obj().Pkg(); pkg != nil {
		p.b.WriteString(pkg.Name() + ".")
	}
	p.name(t)
}

// argumentName writes a defined type inside the type arguments of another: with the path of its package, as the
// compiler does.
func argumentName(p *printer, t *types.Named) {
	if pkg := t.Obj().Pkg(); pkg != nil {
		p.b.WriteString(pkg.Path() + ".")
	}
	p.name(t)
}

func (p *printer) name(t *types.Named) {
	p.b.WriteString(t.Obj().Name())
	if t.TypeArgs().Len() == 0 {
		return
	}
	if !strings.HasSuffix(t.Obj().Name(), ";") { // that of a type in a generic function has begun the list
		p.b.WriteByte('[')
	}
	for i := range t.TypeArgs().Len() {
		if i > 0 {
			p.b.WriteByte(',')
		}
		q := printer{named: argumentName, paths: true}
		q.typ(t.TypeArgs().At(i))
		p.b.WriteString(q.b.String())
	}
	p.b.WriteByte(']')
}

// innerText returns the String of the Inner form of t.
func (w *World) innerText(t types.Type) string {
	return w.innerPrint(t, func(t types.Type) string { return w.typ(t, inner).String() })
}

// innerKey returns a text that two types share when their Inner forms are the same.
func (w *World) innerKey(t types.Type) string {
	return w.innerPrint(t, func(t types.Type) string { return fmt.Sprint("#", w.entry(t).id) })
}

// innerPrint writes t without the names that its Inner form lacks. whole writes the types that stay as they are.
func (w *World) innerPrint(t types.Type, whole func(types.Type) string) string {
	var p printer
	p.inner = func(t types.Type) { p.b.WriteString(whole(t)) }
	p.named = func(p *printer, n *types.Named) {
		t := w.canonical(n).(*types.Named)
		if w.compiled(t) == nil && !types.IsInterface(t) && !w.recursive(t) {
			p.typ(t.Underlying())
			return
		}
		p.inner(t)
	}
	p.typ(t)
	return p.b.String()
}

func (p *printer) typ(t types.Type) {
	b := &p.b
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		p.named(p, t)
	case *types.Basic:
		b.WriteString(basic(t).String())
	case *types.Pointer:
		b.WriteByte('*')
		p.typ(t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		p.typ(t.Elem())
	case *types.Array:
		b.WriteString("[" + strconv.FormatInt(t.Len(), 10) + "]")
		p.typ(t.Elem())
	case *types.Map:
		b.WriteString("map[")
		p.typ(t.Key())
		b.WriteByte(']')
		p.typ(t.Elem())
	case *types.Chan:
		p.channel(t)
	case *types.Signature:
		b.WriteString("func")
		p.signature(t)
	case *types.Struct:
		p.structure(t)
	case *types.Interface:
		if p.inner != nil && t.NumMethods() > 0 {
			p.inner(t)
			return
		}
		p.methods(t)
	default:
		panic(fmt.Sprintf("rtype: %v has no run-time type", t))
	}
}

func (p *printer) channel(t *types.Chan) {
	switch t.Dir() {
	case types.SendOnly:
		p.b.WriteString("chan<- ")
	case types.RecvOnly:
		p.b.WriteString("<-chan ")
	default:
		p.b.WriteString("chan ")
		if e, ok := types.Unalias(t.Elem()).(*types.Chan); ok && e.Dir() == types.RecvOnly {
			p.b.WriteByte('(')
			defer p.b.WriteByte(')')
		}
	}
	p.typ(t.Elem())
}

func (p *printer) signature(t *types.Signature) {
	b := &p.b
	b.WriteByte('(')
	for i := range t.Params().Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		typ := t.Params().At(i).Type()
		if s, ok := typ.(*types.Slice); ok && t.Variadic() && i == t.Params().Len()-1 {
			b.WriteString("...")
			typ = s.Elem()
		}
		p.typ(typ)
	}
	b.WriteByte(')')
	n := t.Results().Len()
	if n > 0 {
		b.WriteByte(' ')
	}
	if n > 1 {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		p.typ(t.Results().At(i).Type())
	}
}

func (p *printer) structure(t *types.Struct) {
	b := &p.b
	b.WriteString("struct {")
	for i := range t.NumFields() {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteByte(' ')
		f := t.Field(i)
		switch {
		case p.inner != nil && f.Name() == "_":
			b.WriteString(fieldName(t, i) + " struct { _ ")
			p.typ(f.Type())
			b.WriteString(" }")
		case p.inner != nil:
			b.WriteString(f.Name() + " ")
			p.typ(f.Type())
		case f.Embedded():
			p.typ(f.Type())
		default:
			if p.paths && !f.Exported() {
				b.WriteString(f.Pkg().Path() + ".")
			}
			b.WriteString(f.Name() + " ")
			p.typ(f.Type())
		}
		if tag := t.Tag(i); tag != "" {
			b.WriteString(" " + strconv.Quote(tag))
		}
	}
	if t.NumFields() > 0 {
		b.WriteByte(' ')
	}
	b.WriteByte('}')
}

func (p *printer) methods(t *types.Interface) {
	b := &p.b
	b.WriteString("interface {")
	for i, m := range slices.SortedFunc(t.Methods(), compareMethods) {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteByte(' ')
		switch {
		case m.Exported():
		case p.paths:
			b.WriteString(m.Pkg().Path() + ".")
		default:
			b.WriteString(m.Pkg().Name() + ".")
		}
		b.WriteString(m.Name())
		p.signature(m.Signature())
	}
	if t.NumMethods() > 0 {
		b.WriteByte(' ')
	}
	b.WriteByte('}')
}
