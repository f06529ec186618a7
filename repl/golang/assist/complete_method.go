package assist

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// methodPlace completes the name of a method that is being declared, as in func (s Square) Ar: with the parameters and
// results that an interface of the session, or a usual one, wants, and names of methods that the type has already.
func (p *completing) methodPlace() bool {
	name, ok := p.receiver()
	if !ok {
		return false
	}
	declared := map[string]types.Object{}
	for n, b := range p.a.Bindings {
		declared[n] = b.Object
	}
	if p.v.pkg != nil {
		for _, n := range p.v.pkg.Names() {
			declared[n] = p.v.pkg.Lookup(n)
		}
	}
	tn, ok := declared[name].(*types.TypeName)
	if !ok || !check.IsSession(tn) {
		return true
	}
	have := methodSet(tn.Type())
	for i := range have.Len() {
		p.rank.add(candidate{text: have.At(i).Obj().Name(), kind: "method", obj: have.At(i).Obj(), near: 2})
	}
	for _, n := range slices.Sorted(maps.Keys(declared)) {
		it, ok := interfaceOf(declared[n])
		if !ok || n == name {
			continue
		}
		for m := range it.Methods() {
			if have.Lookup(m.Pkg(), m.Name()) == nil {
				p.stub(m.Name(), strings.TrimPrefix(check.Display(m.Signature()), "func"), n)
			}
		}
	}
	for _, m := range usualMethods {
		if have.Lookup(tn.Pkg(), m[0]) == nil {
			p.stub(m[0], m[1], m[2])
		}
	}
	return true
}

// usualMethods are those of interfaces that fmt, errors and package display look for.
var usualMethods = [][3]string{{"String", "() string", "fmt.Stringer"}, {"Error", "() string", "error"},
	{"HTML", "() string", "display"}}

// stub lists a method with its signature, which an interface wants.
func (p *completing) stub(name, sig, of string) {
	p.rank.add(candidate{text: name + sig, key: name, kind: "method", sig: "of " + of, near: 1})
}

func interfaceOf(o types.Object) (*types.Interface, bool) {
	tn, ok := o.(*types.TypeName)
	if !ok || check.IsGeneric(tn.Type()) {
		return nil, false
	}
	it, ok := tn.Type().Underlying().(*types.Interface)
	return it, ok && it.IsMethodSet()
}

// receiver is the name of the type whose method is declared where the cursor is.
func (p *completing) receiver() (name string, ok bool) {
	n := len(p.toks)
	if n < 4 || !p.sameLine() || p.before(0) != token.RPAREN {
		return "", false
	}
	open := n - 2
	for open >= 0 && p.toks[open].Kind != token.LPAREN && p.toks[open].Kind != token.RPAREN {
		open--
	}
	if open < 1 || p.toks[open].Kind != token.LPAREN || p.toks[open-1].Kind != token.FUNC ||
		open > 1 && p.toks[open-2].Kind != token.SEMICOLON {
		return "", false
	}
	inside := p.toks[open+1 : n-1]
	if i := slices.IndexFunc(inside, func(t check.Token) bool { return t.Kind == token.LBRACK }); i > 0 {
		inside = inside[:i] // of a generic type
	}
	if len(inside) == 0 || inside[len(inside)-1].Kind != token.IDENT {
		return "", false
	}
	last := inside[len(inside)-1]
	return p.code[last.Start:last.End], true
}
