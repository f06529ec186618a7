package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// checked is a cell that go/types accepts.
type checked struct {
	*cell
	info      *types.Info
	decls     []*decl // the cell's, without those that change nothing, and dependants of what it changes
	again     map[*decl]bool
	objs      map[string]types.Object // declared by decls
	funcs     []*function
	vars      []*variable
	imports   map[string]string // name to path: new ones that lasted
	out       *ast.CallExpr     // the call of out around the last expression
	uses      map[*decl]map[types.Object]bool
	unchanged map[string]bool // names that the cell declares again as they are
	phantom   []*types.Func   // methods that were added to an older type
	dots      []string        // import paths
	keepsLast bool            // the shown value becomes _
	results   map[string]mentionedResult
	retyped   map[string]retyped
}

// Names that no user can write, for calls that the session inserts. Lowering replaces them.
const (
	outName  = "out."
	mustName = "must."
)

func (e *Scope) checkAll(c *cell) (*checked, []string, []problem) {
	stale := map[*decl]bool{}
	var notes []string
	ck, again, ps := e.checkOnce(c, nil)
	if len(ps) > 0 {
		if ck = e.checkAgain(c, &ps, again, stale, &notes); ck == nil {
			return nil, nil, ps
		}
	}
	for range 8 {
		deps := e.dependants(ck, stale, again)
		if len(deps) == len(ck.again) {
			return ck, notes, nil
		}
		next, _, ps := e.checkOnce(c, deps)
		if len(ps) == 0 {
			ck = next
			continue
		}
		// What no longer compiles keeps what it was compiled with.
		e.outdate(deps, ps, stale, &notes)
		if len(stale) == 0 {
			return ck, append(notes, "earlier functions keep what they were compiled with"), nil
		}
	}
	return ck, notes, nil
}

// outdate notes the declarations that no longer compile, and reports whether there are any.
func (e *Scope) outdate(deps []*decl, ps []problem, stale map[*decl]bool, notes *[]string) bool {
	found := false
	for _, d := range deps {
		for _, p := range ps {
			if p.pos.Filename == d.cell && within(e.fset, p.pos, d.node) && !stale[d] {
				stale[d], found = true, true
				if e.upToDate(d) { // otherwise it has been told
					*notes = append(*notes, fmt.Sprintf("%s (%s) still uses what it was compiled with: %s", d.names[0], d.cell, p.msg))
				}
			}
		}
	}
	return found
}

func within(fset *token.FileSet, pos token.Position, n ast.Node) bool {
	a, b := fset.Position(n.Pos()), fset.Position(n.End())
	return pos.Line >= a.Line && pos.Line <= b.Line
}

// checkAgain checks a cell that does not compile by itself together with what it changes: types that get other methods, and
// declarations that use what the cell declares again.
func (e *Scope) checkAgain(c *cell, ps *[]problem, again map[string]bool, stale map[*decl]bool, notes *[]string) *checked {
	for range 8 {
		deps := e.redeclared(c, again, stale)
		if len(deps) == 0 {
			return nil
		}
		ck, more, next := e.checkOnce(c, deps)
		if len(next) == 0 {
			return ck
		}
		grew := false
		for n := range more {
			grew = grew || !again[n]
			again[n] = true
		}
		own := false
		for _, p := range next {
			own = own || p.pos.Filename == c.name
		}
		if own && !grew {
			if len(again) > 0 {
				*ps = slices.DeleteFunc(next, func(p problem) bool { return p.pos.Filename != c.name })
			}
			return nil
		}
		if !grew {
			grew = e.outdate(deps, next, stale, notes)
		}
		if !grew {
			return nil
		}
	}
	return nil
}

// dependants returns the declarations of older cells that use, directly or not, an object which ck replaces by a different one,
// and the types that are declared again for their methods.
func (e *Scope) dependants(ck *checked, stale map[*decl]bool, again map[string]bool) []*decl {
	changed := map[types.Object]bool{}
	mark := func(name string, obj types.Object) {
		if old := e.bindings[name]; old != nil && old.obj != nil && old.obj != obj && !sameKind(old.obj, obj) {
			changed[old.obj] = true
		}
	}
	for name, obj := range ck.objs {
		mark(name, obj)
	}
	for _, v := range ck.vars {
		if r, ok := ck.retyped[v.name]; !ok || r.new != v.slot {
			mark(v.name, v.slot)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var forced []*decl
	for n := range again {
		if b := e.bindings[n]; b != nil && b.decl != nil && !stale[b.decl] {
			forced = append(forced, b.decl)
		}
	}
	return e.closure(ck.cell, changed, stale, forced)
}

// sameKind reports whether a use of a compiles as it is when its name stands for b.
func sameKind(a, b types.Object) bool {
	switch a := a.(type) {
	case *types.Func:
		b, ok := b.(*types.Func)
		return ok && types.Identical(a.Type(), b.Type()) && a.Signature().TypeParams().Len() == 0
	case *types.Const:
		b, ok := b.(*types.Const)
		return ok && types.Identical(a.Type(), b.Type()) && a.Val().ExactString() == b.Val().ExactString()
	case *types.Var:
		b, ok := b.(*types.Var)
		return ok && types.Identical(a.Type(), b.Type())
	}
	return false
}

// checkOnce checks a cell with declarations of older cells. It returns the types that must be declared again with it.
func (e *Scope) checkOnce(c *cell, deps []*decl) (*checked, map[string]bool, []problem) {
	k := e.newChecker(c)
	k.all(deps)
	if len(k.problems) == 0 {
		k.phantoms()
		k.record()
	}
	if len(k.problems) > 0 {
		k.hints()
		return nil, k.again, k.problems
	}
	k.retypeAll()
	return k.ck, k.again, nil
}

func (e *Scope) newChecker(c *cell) *checker {
	k := &checker{e: e, declared: map[string]bool{}, mentioned: map[string]bool{}, again: map[string]bool{}}
	k.ck = &checked{cell: c, results: map[string]mentionedResult{}, retyped: map[string]retyped{}, again: map[*decl]bool{}, objs: map[string]types.Object{}, imports: map[string]string{},
		uses: map[*decl]map[types.Object]bool{}, unchanged: map[string]bool{}, info: newInfo()}
	return k
}

// all checks the cell together with declarations of older cells.
func (k *checker) all(deps []*decl) {
	c := k.ck.cell
	k.imported = map[string]bool{}
	for _, g := range c.imports {
		for _, s := range g.Specs {
			k.imported[k.importName(s.(*ast.ImportSpec))] = true
		}
	}
	for _, d := range c.decls {
		if fd, ok := d.node.(*ast.FuncDecl); ok && d.names[0] == "init" {
			k.problems = append(k.problems, problem{pos: k.e.fset.Position(fd.Name.Pos()), name: "TypeError", msg: "func init must have no arguments and no return values"})
			return
		}
		if d.spec != nil && k.e.sameType(d, c) {
			k.ck.unchanged[d.names[0]] = true
			continue
		}
		k.ck.decls = append(k.ck.decls, d)
	}
	for _, d := range deps {
		k.ck.decls = append(k.ck.decls, d)
		k.ck.again[d] = true
	}
	for _, d := range k.ck.decls {
		for _, n := range d.names {
			k.declared[n] = true
		}
		k.mention(d.node)
	}
	if c.body != nil {
		k.mention(c.body)
	}
	k.declarations()
	if c.body != nil {
		k.statements()
	}
	k.bodies()
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

// sameType reports whether a type is declared again as it is: then its variables keep their type.
func (e *Scope) sameType(d *decl, c *cell) bool {
	old := e.bindings[d.names[0]]
	if old == nil || old.decl == nil || old.decl.text != d.text {
		return false
	}
	for o := range e.uses[old.decl] {
		if b := e.bindings[o.Name()]; b == nil || b.obj != o {
			return false
		}
		for _, other := range c.decls {
			if other.names[0] == o.Name() && other.text != e.bindings[o.Name()].decl.text {
				return false
			}
		}
	}
	// Its methods in this cell must fit the ones that it has.
	for _, m := range c.decls {
		if m.recv == d.names[0] {
			if have := e.methods[m.names[0]]; have != nil && have.signatureText != signatureText(m.node) {
				return false
			}
		}
	}
	return true
}

// checker holds the state of one check.
type checker struct {
	e         *Scope
	ck        *checked
	declared  map[string]bool // by the cell and its dependants, at package level
	mentioned map[string]bool
	problems  []problem
	late      []*decl         // methods for types of earlier cells
	dry       bool            // nothing outlives the check
	imported  map[string]bool // by the cell itself
	again     map[string]bool // types that must be declared again for their methods
}

func (k *checker) mention(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			k.mentioned[id.Name] = true
		}
		return true
	})
}

// run checks one file in a package that sees the objects given and what the session has of what is mentioned.
func (k *checker) run(decls []ast.Decl, objs map[string]types.Object, keep func(types.Error) bool) *types.Scope {
	pkg := k.e.freshScope()
	for _, o := range objs {
		pkg.Scope().Insert(o)
	}
	for name := range k.mentioned {
		if k.imported[name] {
			continue
		}
		if b := k.e.bindings[name]; b != nil && b.obj != nil && !k.declared[name] && objs[name] == nil {
			pkg.Scope().Insert(k.current(name, b.obj))
		} else if o := k.e.dots[name]; b == nil && o != nil && !k.declared[name] && objs[name] == nil {
			pkg.Scope().Insert(o)
		} else if b == nil && !k.declared[name] && objs[name] == nil {
			k.insertResult(pkg.Scope(), name)
		}
	}
	pkg.Scope().Insert(k.e.out)
	for _, m := range k.e.must {
		pkg.Scope().Insert(m)
	}
	all := k.importDecls(objs)
	all = append(all, decls...)
	file := &ast.File{Name: ast.NewIdent("main"), Decls: all}
	if len(decls) > 0 {
		file.Package = decls[0].Pos()
		file.FileStart, file.FileEnd = decls[0].Pos(), decls[len(decls)-1].End()
	}
	for _, d := range all {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for _, s := range g.Specs {
				file.Imports = append(file.Imports, s.(*ast.ImportSpec))
			}
		}
	}
	kept := false // the last error, whose further lines come as errors of their own
	conf := types.Config{Importer: k.e.packages, GoVersion: goVersion, Error: func(err error) {
		te, ok := err.(types.Error)
		if !ok {
			k.problems = append(k.problems, problem{name: "TypeError", msg: err.Error()})
			return
		}
		if more, ok := strings.CutPrefix(te.Msg, "\t"); ok {
			if p := k.e.fset.Position(te.Pos); kept && p.IsValid() {
				k.problems[len(k.problems)-1].msg += "\n\t" + p.String() + ": " + userText(more)
			}
			return
		}
		kept = false
		if strings.HasSuffix(te.Msg, "and not used") && te.Soft || strings.Contains(te.Msg, "missing function body") {
			return
		}
		if keep != nil && !keep(te) {
			return
		}
		p := problem{pos: k.e.fset.Position(te.Pos), name: "TypeError", msg: userText(te.Msg), at: te.Pos}
		for _, old := range k.problems {
			if old.at == p.at && (old.msg == p.msg || strings.HasPrefix(old.msg, p.msg+"\n")) {
				return
			}
		}
		k.problems = append(k.problems, p)
		kept = true
	}}
	_ = types.NewChecker(&conf, k.e.fset, pkg, k.ck.info).Files([]*ast.File{file}) // errors go to conf.Error
	return pkg.Scope()
}

// userText removes the package name that go/types gives to types of earlier cells.
func userText(msg string) string {
	msg = strings.Replace(msg, " in argument to "+outName, "", 1)
	msg = strings.ReplaceAll(msg, "body.", "")
	msg = withoutInserted(msg)
	for i := 0; ; {
		j := strings.Index(msg[i:], "main.")
		if j < 0 {
			return msg
		}
		j += i
		if j > 0 && (isIdentByte(msg[j-1]) || msg[j-1] == '.') {
			i = j + 5
			continue
		}
		msg, i = msg[:j]+msg[j+5:], j
	}
}

// withoutInserted removes the calls that the session puts around a user's expressions.
func withoutInserted(msg string) string {
	for _, name := range []string{outName + "(", mustName} {
		for i := strings.Index(msg, name); i >= 0; i = strings.Index(msg, name) {
			open := strings.IndexByte(msg[i:], '(')
			if open < 0 {
				break
			}
			open += i
			depth, end := 0, -1
			for j := open; j < len(msg) && end < 0; j++ {
				switch msg[j] {
				case '(':
					depth++
				case ')':
					if depth--; depth == 0 {
						end = j
					}
				}
			}
			if end < 0 {
				break
			}
			msg = msg[:i] + msg[open+1:end] + msg[end+1:]
		}
	}
	return msg
}

func isIdentByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// importDecls are the cell's imports, the session's that are mentioned, and those that a mentioned package name implies, without
// those that an object given hides.
func (k *checker) importDecls(objs map[string]types.Object) []ast.Decl {
	var ds []ast.Decl
	for _, g := range k.ck.cell.imports {
		ds = append(ds, g)
	}
	add := func(name, path string) {
		ds = append(ds, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{Name: ast.NewIdent(name), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}}})
	}
	for name := range k.mentioned {
		if k.declared[name] || k.imported[name] || objs[name] != nil {
			continue
		}
		if b := k.e.bindings[name]; b != nil {
			if b.obj == nil {
				add(name, b.path)
			}
		} else if path, ok := k.e.auto[name]; ok && types.Universe.Lookup(name) == nil {
			add(name, path)
		}
	}
	return ds
}

func (k *checker) importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value)
	if p, err := k.e.packages.Import(path); err == nil {
		return p.Name()
	}
	return path
}

// throughAliases gives methods on aliases of types of earlier cells those types as receivers: the checker looks for a
// receiver's declaration beside its alias.
func (k *checker) throughAliases() {
	aliases := map[string]ast.Expr{}
	for _, d := range k.ck.decls {
		if d.spec != nil && d.spec.Assign.IsValid() && d.spec.TypeParams == nil {
			aliases[d.names[0]] = ast.Unparen(d.spec.Type)
		}
	}
	for _, d := range k.ck.decls {
		if d.recv == "" || aliases[d.recv] == nil && !k.e.isAlias(d.recv) {
			continue
		}
		fd := *d.node.(*ast.FuncDecl)
		x, pointer := ast.Unparen(fd.Recv.List[0].Type), false
		for range 2*len(aliases) + 2 {
			switch y := x.(type) {
			case *ast.StarExpr:
				x, pointer = ast.Unparen(y.X), true
			case *ast.Ident:
				if to := aliases[y.Name]; to != nil {
					x = to
				}
			}
		}
		id, ok := x.(*ast.Ident)
		if !ok || k.declared[id.Name] || k.e.bindings[id.Name] == nil {
			continue
		}
		recv := id.Name
		if k.e.isAlias(recv) {
			t := types.Unalias(k.e.bindings[recv].obj.Type())
			if p, ok := t.(*types.Pointer); ok {
				t, pointer = types.Unalias(p.Elem()), true
			}
			named, ok := t.(*types.Named)
			if !ok || k.declared[named.Obj().Name()] || k.e.bindings[named.Obj().Name()] == nil || k.e.bindings[named.Obj().Name()].obj != named.Obj() {
				continue
			}
			recv = named.Obj().Name()
		}
		x = &ast.Ident{NamePos: fd.Recv.List[0].Type.Pos(), Name: recv}
		if pointer {
			x = &ast.StarExpr{Star: x.Pos(), X: x}
		}
		list := *fd.Recv
		f := *list.List[0]
		f.Type = x
		list.List = []*ast.Field{&f}
		fd.Recv = &list
		d.node, d.recv, d.names = &fd, recv, []string{recv + "." + fd.Name.Name}
		k.mentioned[recv], k.declared[d.names[0]] = true, true
	}
}

// isAlias reports whether a name of the session is an alias of a type.
func (e *Scope) isAlias(name string) bool {
	b := e.bindings[name]
	if b == nil {
		return false
	}
	tn, ok := b.obj.(*types.TypeName)
	return ok && tn.IsAlias()
}

// declarations checks types, constants and the signatures of functions and methods.
func (k *checker) declarations() {
	ck := k.ck
	if len(ck.decls) == 0 && len(ck.cell.imports) == 0 {
		return
	}
	var ds []ast.Decl
	k.throughAliases()
	for _, d := range ck.decls {
		fd, ok := d.node.(*ast.FuncDecl)
		if !ok {
			ds = append(ds, k.apart(d))
			continue
		}
		stub := *fd
		stub.Body = nil
		if d.recv != "" && !k.declared[d.recv] && k.e.bindings[d.recv] != nil {
			// The checker wants a method beside its type. This one becomes a function, and a method when it is right.
			stub.Recv = nil
			stub.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: d.names[0]}
			stub.Type = withReceiver(fd, nil)
			k.late = append(k.late, d)
		}
		ds = append(ds, &stub)
	}
	lengths := k.lengthsOf(ds)
	for name := range lengths {
		k.declared[name] = true
	}
	scope := k.run(slices.AppendSeq(ds, maps.Values(lengths)), nil, nil)
	for name := range lengths {
		delete(k.declared, name)
	}
	for _, name := range scope.Names() {
		if o := scope.Lookup(name); isSession(o) && k.declared[name] {
			if _, isVar := o.(*types.Var); !isVar && o.Pos() != token.NoPos {
				ck.objs[name] = o
			}
		}
	}
	for _, d := range k.late {
		if !k.dry {
			k.lateMethod(d)
		}
	}
}

// lengthsOf are the variables of the cell whose types constants and types may ask for, as in const n = len(a): those that the
// cell's own declarations mention, and that are declared with a type or as a literal.
func (k *checker) lengthsOf(ds []ast.Decl) map[string]ast.Decl {
	r := map[string]ast.Decl{}
	if k.ck.cell.body == nil {
		return r
	}
	mentioned := map[string]bool{}
	for _, d := range ds {
		if g, ok := d.(*ast.GenDecl); ok {
			ast.Inspect(g, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					ast.Inspect(c, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							mentioned[id.Name] = true
						}
						return true
					})
				}
				return true
			})
		}
	}
	for _, s := range k.ck.cell.body.List {
		g := varDecl(s)
		if g == nil || len(g.Specs) != 1 {
			continue
		}
		spec := *g.Specs[0].(*ast.ValueSpec)
		if len(spec.Names) != 1 || !mentioned[spec.Names[0].Name] || k.declared[spec.Names[0].Name] {
			continue
		}
		if spec.Type != nil {
			spec.Values = nil
		} else if _, ok := spec.Values[0].(*ast.CompositeLit); !ok {
			continue
		}
		r[spec.Names[0].Name] = &ast.GenDecl{TokPos: g.TokPos, Tok: token.VAR, Specs: []ast.Spec{&spec}}
	}
	return r
}

// apart is a declaration that go/types can follow: it looks for cycles among the names of declared types, and does not expect
// one that an older cell has declared. In parentheses it is no name.
func (k *checker) apart(d *decl) ast.Decl {
	if d.spec == nil {
		return d.node
	}
	id, ok := d.spec.Type.(*ast.Ident)
	if !ok || k.declared[id.Name] || k.e.bindings[id.Name] == nil {
		return d.node
	}
	spec := *d.spec
	spec.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
	g := *d.node.(*ast.GenDecl)
	g.Specs = []ast.Spec{&spec}
	return &g
}

// record notes which objects of the session each declaration uses, and which imports were used.
func (k *checker) record() {
	ck := k.ck
	for _, d := range ck.decls {
		u := map[types.Object]bool{}
		ast.Inspect(d.node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := ck.info.Uses[id]; o != nil && isSession(o) && isGlobal(o) {
					u[o] = true
				}
			}
			return true
		})
		if d.recv != "" {
			if tn := ck.objs[d.recv]; tn != nil {
				u[tn] = true
			} else if b := k.e.bindings[d.recv]; b != nil && b.obj != nil {
				u[b.obj] = true
			}
		}
		ck.uses[d] = u
	}
	for id, o := range ck.info.Uses {
		if p, ok := o.(*types.PkgName); ok {
			ck.imports[id.Name] = p.Imported().Path()
		}
		if why := k.e.unavailable(o); why != "" {
			k.problems = append(k.problems, problem{pos: k.e.fset.Position(id.Pos()), name: "TypeError", msg: why})
		}
	}
	for _, g := range ck.cell.imports {
		for _, s := range g.Specs {
			s := s.(*ast.ImportSpec)
			path, _ := strconv.Unquote(s.Path.Value)
			switch n := k.importName(s); n {
			case ".":
				ck.dots = append(ck.dots, path)
			case "_":
			default:
				ck.imports[n] = path
			}
		}
	}
}

// isGlobal reports whether an object of the session stands at the top level of a cell, or is a field or method.
func isGlobal(o types.Object) bool {
	return o.Parent() == nil || o.Parent().Parent() == types.Universe
}

// maxMust is how many values beside an error a call can have to be unwrapped.
const maxMust = 4

// isInserted reports whether a name is one of those that the session writes into cells.
func isInserted(name string) bool {
	return strings.HasPrefix(name, outName) || strings.HasPrefix(name, mustName)
}
