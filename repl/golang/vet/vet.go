// Package vet says what go vet would of a checked cell: format verbs, copied locks, lost cancel functions, results that
// nothing uses, and struct tags.
package vet

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
)

// analyzers are those of go vet that hardly ever err, and look at one package alone. Each has the syntax without which
// it finds nothing: most cells are small, and an analyzer costs more to begin than to look at them.
var analyzers = []struct {
	*analysis.Analyzer
	looksAt func(ast.Node) bool
}{
	{printf.Analyzer, isA[*ast.CallExpr]},
	{copylock.Analyzer, copies},
	{lostcancel.Analyzer, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		return ok && strings.HasPrefix(s.Sel.Name, "With")
	}},
	{structtag.Analyzer, isA[*ast.StructType]},
	{unusedresult.Analyzer, func(n ast.Node) bool {
		s, ok := n.(*ast.ExprStmt)
		return ok && isA[*ast.CallExpr](ast.Unparen(s.X))
	}},
}

func isA[N ast.Node](n ast.Node) bool {
	_, ok := n.(N)
	return ok
}

// copies reports whether syntax may copy a value.
func copies(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Recv != nil
	case *ast.FuncType:
		return n.Params.NumFields() > 0
	case *ast.AssignStmt, *ast.CallExpr, *ast.CompositeLit, *ast.GenDecl, *ast.RangeStmt, *ast.ReturnStmt:
		return true
	}
	return false
}

// needed are the analyzers that may find something in a file.
func needed(file *ast.File) (list []*analysis.Analyzer) {
	there := make([]bool, len(analyzers))
	ast.Inspect(file, func(n ast.Node) bool {
		for i, a := range analyzers {
			there[i] = there[i] || n != nil && a.looksAt(n)
		}
		return true
	})
	for i, a := range analyzers {
		if there[i] {
			list = append(list, a.Analyzer)
		}
	}
	return list
}

// Finding is what an analyzer has found.
type Finding struct {
	Pos     token.Pos
	Message string
}

// Check looks at checked declarations. The findings are in the order of the source.
func Check(fset *token.FileSet, decls []ast.Decl, info *types.Info) []Finding {
	if len(decls) == 0 {
		return nil
	}
	d := &driver{fset: fset, info: info, results: map[*analysis.Analyzer]any{}, pkg: types.NewPackage("main", "main"),
		file: &ast.File{Package: decls[0].Pos(), Name: ast.NewIdent("main"), Decls: decls,
			FileStart: decls[0].Pos(), FileEnd: decls[len(decls)-1].End()}}
	list := needed(d.file)
	if len(list) == 0 {
		return nil
	}
	seen := map[*types.Package]bool{}
	var imports []*types.Package
	for _, o := range info.Uses {
		if p := o.Pkg(); p != nil && !seen[p] {
			seen[p] = true
			imports = append(imports, p)
		}
	}
	d.pkg.SetImports(imports)
	for _, a := range list {
		d.run(a)
	}
	slices.SortStableFunc(d.found, func(a, b Finding) int { return cmp.Compare(a.Pos, b.Pos) })
	return slices.Compact(d.found)
}

// driver runs analyzers on one file.
type driver struct {
	fset    *token.FileSet
	file    *ast.File
	info    *types.Info
	pkg     *types.Package
	results map[*analysis.Analyzer]any
	found   []Finding
}

// run runs an analyzer after those that it needs, and reports whether it has a result. One that cannot do with a cell's
// syntax, which differs from that of a file, finds nothing.
func (d *driver) run(a *analysis.Analyzer) (ok bool) {
	if _, done := d.results[a]; done {
		return true
	}
	results := map[*analysis.Analyzer]any{}
	for _, r := range a.Requires {
		if !d.run(r) {
			return false
		}
		results[r] = d.results[r]
	}
	var found []Finding
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	result, err := a.Run(&analysis.Pass{Analyzer: a, Fset: d.fset, Files: []*ast.File{d.file}, Pkg: d.pkg,
		TypesInfo: d.info, TypesSizes: types.SizesFor("gc", runtime.GOARCH), ResultOf: results,
		Report:            func(x analysis.Diagnostic) { found = append(found, Finding{x.Pos, x.Message}) },
		ImportObjectFact:  func(types.Object, analysis.Fact) bool { return false },
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportObjectFact:  func(types.Object, analysis.Fact) {},
		ExportPackageFact: func(analysis.Fact) {},
		AllObjectFacts:    func() []analysis.ObjectFact { return nil },
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
	})
	if err != nil {
		return false
	}
	d.results[a] = result
	d.found = append(d.found, found...)
	return true
}
