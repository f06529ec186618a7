package modules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"hash"
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
	// Embeds are the variables that //go:embed gives their initial values.
	Embeds []Embed

	// Again says that an older version of the package was loaded before.
	Again bool

	docs    func() map[string]string
	stamp   string              // of the files of a local package
	with    map[string]*Checked // the imports that are loaded, too
	fset    *token.FileSet
	imports importing
	key     key
	left    *outline
	sources []*source
	tables  map[*types.Var]*kept
}

// Embed is a variable that holds embedded files, or the text of one.
type Embed struct {
	Var   *types.Var
	Files map[string]string // of an embed.FS: name with slashes, as the program opens it, to the file on disk
	Text  []byte            // of a variable that is a string or a slice of bytes, which have no Files
}

// Doc returns the doc comment of the package ("" as name), of a package-level name, or of Type.Method.
func (c *Checked) Doc(name string) string { return c.docs()[name] }

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
	hashes := make([]hash.Hash, len(pkgs))
	at := make(map[string]int, len(pkgs))
	for i := range pkgs {
		at[pkgs[i].Path] = i
	}
	before := func(i int) importing {
		return importing{func(path string) *Checked {
			if j, ok := at[path]; ok && j < i {
				return r[j]
			}
			return nil
		}, imp}
	}
	none := func(int) []int { return nil }
	err := sideBySide(len(pkgs), none, func(i int) (err error) {
		r[i] = &Checked{Package: &pkgs[i], fset: fset, imports: before(i)}
		r[i].sources, hashes[i], err = readSources(&pkgs[i])
		if sum := pkgs[i].Sum; sum != "" && (err != nil || sumOf(hashes[i]) != sum) {
			return errStale
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, c := range r {
		c.key = endKey(hashes[i], c.Imports, before(i).key)
	}
	needs := func(i int) (list []int) {
		for _, path := range pkgs[i].Imports {
			if j, ok := at[path]; ok && j < i {
				list = append(list, j)
			}
		}
		return list
	}
	if err := sideBySide(len(pkgs), needs, func(i int) error { return r[i].check(known) }); err != nil {
		return nil, err
	}
	return r, nil
}

// sideBySide does n things on all cores, each after those that it needs, and returns the first error. What needs
// something with an error is not done.
func sideBySide(n int, needs func(i int) []int, do func(i int) error) error {
	errs := make([]error, n)
	done := make([]chan struct{}, n)
	for i := range done {
		done[i] = make(chan struct{})
	}
	workers := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer close(done[i])
			for _, j := range needs(i) {
				<-done[j]
				if errs[j] != nil {
					errs[i] = errSkipped
				}
			}
			if errs[i] != nil {
				return
			}
			workers <- struct{}{}
			defer func() { <-workers }()
			errs[i] = do(i)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && err != errSkipped {
			return err
		}
	}
	return nil
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

// checked is an import that is checked from source, nil for one that is compiled into the program.
func (i importing) checked(path string) *Checked {
	if c := i.before(path); c != nil {
		return c
	}
	if s, ok := i.Importer.(*Set); ok {
		return s.Package(path)
	}
	return nil
}

// key is the key of an import.
func (i importing) key(path string) key {
	if c := i.checked(path); c != nil {
		return c.key
	}
	return "compiled" // into the program
}

// parsed is a package's syntax, completed where Go's compiler and linker would complete it.
type parsed struct {
	files  []*ast.File
	left   *outline
	embeds map[*ast.Ident]Embed // without Var
}

// parse parses the package, without what a record knows of it.
func (c *Checked) parse(known *record) (*parsed, error) {
	r := &parsed{embeds: map[*ast.Ident]Embed{}, left: newOutline()}
	mode := parser.Mode(0)
	if len(c.Obstacles)+len(c.Embedded) > 0 { // comments say what they are linked to, and what they embed
		mode = parser.ParseComments
	}
	for i, s := range c.sources {
		var skip *outlined
		if known != nil {
			skip = &known.files[i]
		}
		f, err := s.parse(c.fset, c.Package, mode, skip)
		if err != nil && known != nil {
			return nil, errForeign
		}
		if err != nil {
			return nil, failure(fmt.Sprintf("%s cannot be parsed: %v", c.Path, err))
		}
		if err := r.left.note(s, f, skip); err != nil {
			return nil, err
		}
		if err := r.embed(c.Package, f); err != nil {
			return nil, err
		}
		if err := r.left.complete(c.fset, c.Package, f); err != nil {
			return nil, err
		}
		takeDocs(f, nil)
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

// check parses and checks the package, without what a record knows of it.
func (c *Checked) check(r *records) error {
	if version.Compare(version.Lang(c.GoVersion), languageVersion) > 0 {
		return failure(fmt.Sprintf("%s needs %s, and this session is %s", c.Path, c.GoVersion, languageVersion),
			"get an older version of "+c.Module)
	}
	c.docs = lazyDocs(c.sources)
	if known := r.known(c.key, c.sources); known != nil {
		if err := c.checkOutline(known); err != errForeign {
			r.work.outlined.Add(1)
			return err
		}
	}
	r.work.whole.Add(1)
	rec, err := c.checkWhole()
	if err == nil {
		r.write(c.key, recordHeader, recordData(rec))
	}
	return err
}

// keepEmbeds notes the variables that hold embedded files.
func (c *Checked) keepEmbeds(f *parsed) {
	for id, e := range f.embeds {
		if v, ok := c.Info.Defs[id].(*types.Var); ok {
			e.Var = v
			c.Embeds = append(c.Embeds, e)
		}
	}
}

// report quotes the first mistakes of the package, or says that it needs cgo.
func (c *Checked) report(mistakes []types.Error) error {
	e := report(c.fset, c.Package, mistakes)
	if why := c.lackOfCgo(e); why != nil {
		return why
	}
	return e
}

func report(fset *token.FileSet, p *Package, mistakes []types.Error) *Error {
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
