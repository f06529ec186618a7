package check

import (
	"fmt"
	"go/ast"
)

// maxNesting is how many nodes of syntax a cell may have inside one another. What checks, prints and compiles a cell
// calls itself for each, and takes time that grows with the square of their number, or worse.
const maxNesting = 1000

// tooDeep finds the first node of a file that has more than maxNesting nodes around it. Sums of literals, such as
// "a" + "b" + "c", count as one node.
func (sc *Scope) tooDeep(f *ast.File) []Problem {
	var around []ast.Node
	var found ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return false
		}
		if found != nil || len(around) > 0 && !isBinary(around[len(around)-1]) && literals(n) {
			return false
		}
		if len(around) == maxNesting {
			found = n
			return false
		}
		around = append(around, n)
		return true
	})
	if found == nil {
		return nil
	}
	return []Problem{{Pos: sc.Fset.Position(found.Pos()), name: "SyntaxError",
		Message: fmt.Sprintf("more than %d expressions, types or blocks inside one another", maxNesting)}}
}

func isBinary(n ast.Node) bool {
	_, ok := n.(*ast.BinaryExpr)
	return ok
}

// literals reports whether n is an operation on literals alone.
func literals(n ast.Node) bool {
	for {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			_, ok = n.(*ast.BasicLit)
			return ok
		}
		if _, ok := b.Y.(*ast.BasicLit); !ok {
			return false
		}
		n = b.X
	}
}
