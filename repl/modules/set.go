package modules

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/included"
)

// Compiled are the packages that are not interpreted: library.Library.
type Compiled interface {
	types.Importer // safe for concurrent use
	// Has reports whether the package is one of them.
	Has(path string) bool
}

// Set is the third-party packages of a session. Each is loaded once and keeps its types. It is safe for concurrent use;
// one Get or Load runs at a time.
type Set struct {
	dir      string
	fset     *token.FileSet
	compiled Compiled

	records records

	working sync.Mutex // held while the go command runs
	mu      sync.Mutex // guards what follows
	loaded  map[string]*Checked
}

// NewSet makes an empty set whose private module is in dir. Its files are added to fset.
func NewSet(dir string, fset *token.FileSet, compiled Compiled) *Set {
	s := &Set{dir: dir, fset: fset, compiled: compiled, loaded: map[string]*Checked{}}
	if dir != "" {
		s.records.store = *storeOf(dir)
	}
	return s
}

// Dir is the folder of the private module.
func (s *Set) Dir() string { return s.dir }

// Get adds a module, as the function Get does. The notes name the modules that packages have been loaded from at
// another version: what is loaded stays.
func (s *Set) Get(ctx context.Context, query string, progress func(line string)) (r Result, notes []string, err error) {
	s.working.Lock()
	defer s.working.Unlock()
	if r, err = Get(ctx, s.dir, query, progress); err != nil {
		return r, nil, err
	}
	t, err := newTool(ctx, s.dir)
	if err != nil {
		return r, nil, err
	}
	f, err := t.modFile(ctx, s.dir)
	if err != nil {
		return r, nil, err
	}
	now := map[string]string{}
	for _, m := range f.Require {
		now[m.Path] = m.Version
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.loaded {
		if v := now[p.Module]; p.Version != "" && v != "" && v != p.Version {
			note := fmt.Sprintf("packages of %s stay at %s, which they were imported at; %s is for after a reset",
				p.Module, p.Version, v)
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	for module, version := range included.Versions {
		if v := now[module]; v != "" && v != version {
			notes = append(notes, fmt.Sprintf("packages of %s stay at %s, which is compiled into this session; %s is for "+
				"after a restart", module, version, v))
		}
	}
	slices.Sort(notes)
	return r, notes, nil
}

// Load loads and checks the package and what it needs. It returns those packages that were not loaded before,
// dependencies first: none when it is loaded or compiled already. Either all of them are in the set afterwards, or
// none.
//
// A package of a local module is loaded again when its files are no longer what they were, or those of a package that
// it imports. What is loaded again has new types.
func (s *Set) Load(ctx context.Context, path string) ([]*Checked, error) {
	s.working.Lock()
	defer s.working.Unlock()
	changed := s.changed()
	known := func(p string) bool { return !changed[p] && s.Has(p) }
	checked, err := s.loadChecked(ctx, path, known, false)
	if err == errStale {
		checked, err = s.loadChecked(ctx, path, known, true)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range checked {
		c.Again = s.loaded[c.Path] != nil
		s.loaded[c.Path] = c
		c.with = map[string]*Checked{}
		for _, i := range c.Imports {
			c.with[i] = s.loaded[i]
		}
	}
	return checked, nil
}

// Changed lists the packages that another Load would load again.
func (s *Set) Changed() []string { return slices.Sorted(maps.Keys(s.changed())) }

// changed lists the packages of local modules that are loaded and whose files have changed, with those that import
// them, or have been loaded with an older version of one.
func (s *Set) changed() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := map[string]bool{}
	for path, c := range s.loaded {
		older := slices.ContainsFunc(c.Imports, func(i string) bool { return s.loaded[i] != c.with[i] })
		if older || c.Version == "" && stampOf(c.Package) != c.stamp {
			r[path] = true
		}
	}
	for more := len(r) > 0; more; {
		more = false
		for path, c := range s.loaded {
			if !r[path] && slices.ContainsFunc(c.Imports, func(i string) bool { return r[i] }) {
				r[path], more = true, true
			}
		}
	}
	return r
}

// stampOf tells of the files in the folder of a local package, and of those that it embeds, when they were changed.
func stampOf(p *Package) string {
	if p.Version != "" {
		return "" // in the module cache, where nothing changes
	}
	var b strings.Builder
	files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go")) // a folder that is malformed as a pattern has no stamp
	for _, e := range p.Embedded {
		files = append(files, filepath.Join(p.Dir, filepath.FromSlash(e)))
	}
	for _, f := range files {
		if st, err := os.Stat(f); err == nil && !strings.HasSuffix(f, "_test.go") {
			fmt.Fprintf(&b, "%s %d %d\n", f, st.Size(), st.ModTime().UnixNano())
		}
	}
	return b.String()
}

// Has reports whether the package is loaded or compiled.
func (s *Set) Has(path string) bool { return s.Package(path) != nil || s.compiled.Has(path) }

// ModFile is the go.mod of a module of that name with the requirements and replacements of the private module, and its
// go.sum.
func (s *Set) ModFile(name string) (mod, sum string) {
	text, err := os.ReadFile(filepath.Join(s.dir, "go.mod"))
	rest := strings.TrimPrefix(string(text), "module "+modulePath+"\n")
	if err != nil || s.dir == "" || rest == string(text) {
		return "module " + name + "\n\ngo " + strings.TrimPrefix(languageVersion, "go") + "\n", ""
	}
	checksums, err := os.ReadFile(filepath.Join(s.dir, "go.sum"))
	if err != nil {
		checksums = nil // nothing that is required has one
	}
	return "module " + name + "\n" + rest, string(checksums)
}

// Requires reports whether a module that Get has added may have the package. Local modules may have names that look
// like those of the standard library's packages.
func (s *Set) Requires(path string) bool {
	text, err := os.ReadFile(filepath.Join(s.dir, "go.mod"))
	if err != nil {
		return false // nothing was added yet
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(strings.TrimPrefix(line, "require "))
		if len(words) >= 2 && words[1][0] == 'v' && (path == words[0] || strings.HasPrefix(path, words[0]+"/")) {
			return true
		}
	}
	return false
}

// Package returns a package that has been loaded, nil for any other.
func (s *Set) Package(path string) *Checked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded[path]
}

// Paths lists the packages that are loaded.
func (s *Set) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.loaded))
}

// Import returns the types of a package that is loaded or compiled. It loads none. It implements types.Importer.
func (s *Set) Import(path string) (*types.Package, error) {
	if p := s.Package(path); p != nil {
		return p.Types, nil
	}
	return s.compiled.Import(path)
}
