package compiled

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// What only the package's own files can name is named for the source by variables that a file more of the package has,
// and that the source declares: functions that make its structs, where a literal gives unexported fields a value.

const (
	ownName    = "gorocm_compiled" // the compiled package in the source
	madePrefix = "gorocm_made_"
	madeFile   = "gorocm_made.go"
)

// made is a function that makes what a literal in the source does.
type made struct {
	name    string
	pointer *ast.UnaryExpr // &T{}
	of      types.Type
	fields  []*types.Var
}

// makes has a function of the package make what a literal of a compiled struct does. It reports whether there can be
// one.
func (s *sourced) makes(x *ast.CompositeLit, n *types.Named, t *types.Struct) bool {
	m := &made{name: fmt.Sprint(madePrefix, len(s.made)), pointer: s.pointers[x], of: n}
	for i, e := range x.Elts {
		f := t.Field(min(i, t.NumFields()-1))
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			key, ok := kv.Key.(*ast.Ident)
			if !ok {
				return false
			}
			if f, ok = s.info.Uses[key].(*types.Var); !ok {
				return false
			}
		}
		m.fields = append(m.fields, f)
		if !s.named(f.Type()) {
			return false
		}
	}
	if x.Type == nil || !s.named(n) {
		return false
	}
	s.made[x] = m
	return true
}

// named reports whether both the source and the package can write a type, and mean the same.
func (s *sourced) named(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() != types.Invalid
	case *types.Alias:
		return t.TypeArgs().Len() == 0 && t.TypeParams().Len() == 0 && s.names(t.Obj())
	case *types.Named:
		return t.TypeArgs().Len() == 0 && t.TypeParams().Len() == 0 && s.names(t.Obj())
	case *types.Map:
		return s.named(t.Key()) && s.named(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		return s.named(t.Elem())
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if !s.named(v.Type()) {
					return false
				}
			}
		}
		return true
	case *types.Interface:
		return t.NumMethods() == 0 && t.NumEmbeddeds() == 0
	case *types.Struct:
		return t.NumFields() == 0
	}
	return false
}

// names reports whether both can name a type.
func (s *sourced) names(o *types.TypeName) bool {
	p := o.Pkg()
	return p == nil || o.Exported() && o.Parent() == p.Scope() && (p == s.pkg || slices.Contains(s.pkg.Imports(), p))
}

// typeWriter writes types, and notes the packages that they need.
type typeWriter struct {
	s       *sourced
	own     string // before names of the package
	imports map[string]string
}

func (w *typeWriter) text(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.s.pkg {
			return w.own
		}
		if w.imports[p.Path()] == "" {
			w.imports[p.Path()] = fmt.Sprint("gorocm_import_", len(w.imports))
		}
		return w.imports[p.Path()]
	})
}

// file is a file with declarations.
func (w *typeWriter) file(decls []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", w.s.pkg.Name())
	text := strings.Join(decls, "")
	if w.own != "" && strings.Contains(text, w.own+".") {
		fmt.Fprintf(&b, "import %s %q\n", w.own, w.s.pkg.Path())
	}
	for _, path := range slices.Sorted(maps.Keys(w.imports)) {
		fmt.Fprintf(&b, "import %s %q\n", w.imports[path], path)
	}
	return append(b.Bytes(), text...)
}

// signature is the type of the function.
func (m *made) signature(w *typeWriter) string {
	var params []string
	for i, f := range m.fields {
		params = append(params, fmt.Sprintf("a%d %s", i, w.text(f.Type())))
	}
	star := ""
	if m.pointer != nil {
		star = "*"
	}
	return fmt.Sprintf("func(%s) %s%s", strings.Join(params, ", "), star, w.text(m.of))
}

// makers are the functions in their order.
func (s *sourced) makers() []*made {
	return slices.SortedFunc(maps.Values(s.made), func(a, b *made) int {
		return cmp.Or(cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
}

// madeSource is the file of the package with these functions, nil without any.
func (s *sourced) madeSource() []byte {
	w := &typeWriter{s: s, imports: map[string]string{}}
	var decls []string
	for _, m := range s.makers() {
		var values []string
		for i, f := range m.fields {
			values = append(values, fmt.Sprintf("%s: a%d", f.Name(), i))
		}
		and := ""
		if m.pointer != nil {
			and = "&"
		}
		decls = append(decls, fmt.Sprintf("var %s = %s { return %s%s{%s} }\n", m.name, m.signature(w), and,
			w.text(m.of), strings.Join(values, ", ")))
	}
	if decls == nil {
		return nil
	}
	return w.file(decls)
}

// declared is a file of the source with the unexported constants and variables that it uses.
func (s *sourced) declared() []byte {
	w := &typeWriter{s: s, own: ownName, imports: map[string]string{}}
	var decls []string
	for o := range s.seen {
		if c, ok := o.(*types.Const); ok {
			decls = append(decls, constantOf(c))
		}
	}
	slices.Sort(decls)
	for _, name := range s.variables() {
		if o, ok := s.pkg.Scope().Lookup(name).(*types.Var); ok && s.decls[o] == nil {
			decls = append(decls, fmt.Sprintf("var %s %s\n", name, w.text(o.Type())))
		}
	}
	for _, m := range s.makers() {
		decls = append(decls, fmt.Sprintf("var %s %s\n", m.name, m.signature(w)))
	}
	return w.file(decls)
}
