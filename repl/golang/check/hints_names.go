package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode"

	"github.com/gorocm/gorocm/internal/edits"
)

// similarName finds the name in reach of a place that an unknown name resembles.
func (k *Checker) similarName(name string, at token.Pos) string {
	var names []string
	for n := range k.Scope.Bindings {
		names = append(names, n)
	}
	for n := range k.declared {
		if !strings.Contains(n, ".") {
			names = append(names, n)
		}
	}
	for n := range k.Scope.Dots {
		names = append(names, n)
	}
	for id, o := range k.Result.Info.Defs {
		if o != nil && o.Parent() != nil && o.Parent().Contains(at) {
			if _, seen := o.Parent().LookupParent(id.Name, at); seen == o {
				names = append(names, id.Name)
			}
		}
	}
	if b := k.Result.Cell.Body; b == nil || at < b.Pos() || at > b.End() {
		for _, v := range k.Result.Vars {
			names = append(names, v.Name)
		}
	}
	names = append(names, types.Universe.Names()...)
	var usable []string
	for _, n := range names {
		if n != name && !strings.HasPrefix(n, OutName) && n != "_" {
			usable = append(usable, n)
		}
	}
	if ast.IsExported(name) {
		if q := k.qualify(name); q != "" {
			return q
		}
	}
	for _, n := range usable {
		if strings.EqualFold(n, name) {
			return n
		}
	}
	if s := foreign[name]; s != "" {
		return s
	}
	if q := k.qualify(name); q != "" {
		return q
	}
	if k.selected(at) { // x of x.F: a package too
		for n := range k.Scope.AutoImports {
			usable = append(usable, n)
		}
	}
	return Similar(name, usable)
}

// qualify finds the package of an exported name that stands without it, in either case.
func (k *Checker) qualify(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	title := string(r)
	for _, p := range usual {
		path, ok := k.Scope.AutoImports[p]
		if b := k.Scope.Bindings[p]; b != nil {
			if path, ok = b.Path, b.Object == nil; !ok {
				continue
			}
		}
		if !ok {
			continue
		}
		if pkg, err := k.Scope.Library.Import(path); err == nil {
			if o := pkg.Scope().Lookup(title); o != nil && o.Exported() {
				return p + "." + title
			}
		}
	}
	return ""
}

func (k *Checker) packageNamed(name string) *types.Package {
	for id, o := range k.Result.Info.Uses {
		if p, ok := o.(*types.PkgName); ok && id.Name == name {
			return p.Imported()
		}
	}
	return nil
}

// methodIn says that name, in any case of letters, is a method of a type of p, first of the one that p is named for. It
// is empty when p has no such type.
func methodIn(p *types.Package, name string) string {
	names := append([]string{strings.ToUpper(p.Name()[:1]) + p.Name()[1:]}, exported(p)...)
	for _, n := range names {
		t, ok := p.Scope().Lookup(n).(*types.TypeName)
		if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		methods := types.NewMethodSet(types.NewPointer(t.Type()))
		for i := range methods.Len() {
			f := methods.At(i).Obj()
			if f.Exported() && strings.EqualFold(f.Name(), name) {
				receiver := types.TypeString(f.Type().(*types.Signature).Recv().Type(), types.RelativeTo(nil))
				receiver = strings.Replace(receiver, p.Path(), p.Name(), 1)
				return f.Name() + " is a method of " + receiver + ": x." + f.Name() + "(…)"
			}
		}
	}
	return ""
}

// makerIn finds the function New… that makes what an unknown name stands for: NewVar for Var, or for Variable.
func makerIn(p *types.Package, name string) string {
	for _, n := range exported(p) {
		of, ok := strings.CutPrefix(n, "New")
		if _, is := p.Scope().Lookup(n).(*types.Func); ok && is && len(of) > 2 && strings.HasPrefix(name, of) {
			return n
		}
	}
	return ""
}

func exported(p *types.Package) []string {
	var r []string
	for _, n := range p.Scope().Names() {
		if ast.IsExported(n) {
			r = append(r, n)
		}
	}
	return r
}

// selectorAt is the selector whose name is at a place, nil if there is none.
func (k *Checker) selectorAt(at token.Pos) (sel *ast.SelectorExpr) {
	k.inspect(func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Pos() == at {
			sel = s
		}
		return sel == nil
	})
	return sel
}

// fromEndHint is for an index that counts from the end, as Python's do.
func fromEndHint(k *Checker, at token.Pos) (hint string) {
	fromEnd := func(x, index ast.Expr) string {
		if u, ok := index.(*ast.UnaryExpr); ok && u.Op == token.SUB {
			return "len(" + k.text(x) + ")-" + k.text(u.X)
		}
		if index == nil {
			return ""
		}
		return k.text(index)
	}
	is := func(e ast.Expr) bool { return e != nil && e.Pos() == at }
	k.inspect(func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.IndexExpr:
			if is(x.Index) {
				hint = didYouMean(k.text(x.X) + "[" + fromEnd(x.X, x.Index) + "]")
			}
		case *ast.SliceExpr:
			if is(x.Low) || is(x.High) {
				hint = didYouMean(k.text(x.X) + "[" + fromEnd(x.X, x.Low) + ":" + fromEnd(x.X, x.High) + "]")
			}
		}
		return hint == ""
	})
	return hint
}

// callAfter is what follows a selector when its name is replaced: its own arguments, or the parentheses that a method
// needs.
func (k *Checker) callAfter(f ast.Expr, name string) string {
	if call := k.callOf(f); call != nil {
		args := make([]string, len(call.Args))
		for i, a := range call.Args {
			args[i] = k.text(a)
		}
		return "(" + strings.Join(args, ", ") + ")"
	}
	if sel, ok := f.(*ast.SelectorExpr); ok && name != "" {
		o, _, _ := types.LookupFieldOrMethod(k.typeOf(sel.X), true, nil, name)
		if _, ok := o.(*types.Func); ok {
			return "()"
		}
	}
	return ""
}

// callOf is the call whose function is an expression, nil if there is none.
func (k *Checker) callOf(f ast.Expr) (call *ast.CallExpr) {
	k.inspect(func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Fun == f {
			call = c
		}
		return call == nil
	})
	return call
}

// memberHint finds the field or method that the unknown one at a place resembles.
func (k *Checker) memberHint(name string, at token.Pos) string {
	sel := k.selectorAt(at)
	if sel == nil {
		return ""
	}
	t := k.Result.Info.Types[sel.X].Type
	if t == nil {
		return ""
	}
	if id, ok := sel.X.(*ast.Ident); ok {
		if path, isPkg := k.Scope.AutoImports[id.Name]; isPkg {
			if pkg, err := k.Scope.Library.Import(path); err == nil && pkg.Scope().Lookup(name) != nil &&
				ast.IsExported(name) {
				return id.Name + " is a variable that hides the package: import \"" + path + "\" brings that back"
			}
		}
	}
	if h := k.olderHint(sel.X.Pos()); strings.Contains(h, "declared again") {
		return h
	}
	x := UserText(types.ExprString(sel.X))
	if call := typedRead(name, x, t); call != "" {
		return didYouMean(call)
	}
	if h := cmp.Or(frameMemberHint(name, x, t), memberHints(name, x, t)); h != "" {
		return h
	}
	known := members(t)
	below := ""
	if n, ok := types.Unalias(Deref(t)).(*types.Named); ok && n.Obj().Pkg() != nil && synonym(name, known) == "" {
		below = k.belowHint(n.Obj().Pkg().Path(), name, x, t)
	}
	if below != "" {
		return didYouMean(below)
	}
	if h := functionHint(k, name, x, sel, t); h != "" && synonym(name, known) == "" {
		return h
	}
	if s := cmp.Or(synonym(name, known), Similar(name, known)); s != "" {
		return didYouMean(x + "." + s + k.callAfter(sel, s))
	}
	if some := partOf(name, known); len(some) > 0 {
		return didYouMeanOne(x+".", some, func(s string) string { return k.callAfter(sel, s) })
	}
	switch u := t.Underlying(); strings.ToLower(name) {
	case "len", "length", "size", "count":
		switch u := u.(type) {
		case *types.Slice, *types.Array, *types.Map, *types.Chan:
			return didYouMean("len(" + x + ")")
		case *types.Basic:
			if u.Info()&types.IsString != 0 {
				return didYouMean("len(" + x + ")")
			}
		}
	case "append", "push", "add", "push_back":
		if _, ok := u.(*types.Slice); ok {
			return "append is a function: " + x + " = append(" + x + ", …)"
		}
	case "keys", "values":
		if _, ok := u.(*types.Map); ok {
			return didYouMean("maps." + strings.ToUpper(name[:1]) + name[1:] + "(" + x + ")")
		}
	case "sort":
		if _, ok := u.(*types.Slice); ok {
			return didYouMean("slices.Sort(" + x + ")")
		}
	}
	return ""
}

// members are the fields and methods that a selector on a value of type t can name.
func members(t types.Type) []string {
	var r []string
	usable := func(o types.Object) {
		if o.Exported() || IsSession(o) {
			r = append(r, o.Name())
		}
	}
	of := t
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && !types.IsInterface(t) {
		of = types.NewPointer(t)
	}
	ms := types.NewMethodSet(of)
	for i := range ms.Len() {
		usable(ms.At(i).Obj())
	}
	seen := map[types.Type]bool{}
	var fields func(t types.Type)
	fields = func(t types.Type) {
		st, ok := Underlying(Deref(t)).(*types.Struct)
		if !ok || seen[t] {
			return
		}
		seen[t] = true
		for i := range st.NumFields() {
			f := st.Field(i)
			usable(f)
			if f.Embedded() {
				fields(f.Type())
			}
		}
	}
	fields(t)
	return r
}

// literalAt is the type of the struct literal that has a field at a place.
func (k *Checker) literalAt(at token.Pos) *types.Struct {
	var r *types.Struct
	k.inspect(func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, x := range c.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok && kv.Pos() == at {
				if t := k.Result.Info.Types[c].Type; t != nil {
					r, _ = Underlying(Deref(t)).(*types.Struct)
				}
			}
		}
		return true
	})
	return r
}

func fieldNames(st *types.Struct) []string {
	var r []string
	for i := range st.NumFields() {
		r = append(r, st.Field(i).Name())
	}
	return r
}

// Similar is the name that differs least from one that is not known, "" when all differ too much.
func Similar(name string, known []string) string {
	if len(name) < 3 { // any other short name is as near, unless a letter is missing at the end
		for _, n := range known {
			if len(name) == 2 && len(n) == 3 && n[:2] == name {
				return n
			}
		}
		return ""
	}
	best, least := "", 1+max(1, len([]rune(name))/3)
	for _, n := range known {
		if n == name {
			continue // it stands where it cannot be used
		}
		if d := Distance(strings.ToLower(name), strings.ToLower(n)); d < least || d == least && best != "" &&
			closer(name, n, best) {
			best, least = n, d
		}
	}
	return best
}

// closer breaks a tie: a name with the same beginning is more likely, and the result must not depend on the order of a
// map.
func closer(name, a, b string) bool {
	if x, y := commonPrefix(name, a), commonPrefix(name, b); x != y {
		return x > y
	}
	return a < b
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Distance is how many insertions, deletions, replacements and swaps of neighbours make b of a.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > 4 || d < -4 {
		return max(len(x), len(y))
	}
	return edits.DistanceSwapping(x, y)
}
