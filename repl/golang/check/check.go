package check

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
type Checked struct {
	*Cell
	Info      *types.Info
	Decls     []*Decl // the cell's, without those that change nothing, and dependants of what it changes
	again     map[*Decl]bool
	Objs      map[string]types.Object // declared by decls
	Funcs     []*Function
	Vars      []*variable
	Imports   map[string]string // name to path: new ones that lasted
	OutCall   *ast.CallExpr     // the call of out around the last expression
	Uses      map[*Decl]map[types.Object]bool
	unchanged map[string]bool // names that the cell declares again as they are
	Phantom   []*types.Func   // methods that were added to an older type
	Dots      []string        // import paths
	KeepsLast bool            // the shown value becomes _
	Results   map[string]mentionedResult
	Retyped   map[string]retyped
}

// Names that no user can write, for calls that the session inserts. Lowering replaces them.
const (
	OutName  = "out."
	MustName = "must."
)

func (e *Scope) Check(c *Cell) (*Checked, []string, []Problem) {
	stale := map[*Decl]bool{}
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
func (e *Scope) outdate(deps []*Decl, ps []Problem, stale map[*Decl]bool, notes *[]string) bool {
	found := false
	for _, d := range deps {
		for _, p := range ps {
			if p.Pos.Filename == d.Cell && within(e.Fset, p.Pos, d.Node) && !stale[d] {
				stale[d], found = true, true
				if e.upToDate(d) { // otherwise it has been told
					*notes = append(*notes, fmt.Sprintf("%s (%s) still uses what it was compiled with: %s", d.Names[0], d.Cell, p.Message))
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
func (e *Scope) checkAgain(c *Cell, ps *[]Problem, again map[string]bool, stale map[*Decl]bool, notes *[]string) *Checked {
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
			own = own || p.Pos.Filename == c.Name
		}
		if own && !grew {
			if len(again) > 0 {
				*ps = slices.DeleteFunc(next, func(p Problem) bool { return p.Pos.Filename != c.Name })
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
func (e *Scope) dependants(ck *Checked, stale map[*Decl]bool, again map[string]bool) []*Decl {
	changed := map[types.Object]bool{}
	mark := func(name string, obj types.Object) {
		if old := e.Bindings[name]; old != nil && old.Object != nil && old.Object != obj && !SameUse(old.Object, obj) {
			changed[old.Object] = true
		}
	}
	for name, obj := range ck.Objs {
		mark(name, obj)
	}
	for _, v := range ck.Vars {
		if r, ok := ck.Retyped[v.Name]; !ok || r.New != v.Slot {
			mark(v.Name, v.Slot)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var forced []*Decl
	for n := range again {
		if b := e.Bindings[n]; b != nil && b.Decl != nil && !stale[b.Decl] {
			forced = append(forced, b.Decl)
		}
	}
	return e.closure(ck.Cell, changed, stale, forced)
}

// sameKind reports whether a use of a compiles as it is when its name stands for b.
func SameUse(a, b types.Object) bool {
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
func (e *Scope) checkOnce(c *Cell, deps []*Decl) (*Checked, map[string]bool, []Problem) {
	k := e.newChecker(c)
	k.all(deps)
	if len(k.Problems) == 0 {
		k.phantoms()
		k.record()
	}
	if len(k.Problems) > 0 {
		k.hints()
		return nil, k.again, k.Problems
	}
	k.retypeAll()
	return k.Result, k.again, nil
}

func (e *Scope) newChecker(c *Cell) *Checker {
	k := &Checker{Scope: e, declared: map[string]bool{}, mentioned: map[string]bool{}, again: map[string]bool{}}
	k.Result = &Checked{Cell: c, Results: map[string]mentionedResult{}, Retyped: map[string]retyped{}, again: map[*Decl]bool{}, Objs: map[string]types.Object{}, Imports: map[string]string{},
		Uses: map[*Decl]map[types.Object]bool{}, unchanged: map[string]bool{}, Info: NewInfo()}
	return k
}

// all checks the cell together with declarations of older cells.
func (k *Checker) all(deps []*Decl) {
	c := k.Result.Cell
	k.imported = map[string]bool{}
	for _, g := range c.Imports {
		for _, s := range g.Specs {
			k.imported[k.importName(s.(*ast.ImportSpec))] = true
		}
	}
	for _, d := range c.Decls {
		if fd, ok := d.Node.(*ast.FuncDecl); ok && d.Names[0] == "init" {
			k.Problems = append(k.Problems, Problem{Pos: k.Scope.Fset.Position(fd.Name.Pos()), name: "TypeError", Message: "func init must have no arguments and no return values"})
			return
		}
		if d.Spec != nil && k.Scope.sameType(d, c) {
			k.Result.unchanged[d.Names[0]] = true
			continue
		}
		k.Result.Decls = append(k.Result.Decls, d)
	}
	for _, d := range deps {
		k.Result.Decls = append(k.Result.Decls, d)
		k.Result.again[d] = true
	}
	for _, d := range k.Result.Decls {
		for _, n := range d.Names {
			k.declared[n] = true
		}
		k.mention(d.Node)
	}
	if c.Body != nil {
		k.mention(c.Body)
	}
	k.declarations()
	if c.Body != nil {
		k.statements()
	}
	k.bodies()
}

func NewInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

// sameType reports whether a type is declared again as it is: then its variables keep their type.
func (e *Scope) sameType(d *Decl, c *Cell) bool {
	old := e.Bindings[d.Names[0]]
	if old == nil || old.Decl == nil || old.Decl.text != d.text {
		return false
	}
	for o := range e.Uses[old.Decl] {
		if b := e.Bindings[o.Name()]; b == nil || b.Object != o {
			return false
		}
		for _, other := range c.Decls {
			if other.Names[0] == o.Name() && other.text != e.Bindings[o.Name()].Decl.text {
				return false
			}
		}
	}
	// Its methods in this cell must fit the ones that it has.
	for _, m := range c.Decls {
		if m.Receiver == d.Names[0] {
			if have := e.Methods[m.Names[0]]; have != nil && have.SignatureText != SignatureText(m.Node) {
				return false
			}
		}
	}
	return true
}

// checker holds the state of one check.
type Checker struct {
	Scope     *Scope
	Result    *Checked
	declared  map[string]bool // by the cell and its dependants, at package level
	mentioned map[string]bool
	Problems  []Problem
	late      []*Decl         // methods for types of earlier cells
	dry       bool            // nothing outlives the check
	imported  map[string]bool // by the cell itself
	again     map[string]bool // types that must be declared again for their methods
}

func (k *Checker) mention(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			k.mentioned[id.Name] = true
		}
		return true
	})
}

// run checks one file in a package that sees the objects given and what the session has of what is mentioned.
func (k *Checker) run(decls []ast.Decl, objs map[string]types.Object, keep func(types.Error) bool) *types.Scope {
	pkg := k.Scope.FreshScope()
	for _, o := range objs {
		pkg.Scope().Insert(o)
	}
	for name := range k.mentioned {
		if k.imported[name] {
			continue
		}
		if b := k.Scope.Bindings[name]; b != nil && b.Object != nil && !k.declared[name] && objs[name] == nil {
			pkg.Scope().Insert(k.current(name, b.Object))
		} else if o := k.Scope.Dots[name]; b == nil && o != nil && !k.declared[name] && objs[name] == nil {
			pkg.Scope().Insert(o)
		} else if b == nil && !k.declared[name] && objs[name] == nil {
			k.insertResult(pkg.Scope(), name)
		}
	}
	pkg.Scope().Insert(k.Scope.OutFunc)
	for _, m := range k.Scope.MustFuncs {
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
	conf := types.Config{Importer: k.Scope.Modules, GoVersion: GoVersion, Error: func(err error) {
		te, ok := err.(types.Error)
		if !ok {
			k.Problems = append(k.Problems, Problem{name: "TypeError", Message: err.Error()})
			return
		}
		if more, ok := strings.CutPrefix(te.Msg, "\t"); ok {
			if p := k.Scope.Fset.Position(te.Pos); kept && p.IsValid() {
				k.Problems[len(k.Problems)-1].Message += "\n\t" + p.String() + ": " + userText(more)
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
		p := Problem{Pos: k.Scope.Fset.Position(te.Pos), name: "TypeError", Message: userText(te.Msg), at: te.Pos}
		for _, old := range k.Problems {
			if old.at == p.at && (old.Message == p.Message || strings.HasPrefix(old.Message, p.Message+"\n")) {
				return
			}
		}
		k.Problems = append(k.Problems, p)
		kept = true
	}}
	_ = types.NewChecker(&conf, k.Scope.Fset, pkg, k.Result.Info).Files([]*ast.File{file}) // errors go to conf.Error
	return pkg.Scope()
}

// userText removes the package name that go/types gives to types of earlier cells.
func userText(msg string) string {
	msg = strings.Replace(msg, " in argument to "+OutName, "", 1)
	msg = strings.ReplaceAll(msg, "body.", "")
	msg = withoutWrappers(msg)
	for i := 0; ; {
		j := strings.Index(msg[i:], "main.")
		if j < 0 {
			return msg
		}
		j += i
		if j > 0 && (IsIdentByte(msg[j-1]) || msg[j-1] == '.') {
			i = j + 5
			continue
		}
		msg, i = msg[:j]+msg[j+5:], j
	}
}

// withoutInserted removes the calls that the session puts around a user's expressions.
func withoutWrappers(msg string) string {
	for _, name := range []string{OutName + "(", MustName} {
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

func IsIdentByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// importDecls are the cell's imports, the session's that are mentioned, and those that a mentioned package name implies, without
// those that an object given hides.
func (k *Checker) importDecls(objs map[string]types.Object) []ast.Decl {
	var ds []ast.Decl
	for _, g := range k.Result.Cell.Imports {
		ds = append(ds, g)
	}
	add := func(name, path string) {
		ds = append(ds, &ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{Name: ast.NewIdent(name), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}}})
	}
	for name := range k.mentioned {
		if k.declared[name] || k.imported[name] || objs[name] != nil {
			continue
		}
		if b := k.Scope.Bindings[name]; b != nil {
			if b.Object == nil {
				add(name, b.Path)
			}
		} else if path, ok := k.Scope.AutoImports[name]; ok && types.Universe.Lookup(name) == nil {
			add(name, path)
		}
	}
	return ds
}

func (k *Checker) importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value)
	if p, err := k.Scope.Modules.Import(path); err == nil {
		return p.Name()
	}
	return path
}

// throughAliases gives methods on aliases of types of earlier cells those types as receivers: the checker looks for a
// receiver's declaration beside its alias.
func (k *Checker) throughAliases() {
	aliases := map[string]ast.Expr{}
	for _, d := range k.Result.Decls {
		if d.Spec != nil && d.Spec.Assign.IsValid() && d.Spec.TypeParams == nil {
			aliases[d.Names[0]] = ast.Unparen(d.Spec.Type)
		}
	}
	for _, d := range k.Result.Decls {
		if d.Receiver == "" || aliases[d.Receiver] == nil && !k.Scope.isAlias(d.Receiver) {
			continue
		}
		fd := *d.Node.(*ast.FuncDecl)
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
		if !ok || k.declared[id.Name] || k.Scope.Bindings[id.Name] == nil {
			continue
		}
		recv := id.Name
		if k.Scope.isAlias(recv) {
			t := types.Unalias(k.Scope.Bindings[recv].Object.Type())
			if p, ok := t.(*types.Pointer); ok {
				t, pointer = types.Unalias(p.Elem()), true
			}
			named, ok := t.(*types.Named)
			if !ok || k.declared[named.Obj().Name()] || k.Scope.Bindings[named.Obj().Name()] == nil || k.Scope.Bindings[named.Obj().Name()].Object != named.Obj() {
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
		d.Node, d.Receiver, d.Names = &fd, recv, []string{recv + "." + fd.Name.Name}
		k.mentioned[recv], k.declared[d.Names[0]] = true, true
	}
}

// isAlias reports whether a name of the session is an alias of a type.
func (e *Scope) isAlias(name string) bool {
	b := e.Bindings[name]
	if b == nil {
		return false
	}
	tn, ok := b.Object.(*types.TypeName)
	return ok && tn.IsAlias()
}

// declarations checks types, constants and the signatures of functions and methods.
func (k *Checker) declarations() {
	ck := k.Result
	if len(ck.Decls) == 0 && len(ck.Cell.Imports) == 0 {
		return
	}
	var ds []ast.Decl
	k.throughAliases()
	for _, d := range ck.Decls {
		fd, ok := d.Node.(*ast.FuncDecl)
		if !ok {
			ds = append(ds, k.apart(d))
			continue
		}
		stub := *fd
		stub.Body = nil
		if d.Receiver != "" && !k.declared[d.Receiver] && k.Scope.Bindings[d.Receiver] != nil {
			// The checker wants a method beside its type. This one becomes a function, and a method when it is right.
			stub.Recv = nil
			stub.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: d.Names[0]}
			stub.Type = WithReceiver(fd, nil)
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
		if o := scope.Lookup(name); IsSession(o) && k.declared[name] {
			if _, isVar := o.(*types.Var); !isVar && o.Pos() != token.NoPos {
				ck.Objs[name] = o
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
func (k *Checker) lengthsOf(ds []ast.Decl) map[string]ast.Decl {
	r := map[string]ast.Decl{}
	if k.Result.Cell.Body == nil {
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
	for _, s := range k.Result.Cell.Body.List {
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
func (k *Checker) apart(d *Decl) ast.Decl {
	if d.Spec == nil {
		return d.Node
	}
	id, ok := d.Spec.Type.(*ast.Ident)
	if !ok || k.declared[id.Name] || k.Scope.Bindings[id.Name] == nil {
		return d.Node
	}
	spec := *d.Spec
	spec.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
	g := *d.Node.(*ast.GenDecl)
	g.Specs = []ast.Spec{&spec}
	return &g
}

// record notes which objects of the session each declaration uses, and which imports were used.
func (k *Checker) record() {
	ck := k.Result
	for _, d := range ck.Decls {
		u := map[types.Object]bool{}
		ast.Inspect(d.Node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := ck.Info.Uses[id]; o != nil && IsSession(o) && IsGlobal(o) {
					u[o] = true
				}
			}
			return true
		})
		if d.Receiver != "" {
			if tn := ck.Objs[d.Receiver]; tn != nil {
				u[tn] = true
			} else if b := k.Scope.Bindings[d.Receiver]; b != nil && b.Object != nil {
				u[b.Object] = true
			}
		}
		ck.Uses[d] = u
	}
	for id, o := range ck.Info.Uses {
		if p, ok := o.(*types.PkgName); ok {
			ck.Imports[id.Name] = p.Imported().Path()
		}
		if why := k.Scope.Unavailable(o); why != "" {
			k.Problems = append(k.Problems, Problem{Pos: k.Scope.Fset.Position(id.Pos()), name: "TypeError", Message: why})
		}
	}
	for _, g := range ck.Cell.Imports {
		for _, s := range g.Specs {
			s := s.(*ast.ImportSpec)
			path, _ := strconv.Unquote(s.Path.Value)
			switch n := k.importName(s); n {
			case ".":
				ck.Dots = append(ck.Dots, path)
			case "_":
			default:
				ck.Imports[n] = path
			}
		}
	}
}

// isGlobal reports whether an object of the session stands at the top level of a cell, or is a field or method.
func IsGlobal(o types.Object) bool {
	return o.Parent() == nil || o.Parent().Parent() == types.Universe
}

// maxMust is how many values beside an error a call can have to be unwrapped.
const maxMust = 4

// isInserted reports whether a name is one of those that the session writes into cells.
func IsWrapper(name string) bool {
	return strings.HasPrefix(name, OutName) || strings.HasPrefix(name, MustName)
}
