package assist

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// completeString completes inside the string that begins at from: an import path here, anything else by who called.
func (as *Assistant) completeString(code string, from, cursor int, c *Completion) {
	c.Start, c.End = cursor, cursor
	if isImport(code, from) {
		c.Start, c.End = from+1, textEnd(code, from, cursor)
		typed := code[from+1 : cursor]
		r := &ranking{prefix: typed, seen: map[string]bool{}}
		for _, p := range as.importable() {
			near := 0
			if !strings.HasPrefix(p, typed) {
				if typed == "" || !strings.HasPrefix(p[strings.LastIndexByte(p, '/')+1:], typed) {
					continue
				}
				near = 1 // by the last element
			}
			r.list = append(r.list, candidate{text: p, kind: "package", near: near})
		}
		for i, cand := range r.sorted() {
			m := Match{Text: cand.text, Kind: cand.kind}
			if i < maxDocs {
				m.Doc = synopsis(as.doc(cand.text, ""))
			}
			c.Matches = append(c.Matches, m)
		}
		return
	}
	t := &Text{Start: from + 1, End: textEnd(code, from, cursor), Raw: code[from] == '`'}
	t.Before = code[from+1 : cursor]
	if s, err := strconv.Unquote(`"` + t.Before + `"`); err == nil && !t.Raw {
		t.Before = s
	}
	c.Text = t
	fixed := repair(code)
	v := as.look(fixed.text, fixed.at(from))
	pos := v.pos(fixed.at(from))
	path := v.find(func(n ast.Node) bool {
		l, ok := n.(*ast.BasicLit)
		return ok && l.Pos() == pos
	})
	if len(path) < 2 {
		return
	}
	c.Hint = v.hint(path)
	if x, ok := path[len(path)-2].(*ast.IndexExpr); ok && x.Index == path[len(path)-1] {
		t.Map = v.mapVariable(x.X)
	}
	call, ok := path[len(path)-2].(*ast.CallExpr)
	if !ok {
		return
	}
	for i, a := range call.Args {
		if a == path[len(path)-1] {
			t.Param = i
		}
	}
	if o := v.callee(call); o != nil {
		t.Func = fullName(o)
		if sig, ok := o.Type().Underlying().(*types.Signature); ok && sig.Params().Len() > 0 {
			t.Name = sig.Params().At(min(t.Param, sig.Params().Len()-1)).Name()
		}
	}
}

// Written is a text as the literal has it.
func (t *Text) Written(text string) string {
	if t.Raw {
		return text
	}
	q := strconv.Quote(text)
	return q[1 : len(q)-1]
}

// mapVariable is the name of a variable of the session that is a map from strings, or of a field of a variable that is
// one, as v.Field; empty for anything else.
func (v *view) mapVariable(x ast.Expr) string {
	m, isMap := check.Underlying(v.typeOf(x)).(*types.Map)
	if !isMap {
		return ""
	}
	if k, ok := m.Key().Underlying().(*types.Basic); !ok || k.Kind() != types.String {
		return ""
	}
	return v.variable(x)
}

// variable is the name of a variable of the session or of a field of one; empty for anything else.
func (v *view) variable(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if b := v.a.Bindings[x.Name]; b != nil && b.Object != nil && v.info.ObjectOf(x) == b.Object {
			return x.Name
		}
	case *ast.SelectorExpr:
		if of := v.variable(x.X); of != "" {
			return of + "." + x.Sel.Name
		}
	}
	return ""
}

// fullName is path.Name for a function, path.Type.Name for a method.
func fullName(o types.Object) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	name := o.Name()
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		if n, ok := types.Unalias(check.Deref(f.Signature().Recv().Type())).(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return o.Pkg().Path() + "." + name
}

// textEnd is where the text of the string that begins at from ends: before its closing quote when that is on the
// cursor's line, and at the cursor when there is none.
func textEnd(code string, from, cursor int) int {
	quote := code[from]
	for i := cursor; i < len(code) && code[i] != '\n'; i++ {
		switch {
		case code[i] == quote:
			return i
		case code[i] == '\\' && quote == '"':
			i++
		}
	}
	return cursor
}

// isImport reports whether the string at from is an import path.
func isImport(code string, from int) bool {
	line := strings.TrimSpace(code[strings.LastIndexByte(code[:from], '\n')+1 : from])
	if rest, ok := strings.CutPrefix(line, "import"); ok && !strings.Contains(rest, `"`) {
		return true
	}
	open := strings.LastIndex(code[:from], "import (")
	return open >= 0 && !strings.Contains(code[open:from], ")")
}

// callee is the function, or the variable that holds one, which a call calls; nil for a conversion or a call of
// something else.
func (v *view) callee(call *ast.CallExpr) types.Object {
	if check.IsCallOf(call, check.MustName) || check.IsOut(call) {
		return nil
	}
	x := ast.Unparen(call.Fun)
	switch i := x.(type) {
	case *ast.IndexExpr:
		x = i.X
	case *ast.IndexListExpr:
		x = i.X
	}
	switch x := x.(type) {
	case *ast.Ident:
		return v.info.ObjectOf(x)
	case *ast.SelectorExpr:
		return v.info.ObjectOf(x.Sel)
	}
	return nil
}

// hint is the signature of the innermost call whose arguments hold what path leads to, with that parameter marked.
func (v *view) hint(path []ast.Node) string {
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.FuncLit:
			return ""
		case *ast.CallExpr:
			if check.IsCallOf(n, check.MustName) || check.IsOut(n) || n.Fun == path[i+1] {
				continue
			}
			at := 0
			for j, a := range n.Args {
				if a == path[i+1] {
					at = j
				}
			}
			return v.callHint(n, at)
		}
	}
	return ""
}

// callHint is a call's signature with parameter at marked.
func (v *view) callHint(call *ast.CallExpr, at int) string {
	o := v.callee(call)
	if b, ok := o.(*types.Builtin); ok {
		return markParam(b.Name()+builtins[b.Name()].sig, at)
	}
	sig, ok := check.Underlying(v.typeOf(call.Fun)).(*types.Signature)
	if !ok || v.info.Types[call.Fun].IsType() {
		return ""
	}
	name := "func"
	if o != nil {
		name = o.Name()
	}
	return name + markedSignature(sig, at)
}

// markedSignature prints a signature with one parameter between ‹ and ›.
func markedSignature(sig *types.Signature, at int) string {
	var ps []string
	n := sig.Params().Len()
	if sig.Variadic() {
		at = min(at, n-1)
	}
	for i := range n {
		p := sig.Params().At(i)
		s := check.Display(p.Type())
		if sig.Variadic() && i == n-1 {
			s = "..." + strings.TrimPrefix(s, "[]")
		}
		if p.Name() != "" {
			s = p.Name() + " " + s
		}
		if i == at {
			s = "‹" + s + "›"
		}
		ps = append(ps, s)
	}
	r := "(" + strings.Join(ps, ", ") + ")"
	results := check.Display(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false))
	return r + strings.TrimPrefix(results, "func()")
}

// markParam marks a parameter of a signature that is text.
func markParam(sig string, at int) string {
	open, end := strings.IndexByte(sig, '('), strings.LastIndexByte(sig, ')')
	if i := strings.Index(sig, ") "); i >= 0 {
		end = i
	}
	if open < 0 || end < open+1 {
		return sig
	}
	ps := strings.Split(sig[open+1:end], ", ")
	if strings.Contains(ps[len(ps)-1], "...") {
		at = min(at, len(ps)-1)
	}
	if at < len(ps) && ps[at] != "" {
		ps[at] = "‹" + ps[at] + "›"
	}
	return sig[:open+1] + strings.Join(ps, ", ") + sig[end:]
}
