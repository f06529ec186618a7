// Package library has the types, the documentation and, of generic packages, the source of what cells can import
// without a module: the standard library and gorocm's own packages. They are embedded as gen_library.zip, which
// internal/gen/exports writes.
//
// A package is read when it is first asked for, and stays. A Library is safe for concurrent use.
package library

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"maps"
	"path"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/tools/go/gcexportdata"
)

// The standard library's data, which changes with the Go toolchain, and that of gorocm's own packages.
var (
	//go:embed gen_std.zip
	stdZip []byte
	//go:embed gen_gorocm.zip
	gorocmZip []byte
)

// Library is the embedded type data and documentation of the packages that cells can import. It is safe for concurrent
// use.
type Library struct {
	mu     sync.Mutex
	files  map[string]*zip.File
	loaded map[string]*types.Package // every package that some loaded package mentions; see complete
	docs   map[string]map[string]string
	bad    map[string]string // package to why cells cannot use it

	included map[string]*types.Package // of packages compiled into this program beside gorocm's, once they are read
	has      map[string]bool           // the paths of all of these; it does not change

	sourced map[string]bool // packages whose source is here
	system  bool            // what differs on this system has been read
}

// New opens the embedded data, and that of modules which are compiled in, nil without any. Packages are read when they
// are first asked for.
func New(modules []byte) (*Library, error) {
	l := &Library{
		included: map[string]*types.Package{}, has: map[string]bool{}, sourced: map[string]bool{}, files: map[string]*zip.File{}, loaded: map[string]*types.Package{},
		docs: map[string]map[string]string{}, bad: map[string]string{},
	}
	for i, data := range [][]byte{gorocmZip, stdZip, modules} {
		if data == nil {
			continue
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("golang: embedded type data: %w", err)
		}
		z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1)))
		for _, f := range z.File {
			l.files[f.Name] = f
			if p, ok := strings.CutPrefix(path.Dir(f.Name), "src/"); ok {
				l.sourced[p] = true
			}
			if p, ok := strings.CutPrefix(f.Name, "types/"); ok && i == 2 {
				l.has[p] = true
			}
		}
	}
	return l, nil
}

// Read returns an embedded file.
func (l *Library) Read(name string) ([]byte, error) {
	f, ok := l.files[name]
	if !ok {
		return nil, fmt.Errorf("no %s in the embedded data", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// GoVersion is the toolchain that wrote the data.
func (l *Library) GoVersion() string {
	b, _ := l.Read("VERSION")
	return string(b)
}

// Has reports whether cells can import the package.
func (l *Library) Has(pkg string) bool {
	_, ok := l.files["types/"+pkg]
	return ok || pkg == "unsafe"
}

// Paths lists the packages that cells can import.
func (l *Library) Paths() []string {
	r := []string{"unsafe"} // which has no type data: the checker knows it
	for f := range l.files {
		if p, ok := strings.CutPrefix(f, "types/"); ok && l.bad[p] == "" && !(l.Included(p) && internal(p)) {
			r = append(r, p)
		}
	}
	return r
}

// Included reports whether a package is of a module that was compiled into this program.
func (l *Library) Included(pkg string) bool { return l.has[pkg] }

// internal reports whether only packages of its neighbourhood can import a package.
func internal(pkg string) bool { return strings.Contains("/"+pkg+"/", "/internal/") }

// Import returns the exported types of a package. It implements types.Importer.
func (l *Library) Import(pkg string) (*types.Package, error) {
	if pkg == "unsafe" {
		return types.Unsafe, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.loaded[pkg]; p != nil && p.Complete() {
		return p, nil
	}
	if pkg == "C" {
		return nil, errors.New("cells have no cgo: C code can be called by compiled programs only")
	}
	if why := refused[pkg]; why != "" {
		return nil, fmt.Errorf("%q is not available in cells: %s", pkg, why)
	}
	if !l.Has(pkg) {
		return nil, fmt.Errorf("cells can import the standard library and gorocm's packages, and %q is none of them",
			pkg)
	}
	if why := l.bad[pkg]; why != "" {
		return nil, fmt.Errorf("%q is not available in cells: %s", pkg, why)
	}
	if err := l.readSystem(); err != nil {
		return nil, err
	}
	if p := l.loaded[pkg]; p != nil && p.Complete() {
		return p, nil
	}
	if l.Included(pkg) {
		return l.importIncluded(pkg)
	}
	data, err := l.Read("types/" + pkg)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), l.loaded, pkg)
}

// importIncluded reads a package of an included module. Types of gorocm's own packages mention other versions of
// modules, which have the same paths: those are not these.
func (l *Library) importIncluded(pkg string) (*types.Package, error) {
	if p := l.included[pkg]; p != nil && p.Complete() {
		return p, nil
	}
	data, err := l.Read("types/" + pkg)
	if err != nil {
		return nil, err
	}
	uses, err := l.Read("uses/" + pkg)
	if err != nil {
		return nil, err
	}
	all := map[string]*types.Package{}
	for _, use := range strings.Fields(string(uses)) {
		known := l.loaded[use]
		if l.Included(use) {
			known = l.included[use]
		}
		if known != nil {
			all[use] = known
		}
	}
	p, err := gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), all, pkg)
	if err != nil {
		return nil, err
	}
	for path, p := range all {
		if l.Included(path) {
			l.included[path] = p
		} else {
			l.loaded[path] = p
		}
	}
	return p, nil
}

// readSystem reads the packages that this system has data of its own of, before any other that mentions their types.
func (l *Library) readSystem() error {
	if l.system {
		return nil
	}
	l.system = true
	folder := "systems/" + runtime.GOOS + "/" + runtime.GOARCH + "/"
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		if pkg, ok := strings.CutPrefix(name, folder); ok {
			data, err := l.Read(name)
			if err == nil {
				_, err = gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), l.loaded, pkg)
			}
			if err != nil {
				return fmt.Errorf("golang: embedded type data: %s: %w", name, err)
			}
		}
	}
	return nil
}

// Doc returns the doc comment of a package ("" as name), of a package-level name, or of Type.Method.
func (l *Library) Doc(pkg, name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.docs[pkg]
	if !ok {
		if data, err := l.Read("doc/" + pkg); err == nil {
			_ = json.Unmarshal(data, &m) // written by the generator; a nil map has no docs
		}
		l.docs[pkg] = m
	}
	return m[name]
}

// ByName is the import path that a package name stands for in a cell without an import: the shortest path of that name,
// but math/rand and text/template rather than crypto/rand and html/template.
func (l *Library) ByName() map[string]string {
	r := map[string]string{"rand": "math/rand", "template": "text/template"}
	for _, p := range l.Paths() {
		name := path.Base(p)
		if name == "v2" || l.Included(p) {
			continue
		}
		if old, ok := r[name]; !ok || (name != "rand" && name != "template" &&
			(len(p) < len(old) || len(p) == len(old) && p < old)) {
			r[name] = p
		}
	}
	return r
}

// HasSource reports whether the source of a package is here.
func (l *Library) HasSource(pkg string) bool { return l.sourced[pkg] }

// SourceFiles lists the files of a package's source, sorted, for Read.
func (l *Library) SourceFiles(pkg string) (names []string) {
	for f := range l.files {
		if path.Dir(f) == "src/"+pkg {
			names = append(names, f)
		}
	}
	sort.Strings(names)
	return names
}

// Without takes the packages away that the interpreter has no symbols of.
func (l *Library) Without(missing func(pkg string) bool) {
	for p := range l.files {
		if p, ok := strings.CutPrefix(p, "types/"); ok && missing(p) && p != "unsafe" && !l.HasSource(p) {
			l.bad[p] = "the interpreter has no symbols of it"
		}
	}
}
