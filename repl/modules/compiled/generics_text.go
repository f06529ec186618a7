package compiled

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// constantOf declares a constant of a basic type, "" for one that is not written exactly.
func constantOf(c *types.Const) string {
	t, ok := c.Type().(*types.Basic)
	if !ok || c.Val().Kind() != constant.Bool && c.Val().Kind() != constant.String && c.Val().Kind() != constant.Int {
		return ""
	}
	if t.Info()&types.IsUntyped != 0 {
		return fmt.Sprintf("const %s = %s\n", c.Name(), c.Val().ExactString())
	}
	return fmt.Sprintf("const %s %s = %s\n", c.Name(), t.Name(), c.Val().ExactString())
}

// sources are the files of the source, by name.
func (s *sourced) sources(names []string) map[string][]byte {
	r := map[string][]byte{"gorocm_declared.go": s.declared()}
	for i, name := range names {
		if text := s.text(i); text != nil {
			r[name] = text
		}
	}
	return r
}

// variables names the unexported variables of the package that the source uses.
func (s *sourced) variables() (names []string) {
	for o := range s.seen {
		if _, ok := o.(*types.Var); ok {
			names = append(names, o.Name())
		}
	}
	for _, m := range s.makers() {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return names
}

// text is what a file has of the functions and types that were visited; nil if it has none. Names of the compiled
// package have a qualifier.
func (s *sourced) text(i int) []byte {
	f, text := s.files[i], s.texts[i]
	var b bytes.Buffer
	at := func(p token.Pos) int { return int(p - f.FileStart) }
	add := func(n ast.Node) {
		last := at(n.Pos())
		for _, e := range s.edits(n) {
			if at(e.from) < last {
				continue // in what another one replaces
			}
			b.Write(text[last:at(e.from)])
			b.WriteString(e.text)
			last = at(e.to)
		}
		b.Write(text[last:at(n.End())])
		b.WriteString("\n\n")
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if s.seen[s.info.Defs[d.Name]] {
				add(d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if s.seen[s.info.Defs[spec.Name]] {
						b.WriteString("type ")
						add(spec)
					}
				case *ast.ValueSpec:
					if o := s.info.Defs[spec.Names[0]]; s.seen[o] && s.decls[o] != nil {
						b.WriteString("var ") // the compiled one
						add(s.decls[o])
					}
				}
			}
		}
	}
	if b.Len() == 0 {
		return nil
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "package %s\n\nimport %s %q\n", s.pkg.Name(), ownName, s.pkg.Path())
	for _, i := range f.Imports {
		fmt.Fprintf(&head, "import %s\n", text[at(i.Pos()):at(i.End())])
	}
	return append(head.Bytes(), b.Bytes()...)
}

// edit replaces a piece of a file.
type edit struct {
	from, to token.Pos
	text     string
}

// edits are what makes a declaration one of the source, in their order.
func (s *sourced) edits(n ast.Node) (list []edit) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			o := s.info.Uses[n]
			if o != nil && o.Pkg() == s.pkg && o.Parent() == s.pkg.Scope() && !s.seen[o] {
				list = append(list, edit{n.Pos(), n.Pos(), ownName + "."})
			}
		case *ast.CompositeLit:
			m := s.made[n]
			if m == nil {
				return true
			}
			from := n.Pos()
			if m.pointer != nil {
				from = m.pointer.Pos()
			}
			list = append(list, edit{from, n.Lbrace + 1, m.name + "("}, edit{n.Rbrace, n.Rbrace + 1, ")"})
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					list = append(list, edit{kv.Pos(), kv.Value.Pos(), ""})
				}
			}
		}
		return true
	})
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	return list
}
