package compiled

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
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

// constants is a file with the unexported constants that the source uses.
func (s *sourced) constants() []byte {
	var lines []string
	for o := range s.seen {
		if c, ok := o.(*types.Const); ok {
			lines = append(lines, constantOf(c))
		}
	}
	slices.Sort(lines)
	return []byte("package " + s.pkg.Name() + "\n\n" + strings.Join(lines, ""))
}

// sources are the files of the source, by name.
func (s *sourced) sources(names []string) map[string][]byte {
	r := map[string][]byte{"gorocm_constants.go": s.constants()}
	for i, name := range names {
		if text := s.text(i); text != nil {
			r[name] = text
		}
	}
	return r
}

// variables names the unexported variables that the source uses.
func (s *sourced) variables() (names []string) {
	for o := range s.seen {
		if _, ok := o.(*types.Var); ok {
			names = append(names, o.Name())
		}
	}
	slices.Sort(names)
	return names
}

// text is what a file has of the functions and types that were visited; nil if it has none. Names of the compiled
// package have a qualifier.
func (s *sourced) text(i int) []byte {
	const self = "gorocm_compiled"
	f, text := s.files[i], s.texts[i]
	var b bytes.Buffer
	at := func(p token.Pos) int { return int(p - f.FileStart) }
	add := func(n ast.Node) {
		last := at(n.Pos())
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := s.info.Uses[id]
			if o != nil && o.Pkg() == s.pkg && o.Parent() == s.pkg.Scope() && !s.seen[o] {
				b.Write(text[last:at(id.Pos())])
				b.WriteString(self + ".")
				last = at(id.Pos())
			}
			return true
		})
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
	fmt.Fprintf(&head, "package %s\n\nimport %s %q\n", s.pkg.Name(), self, s.pkg.Path())
	for _, i := range f.Imports {
		fmt.Fprintf(&head, "import %s\n", text[at(i.Pos()):at(i.End())])
	}
	return append(head.Bytes(), b.Bytes()...)
}
