package assist

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// names lists what a name without a qualifier may be.
func (p *completing) names(w want) {
	p.rank.want = w
	p.cases()
	p.locals()
	for n, o := range p.v.objs {
		if isPackage(o) {
			p.object(n, o, nearPackage, 0)
		} else {
			p.object(n, o, nearCell, 0)
		}
	}
	for n, b := range p.a.Bindings {
		if b.Object == nil {
			p.rank.add(candidate{text: n, kind: "package", sig: b.Path, near: nearPackage})
		} else {
			p.object(n, b.Object, nearSession, check.CellNumber(b.Cell))
		}
	}
	for n, o := range p.a.Dots {
		p.object(n, o, nearDot, 0)
	}
	p.results()
	p.enumerated(w)
	p.builtins(w)
	if p.rank.prefix == "" {
		return // everything else would be too much
	}
	if w.stmt || !w.types {
		p.keywords(p.words(w)...)
	} else {
		p.keywords("chan", "func", "interface", "map", "struct")
	}
	p.rank.strict = true
	for n, path := range p.a.AutoImports {
		if p.a.Bindings[n] == nil && types.Universe.Lookup(n) == nil {
			p.rank.add(candidate{text: n, kind: "package", sig: path, path: path, near: nearAuto})
		}
	}
}

// results lists the results of cells for somebody who has begun their names.
func (p *completing) results() {
	if !strings.HasPrefix(p.rank.prefix, "_") {
		return
	}
	names := []string{"__", "___"}
	for _, x := range p.a.Results.List {
		names = append(names, "_"+strconv.Itoa(x.Cell))
	}
	for _, n := range names {
		if o, x, _ := p.a.Results.Lookup(n); o != nil && p.a.Bindings[n] == nil {
			p.object(n, o, nearSession, x.Cell)
		}
	}
}

// enumerated lists what a package declares of the type that it has made for its values: tensor.F32 where a tensor.DType
// is wanted.
func (p *completing) enumerated(w want) {
	if w.typ == nil || w.types || types.IsInterface(w.typ) {
		return
	}
	if a, ok := w.typ.(*types.Alias); ok && p.valuesOf(a.Obj().Pkg(), w.typ) {
		return
	}
	if n, ok := types.Unalias(w.typ).(*types.Named); ok {
		p.valuesOf(n.Obj().Pkg(), n)
	}
}

// valuesOf lists the constants and variables of a type in a package, and reports whether there are any.
func (p *completing) valuesOf(pkg *types.Package, t types.Type) (any bool) {
	if pkg == nil || pkg == p.a.Pkg {
		return false
	}
	pkg, err := p.a.Modules.Import(pkg.Path())
	if err != nil {
		return false
	}
	qualifier := p.qualifierOf(pkg)
	if qualifier == "" {
		return false
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		switch o.(type) {
		case *types.Const, *types.Var:
			if o.Exported() && types.Identical(o.Type(), t) && p.a.Unavailable(o) == "" {
				any = true
				p.rank.add(candidate{text: qualifier + "." + name, key: name, kind: check.KindOf(o), obj: o,
					near: nearPackage, path: pkg.Path()})
			}
		}
	}
	return any
}

// qualifierOf is the name that a package has in the cell, "" for none.
func (p *completing) qualifierOf(pkg *types.Package) string {
	for name, o := range p.v.objs {
		if pn, ok := o.(*types.PkgName); ok && pn.Imported().Path() == pkg.Path() {
			return name
		}
	}
	for name, b := range p.a.Bindings {
		if b.Object == nil && b.Path == pkg.Path() {
			return name
		}
	}
	if p.a.Bindings[pkg.Name()] == nil && p.a.AutoImports[pkg.Name()] == pkg.Path() {
		return pkg.Name()
	}
	return ""
}

func (p *completing) object(name string, o types.Object, near, recent int) {
	if o == nil || check.IsWrapper(name) {
		return
	}
	if tn, ok := o.(*types.TypeName); ok && p.rank.prefix == "" && p.rank.want.types && p.before(0) != token.MUL &&
		fitsAssertion(tn.Type(), p.rank.want.typ) == 2 {
		p.rank.hide(name)
		name = "*" + name // only the pointer has the methods
	}
	p.rank.add(candidate{text: name, kind: check.KindOf(o), obj: o, near: near, recent: recent})
}

// locals lists what the blocks around the cursor declare before it.
func (p *completing) locals() {
	if len(p.path) == 0 {
		return
	}
	pos := p.path[len(p.path)-1].Pos()
	near := 0
	visit := func(s *types.Scope) {
		for _, n := range s.Names() {
			if _, o := s.LookupParent(n, pos); o != nil && o.Parent() == s {
				p.object(n, o, min(near, nearCell-1), int(o.Pos()))
			}
		}
		near++
	}
	inner := p.v.scopeAt(pos)
	for _, n := range p.path { // the parameters of a function without a body have no place of their own
		if fd, ok := n.(*ast.FuncDecl); ok && !isLocal(inner) {
			if s := p.v.info.Scopes[fd.Type]; s != nil {
				inner = s
			}
		}
	}
	for s := inner; isLocal(s); s = s.Parent() {
		visit(s)
	}
}

// cases takes the values that a switch has already from the candidates, and what is being declared.
func (p *completing) cases() {
	if len(p.path) < 2 {
		return
	}
	switch parent := p.path[len(p.path)-2].(type) {
	case *ast.CaseClause:
	case *ast.ValueSpec: // nothing is declared in terms of itself
		for _, n := range parent.Names {
			p.rank.hide(n.Name)
		}
		return
	default:
		return
	}
	for i := len(p.path) - 3; i >= 0; i-- {
		var body *ast.BlockStmt
		switch s := p.path[i].(type) {
		case *ast.SwitchStmt:
			body = s.Body
		case *ast.TypeSwitchStmt:
			body = s.Body
		default:
			continue
		}
		for _, s := range body.List {
			c, ok := s.(*ast.CaseClause)
			if !ok {
				continue
			}
			for _, x := range c.List {
				switch x := x.(type) {
				case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr:
					p.rank.hide(types.ExprString(x))
				}
			}
		}
		return
	}
}

func (p *completing) builtins(w want) {
	for _, n := range types.Universe.Names() {
		o := types.Universe.Lookup(n)
		if n == "iota" && p.rank.prefix == "" {
			continue
		}
		kind := check.KindOf(o)
		switch o.(type) {
		case *types.Builtin:
			if w.types || p.rank.prefix == "" {
				continue
			}
			kind = "function"
		case *types.Nil:
			kind = "constant"
			if p.rank.prefix == "" && (w.typ == nil || p.rank.fit(o) == 0) {
				continue
			}
			if p.rank.prefix != "" && w.types {
				p.rank.add(candidate{text: n, kind: kind, near: nearBuiltin}) // case nil
				continue
			}
		case *types.TypeName:
			if p.rank.prefix == "" && !w.types {
				continue
			}
		default:
			if p.rank.prefix == "" && (w.typ == nil || fits(o.Type(), w.typ) == 0) {
				continue
			}
		}
		p.rank.add(candidate{text: n, kind: kind, obj: o, near: nearBuiltin})
	}
}

// words are the keywords that may stand at the cursor.
func (p *completing) words(w want) []string {
	words := []string{"chan", "func", "interface", "map", "struct"}
	switch p.before(0) {
	case token.DEFINE, token.ASSIGN, token.FOR:
		if p.inHeader(token.FOR) {
			words = append(words, "range")
		}
	}
	if !w.stmt {
		return words
	}
	words = append(words, "const", "defer", "for", "go", "goto", "if", "return", "select", "switch", "type", "var")
	top := true
	for _, n := range p.path {
		switch n := n.(type) {
		case *ast.FuncLit:
			top = false
		case *ast.FuncDecl:
			top = top && p.v.file != nil && n.Name.Name == "_" && p.v.base == len(stmtHead)
		case *ast.ForStmt, *ast.RangeStmt:
			words = append(words, "break", "continue")
		case *ast.SwitchStmt:
			words = append(words, "break", "case", "default", "fallthrough")
		case *ast.TypeSwitchStmt, *ast.SelectStmt:
			words = append(words, "break", "case", "default")
		}
	}
	if len(p.path) == 0 {
		words = append(words, "break", "case", "continue", "default", "fallthrough")
	}
	if top {
		words = append(words, "import")
	}
	return words
}

// inHeader reports whether the keyword stands before the cursor on its line, with no brace in between.
func (p *completing) inHeader(keyword token.Token) bool {
	for i := len(p.toks) - 1; i >= 0; i-- {
		switch p.toks[i].Kind {
		case keyword:
			return true
		case token.LBRACE, token.RBRACE, token.SEMICOLON:
			return false
		}
	}
	return false
}

func (p *completing) keywords(words ...string) {
	for _, w := range words {
		if strings.HasPrefix(w, p.rank.prefix) {
			p.rank.add(candidate{text: w, kind: "keyword", near: nearKeyword})
		}
	}
}
