package modules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// languageVersion is the newest language version that is interpreted.
const languageVersion = "go1.26"

// Checked is a package whose source go/types has accepted.
type Checked struct {
	*Package
	Types *types.Package
	// Info has all maps but Scopes, and InitOrder. Of functions whose bodies are deferred it has the declarations.
	Info *types.Info
	// Syntax are the parsed files in the order of Package.Files, without comments. Functions whose bodies are deferred
	// have none: Body has them. All others have a body.
	Syntax []*ast.File
	// Embeds are the variables of type embed.FS. Text and bytes that //go:embed asks for are initial values in Syntax.
	Embeds []Embed

	// Again says that an older version of the package was loaded before.
	Again bool

	docs    map[string]string
	stamp   string // of the files of a local package
	fset    *token.FileSet
	imports types.Importer
	key     key
	left    *outline
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
// Packages whose key a record of has names were checked before, and are checked without the bodies that are deferred.
//
// The files are named as -trimpath would name them, github.com/google/uuid@v1.6.0/uuid.go, those of local modules by
// where they are. The error is an *Error that quotes the first mistakes, or the package that makes it impossible.
func Check(fset *token.FileSet, pkgs []Package, imp types.Importer) ([]*Checked, error) {
	return checkAll(fset, pkgs, imp, &records{})
}

// checkAll is Check with records of earlier ones.
func checkAll(fset *token.FileSet, pkgs []Package, imp types.Importer, known *records) ([]*Checked, error) {
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
			before := func(path string) *Checked {
				if j, ok := at[path]; ok && j < i {
					return r[j]
				}
				return nil
			}
			r[i], errs[i] = f.check(fset, p, importing{before, imp}, known)
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

// importing finds the imports of a package: those that are checked with it, and all others.
type importing struct {
	before func(path string) *Checked
	types.Importer
}

// Import implements types.Importer.
func (i importing) Import(path string) (*types.Package, error) {
	if c := i.before(path); c != nil {
		return c.Types, nil
	}
	return i.Importer.Import(path)
}

// key is the key of an import.
func (i importing) key(path string) key {
	if c := i.before(path); c != nil {
		return c.key
	}
	if s, ok := i.Importer.(*Set); ok {
		if c := s.Package(path); c != nil {
			return c.key
		}
	}
	return "compiled" // into the program
}

// parsed is a package's syntax, completed where Go's compiler and linker would complete it.
type parsed struct {
	files  []*ast.File
	docs   map[string]string
	embeds map[*ast.Ident]map[string]string
	hash   hash.Hash // of the files
}

func parse(fset *token.FileSet, p *Package) (*parsed, error) {
	r := &parsed{docs: map[string]string{}, embeds: map[*ast.Ident]map[string]string{},
		hash: startKey(p)}
	for _, file := range p.Files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, failure(fmt.Sprintf("%s cannot be read: %v", p.Path, err))
		}
		addFile(r.hash, file, src)
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

func (f *parsed) check(fset *token.FileSet, p *Package, imp importing, known *records) (*Checked, error) {
	if version.Compare(version.Lang(p.GoVersion), languageVersion) > 0 {
		return nil, failure(fmt.Sprintf("%s needs %s, and this session is %s", p.Path, p.GoVersion, languageVersion),
			"get an older version of "+p.Module)
	}
	c := &Checked{Package: p, Syntax: f.files, docs: f.docs, fset: fset, imports: imp,
		key: endKey(f.hash, p.Imports, imp.key)}
	err := c.checkTypes(known)
	if err == errForeign {
		c.putBack()
		err = c.checkTypes(&records{})
	}
	if err != nil {
		return nil, err
	}
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
