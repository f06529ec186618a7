package compiled

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// driversPath is the package that registers database drivers in place of sql.Register, which panics where a module
// has one of the name that gorocm's has.
const driversPath = intoPath + "/drivers"

// registers has a file of a module register database drivers there. A file that does not, or that cannot be parsed, is
// as it was.
func registers(name string, text []byte) []byte {
	if !bytes.Contains(text, []byte(`"database/sql"`)) || !bytes.Contains(text, []byte(".Register(")) {
		return text
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return text
	}
	sql := ""
	for _, i := range f.Imports {
		if i.Path.Value == `"database/sql"` {
			if sql = "sql"; i.Name != nil {
				sql = i.Name.Name
			}
		}
	}
	var b bytes.Buffer
	at := int(f.Name.End() - f.FileStart)
	b.Write(text[:at])
	fmt.Fprintf(&b, "; import gorocm_drivers %q", driversPath)
	last := at
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == sql && s.Sel.Name == "Register" {
			b.Write(text[last : x.Pos()-f.FileStart])
			b.WriteString("gorocm_drivers")
			last = int(x.End() - f.FileStart)
		}
		return true
	})
	if last == at {
		return text
	}
	b.Write(text[last:])
	fmt.Fprintf(&b, "\n\nvar _ = %s.Drivers\n", sql) // imported for more than Register, or not
	return b.Bytes()
}
