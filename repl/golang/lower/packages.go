package lower

import (
	"embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/data"
	"github.com/gorocm/gorocm/repl/modules"
)

// Adopt makes a checked package one whose functions are lowered on demand.
func (st *State) Adopt(p *modules.Checked) {
	st.Types.Adopt(p)
	for i, f := range p.Syntax {
		name := st.scope.Fset.Position(f.Pos()).Filename
		st.files[name] = p.Files[i]
		st.rt.Debugger.Alias(name, p.Files[i])
	}
	for _, n := range p.Types.Scope().Names() {
		if v, ok := p.Types.Scope().Lookup(n).(*types.Var); ok {
			st.Slots.Set(v, st.NewSlot(v.Type()))
		}
	}
}

// initStmt is the assignment that an initialiser stands for, nil for one that does nothing.
func (st *State) initStmt(p *modules.Checked, init *types.Initializer) ast.Stmt {
	s := &ast.AssignStmt{Tok: token.ASSIGN, TokPos: init.Rhs.Pos(), Rhs: []ast.Expr{init.Rhs}}
	blank := true
	for _, v := range init.Lhs {
		id := &ast.Ident{NamePos: v.Pos(), Name: v.Name()}
		if v.Name() != "_" {
			blank = false
			p.Info.Uses[id] = v
		}
		s.Lhs = append(s.Lhs, id)
	}
	if blank && !hasCall(p.Info, init.Rhs) {
		return nil // only says that a type implements an interface
	}
	return s
}

// LowerInit lowers and loads what initialises a third-party package that was adopted: its variables and its init
// functions. The function that Run names is still to be called; it is "" where there is nothing to do.
func (st *State) LowerInit(p *modules.Checked) (*Code, *check.Failure) {
	st.scope.Mu.Lock()
	defer st.scope.Mu.Unlock()
	for _, m := range p.Embeds {
		if err := setEmbed(st.Slots.Of(m.Var).Ptr.Elem(), m); err != nil {
			return nil, &check.Failure{Name: "ImportError", Message: p.Path + ": " + err.Error()}
		}
	}
	ck := &check.Checked{Cell: &check.Cell{Name: p.Path}, Info: p.Info}
	u := st.newUnit(ck)
	r := &Code{unit: u}
	body := &ast.BlockStmt{}
	for _, init := range p.Info.InitOrder {
		if len(init.Lhs) == 1 {
			if s := st.Slots.Of(init.Lhs[0]); s != nil && data.Set(s.Ptr.Elem(), p, init, st.scope, st.Types) {
				continue
			}
		}
		if s := st.initStmt(p, init); s != nil {
			body.List = append(body.List, s)
		}
	}
	inits := st.Types.Of(p.Types).Inits
	if len(body.List)+len(inits) == 0 {
		return r, nil
	}
	var names []string
	if len(body.List) > 0 {
		at := body.List[0].Pos()
		fd := &ast.FuncDecl{Name: check.Ident("init"),
			Type: &ast.FuncType{Func: at, Params: &ast.FieldList{Opening: at}}, Body: body}
		fn := types.NewFunc(at, p.Types, "init", types.NewSignatureType(nil, nil, nil, nil, nil, false))
		p.Info.Defs[fd.Name] = fn
		name := u.fresh("vars")
		u.printFunc(&check.Function{Decl: &check.Decl{Node: fd, Names: []string{p.Name + ".init"}}, Object: fn,
			Syntax: fd, Info: p.Info}, name, false, nil)
		names = append(names, name)
	}
	for _, f := range inits {
		name := u.fresh("init")
		u.printFunc(f, name, false, nil)
		names = append(names, name)
	}
	r.Run = u.fresh("start")
	u.out.printf("func %s() {\n%s()\n}", r.Run, strings.Join(names, "()\n"))
	u.printQueued()
	u.finish(r)
	return r, st.Load(r)
}

// setEmbed gives a variable what it embeds. The text is its own: no two variables share bytes.
func setEmbed(to reflect.Value, m modules.Embed) error {
	switch fs, isFS := to.Addr().Interface().(*embed.FS); {
	case isFS:
		var err error
		*fs, err = m.FS()
		return err
	case to.Kind() == reflect.String:
		to.SetString(string(m.Text))
	case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
		to.SetBytes(m.Text)
	default:
		return fmt.Errorf("%s, of type %s, cannot embed a file", m.Var.Name(), m.Var.Type())
	}
	return nil
}

// hasCall reports whether x calls a function.
func hasCall(info *types.Info, x ast.Expr) bool {
	r := false
	ast.Inspect(x, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && !info.Types[c.Fun].IsType() {
			r = true
		}
		return !r
	})
	return r
}
