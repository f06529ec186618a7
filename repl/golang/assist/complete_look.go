package assist

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/modules"
)

// view is what go/types knows of the part of a half-written cell that an offset is in: its statements, one function's
// body, or its declarations. Nothing of it outlives the question, and nothing is told to the session.
type view struct {
	a        *Assistant
	fset     *token.FileSet
	src      string // repaired
	items    []check.Item
	file     *ast.File // the part's syntax
	base     int       // what stands before the source in the file
	info     *types.Info
	pkg      *types.Scope            // of the package that the part was checked in
	objs     map[string]types.Object // what the cell declares at its top level, and its variables for function bodies
	decls    map[string]ast.Node     // the syntax of the cell's own declarations; T.M for methods
	late     map[string][]*types.Func
	unwraps  bool            // values with an error unwrap here
	errors   []int           // offsets of syntax errors
	declared map[string]bool // by the cell, its imports too
	mentions map[string]bool
	selected map[string]bool // names that stand before a dot
}

// The parts of a cell are parsed as files of their own.
const (
	declHead = "package main;\n"
	stmtHead = "package main;func _(){"
)

// look checks the part of src around an offset. The source must be repaired; what is wrong with it even so is passed
// over.
func (as *Assistant) look(src string, off int) *view {
	v := &view{a: as, fset: token.NewFileSet(), src: src, items: check.Split(src), objs: map[string]types.Object{},
		decls: map[string]ast.Node{},
		late:  map[string][]*types.Func{}, file: &ast.File{}, info: check.NewInfo(), mentions: map[string]bool{},
		selected: map[string]bool{}}
	isDecl := func(it check.Item) bool { return it.Kind != check.StmtItem }
	isStmt := func(it check.Item) bool { return it.Kind == check.StmtItem }
	inDecl := false
	for _, it := range v.items {
		if isDecl(it) && it.Start <= off && off <= it.End {
			inDecl = true
		}
	}
	var declFile, stmtFile *ast.File
	if check.HasKind(v.items, isDecl) {
		declFile = v.parse(declHead + only(src, v.items, isDecl))
	}
	var body *ast.BlockStmt
	if check.HasKind(v.items, isStmt) {
		stmtFile = v.parse(stmtHead + only(src, v.items, isStmt) + "\n}")
		for _, d := range stmtFile.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && body == nil {
				body = fd.Body
			}
		}
	}
	var at *ast.FuncDecl // whose body the offset is in
	if declFile != nil {
		at = v.signatures(declFile, inDecl, off)
	}
	if body != nil && (!inDecl || at != nil) {
		v.statements(stmtFile, body)
		v.unwraps = true
	}
	if at != nil {
		v.body(declFile, at, body)
		v.unwraps = false
	}
	return v
}

// only is mask that leaves comments.
func only(src string, items []check.Item, want func(check.Item) bool) string {
	b := []byte(src)
	for _, it := range items {
		if want(it) {
			continue
		}
		for i := it.Start; i < it.End; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
		if at := strings.IndexByte(src[it.End:], ';'); it.Semicolon && at >= 0 {
			b[it.End+at] = ' '
		}
	}
	return string(b)
}

func (v *view) parse(src string) *ast.File {
	f, err := parser.ParseFile(v.fset, "", src, parser.SkipObjectResolution|parser.ParseComments|parser.AllErrors)
	if f == nil {
		f = &ast.File{Name: ast.NewIdent("main")}
	}
	head := len(declHead)
	if strings.HasPrefix(src, stmtHead) {
		head = len(stmtHead)
	}
	for _, p := range check.SyntaxErrors(err) {
		v.errors = append(v.errors, p.Pos.Offset-head)
	}
	v.a.NameResults(f)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				v.selected[id.Name] = true
			}
		case *ast.Ident:
			v.mentions[n.Name] = true
		}
		return true
	})
	return f
}

// broken reports whether the parser has tripped over an item.
func (v *view) broken(it check.Item) bool {
	return slices.ContainsFunc(v.errors, func(off int) bool { return it.Start <= off && off <= it.End })
}

// pos turns an offset of the repaired source into a position of the view's file.
func (v *view) pos(off int) token.Pos {
	f := v.fset.File(v.file.FileStart)
	if f == nil {
		return token.NoPos
	}
	return f.Pos(min(max(off+v.base, 0), f.Size()))
}

// off is where a position of the view's file is in the repaired source.
func (v *view) off(pos token.Pos) int {
	f := v.fset.File(v.file.FileStart)
	if f == nil || pos < token.Pos(f.Base()) || pos > token.Pos(f.Base()+f.Size()) {
		return -1
	}
	return f.Offset(pos) - v.base
}

// signatures checks the cell's types, constants and signatures. It returns the function whose body the offset is in.
func (v *view) signatures(f *ast.File, here bool, off int) (at *ast.FuncDecl) {
	v.file, v.base = f, len(declHead)
	pos := v.pos(off)
	var ds []ast.Decl
	var funcs []*ast.FuncDecl
	declared := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) > 0 {
				name = modules.ReceiverName(d.Recv.List[0].Type) + "." + name
			} else {
				declared[name] = true
			}
			v.decls[name] = d
			funcs = append(funcs, d)
			if here && d.Body != nil && d.Body.Lbrace < pos && pos <= d.Body.End() {
				at = d
			}
		case *ast.GenDecl:
			ds = append(ds, d)
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declared[s.Name.Name] = true
					v.decls[s.Name.Name] = d
				case *ast.ValueSpec:
					for _, n := range s.Names {
						declared[n.Name] = true
						v.decls[n.Name] = d
					}
				case *ast.ImportSpec:
					declared[importName(v.a.Scope, s)] = true
				}
			}
		}
	}
	late := map[*ast.FuncDecl]*ast.FuncDecl{}
	for _, d := range funcs {
		stub := *d
		if d.Recv != nil && (len(d.Recv.List) == 0 || !declared[modules.ReceiverName(d.Recv.List[0].Type)]) {
			stub = *asFunction(d) // the checker wants a method beside its type
			late[d] = &stub
		}
		stub.Body = nil
		ds = append(ds, &stub)
	}
	v.declared = declared
	v.check(f, ds, declared)
	for _, n := range v.pkg.Names() {
		if o := v.pkg.Lookup(n); declared[n] && o.Pos() != token.NoPos {
			v.objs[n] = o
		}
	}
	for d, stub := range late {
		fn, ok := v.info.Defs[stub.Name].(*types.Func)
		if !ok || fn.Signature().Params().Len() == 0 || len(d.Recv.List) == 0 {
			continue
		}
		var rest []*types.Var
		for i := 1; i < fn.Signature().Params().Len(); i++ {
			rest = append(rest, fn.Signature().Params().At(i))
		}
		sig := types.NewSignatureType(fn.Signature().Params().At(0), nil, nil, types.NewTuple(rest...),
			fn.Signature().Results(), fn.Signature().Variadic())
		base := modules.ReceiverName(d.Recv.List[0].Type)
		v.late[base] = append(v.late[base], types.NewFunc(d.Name.Pos(), v.a.Pkg, d.Name.Name, sig))
	}
	return at
}

// asFunction is a method as a function whose first parameter is the receiver, under a blank name. Type parameters that
// the receiver names may be any type.
func asFunction(fd *ast.FuncDecl) *ast.FuncDecl {
	f := *fd
	f.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: "_"}
	f.Recv = nil
	if len(fd.Recv.List) == 0 {
		return &f
	}
	var tparams *ast.FieldList
	for _, n := range check.ReceiverTypeParams(fd) {
		if id, ok := n.(*ast.Ident); ok && id.Name != "_" {
			if tparams == nil {
				tparams = &ast.FieldList{}
			}
			tparams.List = append(tparams.List,
				&ast.Field{Names: []*ast.Ident{{NamePos: id.NamePos, Name: id.Name}},
					Type: &ast.Ident{NamePos: id.NamePos, Name: "any"}})
		}
	}
	f.Type = check.WithReceiver(fd, tparams)
	return &f
}

func importName(e *check.Scope, s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		return ""
	}
	if p, err := e.Modules.Import(path); err == nil {
		return p.Name()
	}
	return path
}

// statements checks the cell's statements as the body of a function.
func (v *view) statements(f *ast.File, body *ast.BlockStmt) {
	v.file, v.base = f, len(stmtHead)
	fd := &ast.FuncDecl{Name: &ast.Ident{NamePos: body.Lbrace, Name: "_"},
		Type: &ast.FuncType{Func: body.Lbrace, Params: &ast.FieldList{}}, Body: body}
	for range 6 {
		v.check(f, []ast.Decl{fd}, nil)
		k := &check.Checker{Scope: v.a.Scope, Result: &check.Checked{Info: v.info}}
		if !k.Unwrap(body) {
			return
		}
	}
}

// body checks one function, which sees the variables that the statements define.
func (v *view) body(f *ast.File, fd *ast.FuncDecl, stmts *ast.BlockStmt) {
	if stmts != nil {
		for _, o := range v.topVars(stmts) {
			if v.objs[o.Name()] == nil {
				v.objs[o.Name()] = o
			}
		}
	}
	v.file, v.base = f, len(declHead)
	alone := *fd
	if fd.Recv != nil {
		alone = *asFunction(fd)
	}
	alone.Name = &ast.Ident{NamePos: fd.Name.NamePos, Name: "_"}
	v.check(f, []ast.Decl{&alone}, nil)
}

// topVars are the variables that statements define for the session.
func (v *view) topVars(body *ast.BlockStmt) (vars []*types.Var) {
	add := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok {
			if o, ok := v.info.Defs[id].(*types.Var); ok && id.Name != "_" && o.Type() != types.Typ[types.Invalid] {
				vars = append(vars, types.NewVar(o.Pos(), o.Pkg(), o.Name(), o.Type()))
			}
		}
	}
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, x := range s.Lhs {
					add(x)
				}
			}
		case *ast.DeclStmt:
			if g, ok := s.Decl.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, sp := range g.Specs {
					if vs, ok := sp.(*ast.ValueSpec); ok {
						for _, n := range vs.Names {
							add(n)
						}
					}
				}
			}
		}
	}
	return vars
}

// check checks declarations in a package that sees what the session and the cell have of what is mentioned. Errors are
// passed over.
func (v *view) check(f *ast.File, decls []ast.Decl, declared map[string]bool) {
	e := v.a
	pkg := e.FreshScope()
	for n, o := range v.objs {
		if _, isPkg := o.(*types.PkgName); !isPkg && !declared[n] {
			pkg.Scope().Insert(o)
		}
	}
	for name := range v.mentions {
		if declared[name] || pkg.Scope().Lookup(name) != nil {
			continue
		}
		if b := e.Bindings[name]; b != nil {
			if b.Object != nil {
				pkg.Scope().Insert(b.Object)
			}
		} else if o := e.Dots[name]; o != nil {
			pkg.Scope().Insert(o)
		} else if o, _, _ := e.Results.Lookup(name); o != nil {
			pkg.Scope().Insert(o)
		}
	}
	pkg.Scope().Insert(e.OutFunc)
	for _, m := range e.MustFuncs {
		pkg.Scope().Insert(m)
	}
	file := *f
	file.Decls = append(v.imports(pkg.Scope(), decls, declared), decls...)
	file.Imports = nil
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			for _, s := range g.Specs {
				file.Imports = append(file.Imports, s.(*ast.ImportSpec))
			}
		}
	}
	v.info = check.NewInfo()
	v.info.Scopes = map[ast.Node]*types.Scope{}
	v.pkg = pkg.Scope()
	conf := types.Config{Importer: e.Modules, GoVersion: check.GoVersion, Error: func(error) {}}
	_ = types.NewChecker(&conf, v.fset, pkg, v.info).Files([]*ast.File{&file}) // half-written code has errors
	for _, s := range file.Imports {
		o := v.info.Implicits[s]
		if s.Name != nil {
			o = v.info.Defs[s.Name]
		}
		if o != nil && o.Name() != "_" {
			v.objs[o.Name()] = o
		}
	}
}

// imports are the imports of the cell where decls do not have them, the session's that are mentioned, and those that a
// name before a dot implies.
func (v *view) imports(scope *types.Scope, decls []ast.Decl, declared map[string]bool) []ast.Decl {
	var ds []ast.Decl
	add := func(name, path string) {
		ds = append(ds, &ast.GenDecl{Tok: token.IMPORT,
			Specs: []ast.Spec{&ast.ImportSpec{Name: ast.NewIdent(name),
				Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}}})
	}
	for name := range v.mentions {
		if declared[name] || scope.Lookup(name) != nil {
			continue
		}
		if o, ok := v.objs[name].(*types.PkgName); ok {
			add(name, o.Imported().Path())
		} else if b := v.a.Bindings[name]; b != nil {
			if b.Object == nil {
				add(name, b.Path)
			}
		} else if path := v.a.AutoImports[name]; path != "" && v.selected[name] && types.Universe.Lookup(name) == nil {
			add(name, path)
		}
	}
	return ds
}

// find returns the nodes around the innermost node that test accepts, from the outside in, that node last.
func (v *view) find(test func(ast.Node) bool) (path []ast.Node) {
	if v.file == nil {
		return nil
	}
	var stack []ast.Node
	for _, d := range v.roots() {
		ast.Inspect(d, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if test(n) {
				path = append([]ast.Node(nil), stack...)
			}
			return true
		})
	}
	return path
}

func (v *view) roots() []ast.Node {
	var r []ast.Node
	for _, d := range v.file.Decls {
		r = append(r, d)
	}
	return r
}

// scopeAt is the innermost scope around a position, or the package's.
func (v *view) scopeAt(pos token.Pos) *types.Scope {
	if v.pkg == nil {
		return nil
	}
	if s := v.pkg.Innermost(pos); s != nil {
		return s
	}
	return v.pkg
}

// isLocal reports whether a scope lies inside a function.
func isLocal(s *types.Scope) bool {
	return s != nil && s != types.Universe && s.Parent() != nil && s.Parent() != types.Universe &&
		s.Parent().Parent() != types.Universe
}
