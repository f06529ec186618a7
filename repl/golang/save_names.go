package golang

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	displayPath = "github.com/gorocm/gorocm/display"
	preludePath = "github.com/gorocm/gorocm/repl/prelude"
)

// survey finds what the steps mention: identifiers, and variables with the number of steps that they are in.
func (p *savedProgram) survey() {
	labels := map[string]bool{}
	for _, lines := range p.e.sources {
		src := strings.Join(lines, "\n")
		for _, t := range scan(src) {
			if t.tok == token.IDENT {
				p.taken[src[t.off:t.end]] = true
			}
		}
	}
	for _, st := range p.steps {
		mentioned, own, written := map[types.Object]bool{}, map[string]bool{}, map[*ast.Ident]bool{}
		ast.Inspect(st.cell.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN { // to the compiler, a variable that is only written is unused
					for _, x := range n.Lhs {
						if id, ok := x.(*ast.Ident); ok {
							written[id] = true
						}
					}
				}
			case *ast.Ident:
				if v := p.variable(st, n); v != nil {
					mentioned[v] = true
					if st.info.Uses[n] != nil && !written[n] {
						p.read[v], st.reads[v] = true, true
					}
				}
			case *ast.LabeledStmt:
				own[n.Label.Name] = true
				st.wrap = st.wrap || labels[n.Label.Name]
			case *ast.BranchStmt:
				st.wrap = st.wrap || n.Tok == token.GOTO // which must not jump over the variables of main
			}
			return true
		})
		for _, s := range st.cell.body.List {
			defers := false
			st.wrap = leaves(s, &defers) || defers || st.wrap
		}
		if st.shown != nil {
			mentioned[st.shown] = true
		}
		if st.result != nil {
			mentioned[st.result] = true
		}
		for l := range own {
			labels[l] = true
		}
		for v := range mentioned {
			p.uses[v]++
		}
	}
}

// keepsShown finds out which shown values a later step reads as _.
func (p *savedProgram) keepsShown() {
	for i, st := range p.steps {
		if st.shown == nil {
			continue
		}
		for _, later := range p.steps[i+1:] {
			if later.reads[st.shown] {
				st.keeps = true
			}
			if later.shown == st.shown || st.keeps {
				break
			}
		}
	}
}

// variable is the variable of the session that an identifier of a step's statements stands for, nil for anything else.
func (p *savedProgram) variable(st *savedStep, id *ast.Ident) types.Object {
	o := st.info.Uses[id]
	if o == nil {
		o = st.info.Defs[id]
	}
	if slot := st.slots[o]; slot != nil {
		o = slot
	}
	if o = p.final(o); o == nil || !p.vars[o] {
		return nil
	}
	return o
}

// choose finds the declarations that the program needs and the variables that cannot be main's.
func (p *savedProgram) choose() {
	for _, st := range p.steps {
		ast.Inspect(st.cell.body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				p.keepObject(st.info.Uses[id])
			}
			return true
		})
		for _, slot := range st.slots {
			p.keepType(slot.Type())
		}
		if st.wrap { // what its function defines must be seen by the steps that follow
			for _, slot := range st.slots {
				p.global[slot] = p.global[slot] || p.uses[slot] > 1
			}
			for _, v := range p.keptIn(st) {
				p.global[v] = true
			}
		}
	}
	for _, d := range p.e.decls {
		for _, n := range d.names {
			if b := p.e.scope[n]; b != nil && b.decl == d {
				p.keepObject(b.obj)
			}
		}
	}
}

// keepObject keeps the declaration of an object, and what it mentions.
func (p *savedProgram) keepObject(o types.Object) {
	o = p.final(o)
	v := p.versions[o]
	if v == nil || p.kept[v] {
		return
	}
	p.keepVersion(v)
	if _, ok := o.(*types.TypeName); ok {
		for _, name := range slices.Sorted(maps.Keys(p.methods[o])) {
			p.keepVersion(p.methods[o][name])
		}
	}
}

func (p *savedProgram) keepVersion(v *version) {
	p.kept[v] = true
	ast.Inspect(v.d.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			o := p.final(v.info.Uses[id])
			if p.vars[o] {
				p.global[o] = true
				p.keepType(o.Type())
			}
			p.keepObject(o)
		}
		return true
	})
}

// keepType keeps the declarations of the types that a variable's type mentions.
func (p *savedProgram) keepType(t types.Type) {
	seen := map[types.Type]bool{}
	var visit func(types.Type)
	visit = func(t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			p.keepObject(t.Obj())
			for i := range t.TypeArgs().Len() {
				visit(t.TypeArgs().At(i))
			}
		case *types.Alias:
			p.keepObject(t.Obj())
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Signature:
			visit(t.Params())
			visit(t.Results())
		case *types.Tuple:
			for i := range t.Len() {
				visit(t.At(i).Type())
			}
		case *types.Struct:
			for i := range t.NumFields() {
				visit(t.Field(i).Type())
			}
		}
	}
	visit(t)
}

// nameAll gives every kept object its name: the last one of a name keeps it, older ones get a number.
func (p *savedProgram) nameAll() {
	used := map[string]bool{"main": true, "init": true, "_": true}
	if p.runsMain() {
		delete(used, "main")
	}
	take := func(o types.Object, base string) {
		if p.names[o] != "" {
			return
		}
		name := base
		for i := 1; used[name] || name != base && p.taken[name]; i++ {
			name = base + strconv.Itoa(i)
		}
		used[name] = true
		p.names[o] = name
	}
	for _, n := range slices.Sorted(maps.Keys(p.e.scope)) {
		b := p.e.scope[n]
		if b.obj != nil && n != "_" && (p.kept[p.versions[p.final(b.obj)]] || p.vars[p.final(b.obj)]) {
			take(p.final(b.obj), n)
		}
	}
	placed := map[*version]bool{}
	for _, v := range p.order {
		if v.d.spec != nil && len(v.objs) == 1 {
			if now := p.versions[p.final(v.objs[0])]; now != nil {
				v = now // a type stands where it was declared first, above its methods
			}
		}
		if p.kept[v] && !placed[v] {
			placed[v] = true
			p.last = append(p.last, v)
			for _, o := range v.objs {
				take(o, o.Name())
			}
		}
	}
	for _, o := range p.varOrder {
		name := o.Name()
		if name == "_" {
			name = "last"
			if p.taken[name] {
				name = "shown"
			}
		}
		take(o, name)
	}
	for n := range used {
		p.taken[n] = true
	}
}

// runsMain reports whether the steps are those of a Go file: variables, and at the end a call of the main that they declare, which
// then is the program's.
func (p *savedProgram) runsMain() bool {
	var list []ast.Stmt
	for _, st := range p.steps {
		list = append(list, st.cell.body.List...)
	}
	b := p.e.scope["main"]
	if len(list) == 0 || b == nil || b.decl == nil {
		return false
	}
	for i, s := range list {
		if i < len(list)-1 {
			if varDecl(s) == nil {
				return false
			}
			continue
		}
		x, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		c, ok := x.X.(*ast.CallExpr)
		if !ok || len(c.Args) > 0 {
			return false
		}
		if id, ok := c.Fun.(*ast.Ident); !ok || id.Name != "main" {
			return false
		}
	}
	return true
}

// fileVariables writes the variables of a program that runsMain, where a file has them.
func (p *savedProgram) fileVariables() string {
	var specs []string
	for _, st := range p.steps {
		ed := p.edits(st, nil)
		for _, s := range st.cell.body.List {
			if g := varDecl(s); g != nil {
				for _, spec := range g.Specs {
					lead, trail := commentsAround(st.cell.src, ed.offset(s.Pos()), ed.offset(endOf(s)))
					specs = append(specs, lead+ed.text(spec)+trail)
				}
			}
		}
	}
	return specGroup("var", specs)
}

// unused makes a name that nothing else has.
func (p *savedProgram) unused(base string) string {
	name := base
	for i := 1; p.taken[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	p.taken[name] = true
	return name
}

// use imports a package and returns its name in the program.
func (p *savedProgram) use(importPath, name string) string {
	if n, ok := p.imports[importPath]; ok {
		return n
	}
	free := func(name string) bool {
		for _, n := range p.imports {
			if n == name {
				return false
			}
		}
		return !slices.Contains(slices.Collect(maps.Values(p.names)), name)
	}
	n := name
	if !free(n) {
		n = strings.NewReplacer("-", "", ".", "").Replace(path.Base(path.Dir(importPath))) + name
		for i := 1; !free(n) || p.taken[n]; i++ {
			n = name + strconv.Itoa(i)
		}
	}
	p.imports[importPath] = n
	return n
}

// ident is the text for an identifier, as edits want it.
func (p *savedProgram) ident(st *savedStep, info *types.Info, id *ast.Ident) string {
	o := info.Uses[id]
	if o == nil {
		o = info.Defs[id]
	}
	if st != nil && st.slots[o] != nil {
		o = st.slots[o]
	}
	if c, ok := o.(*types.Const); ok && inputName.MatchString(c.Name()) {
		return strconv.Quote(constant.StringVal(c.Val()))
	}
	if pkg, ok := o.(*types.PkgName); ok {
		p.shows = p.shows || pkg.Imported().Path() == displayPath || pkg.Imported().Path() == preludePath
		return p.use(pkg.Imported().Path(), id.Name)
	}
	if o == nil {
		return ""
	}
	if n := p.names[p.final(o)]; n != "" {
		return n
	}
	// A name of another package without a qualifier: cells see some so, and import . makes more.
	if o.Pkg() != nil && !isSession(o) && o.Parent() == o.Pkg().Scope() {
		p.shows = p.shows || o.Pkg().Path() == displayPath || o.Pkg().Path() == preludePath && o.Name() == "Display"
		return p.use(o.Pkg().Path(), o.Pkg().Name()) + "." + o.Name()
	}
	return ""
}

// member is the text for the name after a dot.
func (p *savedProgram) member(info *types.Info, id *ast.Ident) string {
	if f, ok := info.Uses[id].(*types.Func); ok && f.Signature().Recv() != nil {
		return p.names[p.final(f)]
	}
	return ""
}

// typeText spells a type for the program.
func (p *savedProgram) typeText(t types.Type) string {
	// The printer asks for packages only; names that have changed are put in by objects of their own.
	return types.TypeString(p.renamedTypes(t), func(pkg *types.Package) string {
		if pkg.Path() == "main" {
			return ""
		}
		return p.use(pkg.Path(), pkg.Name())
	})
}

// renamedTypes is a type in which the session's types have their names in the program.
func (p *savedProgram) renamedTypes(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Named:
		o := t.Obj()
		n := p.names[p.final(o)]
		if t.TypeArgs().Len() == 0 && (n == "" || n == o.Name()) {
			return t
		}
		if n == "" {
			n = o.Name()
		}
		if t.TypeArgs().Len() > 0 {
			var args []string
			for i := range t.TypeArgs().Len() {
				args = append(args, p.typeText(t.TypeArgs().At(i)))
			}
			if !isSession(o) && o.Pkg() != nil {
				n = p.use(o.Pkg().Path(), o.Pkg().Name()) + "." + n
			}
			n += "[" + strings.Join(args, ", ") + "]"
		}
		return types.NewNamed(types.NewTypeName(token.NoPos, nil, n, nil), t.Underlying(), nil)
	case *types.Pointer:
		return types.NewPointer(p.renamedTypes(t.Elem()))
	case *types.Slice:
		return types.NewSlice(p.renamedTypes(t.Elem()))
	case *types.Array:
		return types.NewArray(p.renamedTypes(t.Elem()), t.Len())
	case *types.Chan:
		return types.NewChan(t.Dir(), p.renamedTypes(t.Elem()))
	case *types.Map:
		return types.NewMap(p.renamedTypes(t.Key()), p.renamedTypes(t.Elem()))
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, p.renamedTuple(t.Params()), p.renamedTuple(t.Results()), t.Variadic())
	}
	return t
}

func (p *savedProgram) renamedTuple(t *types.Tuple) *types.Tuple {
	var vs []*types.Var
	for i := range t.Len() {
		vs = append(vs, types.NewParam(token.NoPos, nil, t.At(i).Name(), p.renamedTypes(t.At(i).Type())))
	}
	return types.NewTuple(vs...)
}

// variables declares the variables that stand outside main.
func (p *savedProgram) variables() string {
	var specs []string
	for _, o := range p.varOrder {
		if p.global[o] {
			specs = append(specs, p.names[o]+" "+p.typeText(o.Type()))
		}
	}
	return specGroup("var", specs)
}

// declaration is the text of a declaration with its comments.
func (p *savedProgram) declaration(v *version) string {
	ed := newEdits(p.e, v.d.cell, v.src)
	ed.ident = func(id *ast.Ident) string { return p.ident(nil, v.info, id) }
	ed.member = func(id *ast.Ident) string { return p.member(v.info, id) }
	if f, ok := v.d.node.(*ast.FuncDecl); ok && v.method != nil {
		ed.rename(f.Name, func(*ast.Ident) string { return p.names[v.method] })
	}
	from, to, head := ed.offset(v.d.node.Pos()), ed.offset(v.d.node.End()), ""
	ed.walk(v.d.node)
	if v.d.spec != nil {
		to = ed.offset(v.d.spec.End())
		if at := ed.offset(v.d.spec.Pos()); strings.Contains(v.src[from:at], "(") {
			head, from = "type ", at
		}
	}
	lead, trail := commentsAround(v.src, from, to)
	return lead + head + ed.apply(from, to) + trail
}
