package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestLocks: a lock is given back by a deferred call, unless nothing runs under it that can panic. A panic of gorocm's
// own is an error of the cell (see evalCell), and the session goes on; with a lock held it would wait for ever.
func TestLocks(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "testdata") {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if b, ok := n.(*ast.BlockStmt); ok {
				for i, s := range b.List {
					if x := lockedBy(s); x != "" && !givenBack(b.List[i+1:], x) {
						t.Errorf("%s: %s is held across what can panic: defer its Unlock", fset.Position(s.Pos()), x)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lockedBy is the mutex that a statement locks, as it is spelled; "" for any other statement.
func lockedBy(s ast.Stmt) string {
	if x, ok := s.(*ast.ExprStmt); ok {
		return mutexOf(x.X, "Lock", "RLock")
	}
	return ""
}

func mutexOf(x ast.Expr, methods ...string) string {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return ""
	}
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
		for _, m := range methods {
			if sel.Sel.Name == m {
				return types.ExprString(sel.X)
			}
		}
	}
	return ""
}

// givenBack reports whether the statements after a Lock give it back whatever happens.
func givenBack(after []ast.Stmt, mutex string) bool {
	for _, s := range after {
		if d, ok := s.(*ast.DeferStmt); ok && mutexOf(d.Call, "Unlock", "RUnlock") == mutex {
			return true
		}
		if x, ok := s.(*ast.ExprStmt); ok && mutexOf(x.X, "Unlock", "RUnlock") == mutex {
			return true
		}
		if canPanic(s) {
			return false
		}
	}
	return false
}

// canPanic reports whether a statement does more than read and set variables, and call built-in functions.
func canPanic(s ast.Stmt) bool {
	r := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.SliceExpr:
			r = r || !isMapRead(s, n)
		case *ast.TypeAssertExpr, *ast.StarExpr:
			r = true
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			_, builtin := types.Universe.Lookup(nameOf(id)).(*types.Builtin)
			r = r || !ok || !builtin
		}
		return !r
	})
	return r
}

// isMapRead reports whether n is the whole of what s reads, as in x := m[k]: an index of a list would be out of place
// under a lock.
func isMapRead(s ast.Stmt, n ast.Node) bool {
	a, ok := s.(*ast.AssignStmt)
	return ok && len(a.Rhs) == 1 && a.Rhs[0] == n
}

func nameOf(id *ast.Ident) string {
	if id == nil {
		return ""
	}
	return id.Name
}
