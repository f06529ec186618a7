package modules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// languageVersion is the newest language version that is interpreted.
const languageVersion = "go1.26"

// Checked is a package whose source go/types has accepted.
type Checked struct {
	*Package
	Types *types.Package
	// Info has all maps but Scopes, for function bodies too, and InitOrder.
	Info *types.Info
	// Syntax are the parsed files in the order of Package.Files, without comments. Every function has a body.
	Syntax []*ast.File
	// Unsafe are the uses of package unsafe that look at memory, in the order of the files: all but Sizeof, Alignof and
	// Offsetof.
	Unsafe []token.Pos
	// Embeds are the variables of type embed.FS. Text and bytes that //go:embed asks for are initial values in Syntax.
	Embeds []Embed

	docs map[string]string
}

// Embed is a variable that holds embedded files.
type Embed struct {
	Var   *types.Var
	Files map[string]string // name with slashes, as the program opens it, to the file on disk
}

// Doc returns the doc comment of the package ("" as name), of a package-level name, or of Type.Method.
func (c *Checked) Doc(name string) string { return c.docs[name] }

// Check type-checks packages in the order of Load, with function bodies. Imports that are not among them come from imp,
// which must be safe for concurrent use: packages that do not need each other are checked side by side. Packages of an
// earlier Check must come from imp too, since a package that is checked twice has types of two kinds.
//
// Bodies are not put off until they are used: that would save less than the time that listing the packages takes (all
// that gonum/stat needs, 68,000 lines, is parsed and checked in 0.4 s by one core).
//
// The files are named as -trimpath would name them, github.com/google/uuid@v1.6.0/uuid.go, those of local modules by
// where they are. The error is an *Error that quotes the first mistakes, or the package that makes it impossible.
func Check(fset *token.FileSet, pkgs []Package, imp types.Importer) ([]*Checked, error) {
	r := make([]*Checked, len(pkgs))
	errs := make([]error, len(pkgs))
	done := make(map[string]chan struct{}, len(pkgs))
	at := make(map[string]int, len(pkgs))
	for i := range pkgs {
		at[pkgs[i].Path], done[pkgs[i].Path] = i, make(chan struct{})
	}
	workers := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range pkgs {
		wg.Go(func() {
			p := &pkgs[i]
			defer close(done[p.Path])
			workers <- struct{}{}
			f, err := parse(fset, p)
			<-workers
			for _, path := range p.Imports {
				if d, ok := done[path]; ok && at[path] < i {
					<-d
					if errs[at[path]] != nil && err == nil {
						err = errSkipped
					}
				}
			}
			if err != nil {
				errs[i] = err
				return
			}
			workers <- struct{}{}
			defer func() { <-workers }()
			r[i], errs[i] = f.check(fset, p, importerFunc(func(path string) (*types.Package, error) {
				if j, ok := at[path]; ok && j < i {
					return r[j].Types, nil
				}
				return imp.Import(path)
			}))
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && err != errSkipped {
			return nil, err
		}
	}
	return r, nil
}

// errSkipped is the error of packages that import one with an error.
var errSkipped = failure("imports a package that cannot be checked")

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// parsed is a package's syntax, completed where Go's compiler and linker would complete it.
type parsed struct {
	files  []*ast.File
	docs   map[string]string
	embeds map[*ast.Ident]map[string]string
}

func parse(fset *token.FileSet, p *Package) (*parsed, error) {
	r := &parsed{docs: map[string]string{}, embeds: map[*ast.Ident]map[string]string{}}
	for _, file := range p.Files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, failure(fmt.Sprintf("%s cannot be read: %v", p.Path, err))
		}
		f, err := parser.ParseFile(fset, p.display(file), src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, failure(fmt.Sprintf("%s cannot be parsed: %v", p.Path, err))
		}
		if err := r.embed(p, f); err != nil {
			return nil, err
		}
		if err := complete(fset, p, f); err != nil {
			return nil, err
		}
		r.takeDocs(f)
		r.files = append(r.files, f)
	}
	return r, nil
}

// display is a file's name in positions.
func (p *Package) display(file string) string {
	if p.Version == "" {
		return file
	}
	return p.Module + "@" + p.Version + strings.TrimPrefix(p.Path, p.Module) + "/" + filepath.Base(file)
}

func (f *parsed) check(fset *token.FileSet, p *Package, imp types.Importer) (*Checked, error) {
	c := &Checked{Package: p, Syntax: f.files, docs: f.docs, Info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}}
	if version.Compare(version.Lang(p.GoVersion), languageVersion) > 0 {
		return nil, failure(fmt.Sprintf("%s needs %s, and this session is %s", p.Path, p.GoVersion, languageVersion),
			"get an older version of "+p.Module)
	}
	var mistakes []types.Error
	conf := types.Config{Importer: imp, GoVersion: p.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if te, ok := err.(types.Error); ok && !te.Soft {
				mistakes = append(mistakes, te)
			}
		}}
	pkg, err := conf.Check(p.Path, fset, f.files, c.Info)
	if len(mistakes) > 0 {
		return nil, report(fset, p, mistakes)
	}
	if pkg == nil {
		return nil, failure(fmt.Sprintf("%s cannot be checked: %v", p.Path, err))
	}
	c.Types = pkg
	for id, o := range c.Info.Uses {
		if o.Pkg() == types.Unsafe && o.Name() != "Sizeof" && o.Name() != "Alignof" && o.Name() != "Offsetof" {
			c.Unsafe = append(c.Unsafe, id.Pos())
		}
	}
	slices.Sort(c.Unsafe)
	for id, files := range f.embeds {
		if v, ok := c.Info.Defs[id].(*types.Var); ok {
			c.Embeds = append(c.Embeds, Embed{v, files})
		}
	}
	return c, nil
}

// report quotes the first mistakes of a package.
func report(fset *token.FileSet, p *Package, mistakes []types.Error) error {
	const most = 3
	e := failure("")
	n := 0
	for _, m := range mistakes {
		if strings.HasPrefix(m.Msg, "\t") { // goes on with the one before
			continue
		}
		text := fmt.Sprintf("%v: %s", fset.Position(m.Pos), m.Msg)
		if n++; n == 1 {
			e.Message = p.Path + " cannot be interpreted: " + text
		} else if n <= most {
			e.Notes = append(e.Notes, text)
		}
	}
	if n > most {
		e.Notes = append(e.Notes, fmt.Sprintf("and %d more", n-most))
	}
	if p.Portable {
		e.Notes = append(e.Notes, "its files for this processor need assembly, and these are those for others")
	}
	return e
}
