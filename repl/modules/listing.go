package modules

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A listing is what Load has found for an import path with nothing loaded, so that later sessions need not run the go
// command. Its key is a hash of the private module's go.mod and go.sum, of the go command and its settings, and of this
// program. The files of a listing are in the module cache, where they do not change: nevertheless it has a hash of
// each package's files, and is not used if they are not what they were. Where a module is replaced by a folder there
// are no listings, since anything may change there.

const listingHeader = "gorocm listing 1\n"

// errStale is the error of a listing whose files are not what they were.
var errStale = errors.New("the listing is out of date")

// listingKey is the key of a path's listing, empty where there is none.
func listingKey(dir, path string) key {
	command, err := find(places())
	if err != nil || program() == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s%s\n%q %s %q\n", listingHeader, program(), path, runtime.GOOS, tags)
	if !addModule(h, dir, command) {
		return ""
	}
	return key(hex.EncodeToString(h.Sum(nil)))
}

// addModule adds what decides which packages the private module in dir provides, and reports whether nothing else does.
func addModule(h hash.Hash, dir, command string) bool {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || name == "go.mod" && strings.Contains(string(text), "=>") {
			return false
		}
		addFile(h, name, text)
	}
	return addSettings(h, command)
}

// AddModule is for those who keep what they have made of the packages of a private module: it adds to h what these
// packages depend on. Where modules are replaced by folders, or there is no go command, ok is false.
func AddModule(h hash.Hash, dir string) (ok bool) {
	command, err := find(places())
	return err == nil && addModule(h, dir, command)
}

// addSettings adds what the go command's answers depend on: the command, the variables of the environment, and the
// files that have others.
func addSettings(h hash.Hash, command string) bool {
	real, err := filepath.EvalSymlinks(command)
	if err != nil {
		return false
	}
	st, err := os.Stat(real)
	if err != nil {
		return false
	}
	fmt.Fprintf(h, "%q %q %d %d\n", command, real, st.Size(), st.ModTime().UnixNano())
	for _, v := range slices.Sorted(slices.Values(os.Environ())) {
		name, _, _ := strings.Cut(v, "=")
		if name == "HOME" || name == "XDG_CONFIG_HOME" || strings.HasPrefix(name, "GO") &&
			!strings.HasPrefix(name, "GOROCM_") && name != "GOCACHE" {
			fmt.Fprintf(h, "%q\n", v)
		}
	}
	root := filepath.Dir(filepath.Dir(real))
	files := []string{filepath.Join(root, "VERSION"), filepath.Join(root, "go.env"), os.Getenv("GOENV")}
	if config, err := os.UserConfigDir(); err == nil {
		files = append(files, filepath.Join(config, "go", "env"))
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil && !errors.Is(err, os.ErrNotExist) && f != os.Getenv("GOENV") {
			return false
		}
		addFile(h, f, text)
	}
	return true
}

// listing is what a file has of a listing.
type listing struct {
	Packages []Package
	GoSum    string // the private module's, which the go command may have added to
}

// listing returns a listing, nil where there is none that can be used.
func (r *records) listing(k key) *listing {
	data := r.read(k, listingHeader)
	if data == nil {
		return nil
	}
	return parseListing(data)
}

func parseListing(data []byte) *listing {
	var r listing
	if json.Unmarshal(data, &r) != nil || len(r.Packages) == 0 {
		return nil
	}
	for _, p := range r.Packages {
		if p.Version == "" || p.Sum == "" {
			return nil
		}
	}
	return &r
}

// keepListing makes a listing of packages, if all are in the module cache and go.mod is what the key has been made of.
func (r *records) keepListing(k key, dir, path string, before []byte, pkgs []Package) {
	after, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !bytes.Equal(before, after) {
		return
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return
	}
	l := listing{Packages: slices.Clone(pkgs), GoSum: string(sum)}
	for i := range l.Packages {
		p := &l.Packages[i]
		_, h, err := readSources(p)
		if err != nil || p.Version == "" {
			return
		}
		p.Sum = sumOf(h)
	}
	data, err := json.Marshal(l)
	if err != nil {
		return
	}
	r.write(k, listingHeader, data)
	if again := listingKey(dir, path); again != k { // go.sum has grown
		r.write(again, listingHeader, data)
	}
}

// use gives the private module the go.sum of a listing.
func (l *listing) use(dir string) error {
	file := filepath.Join(dir, "go.sum")
	if old, err := os.ReadFile(file); err != nil || string(old) != l.GoSum {
		if err := os.WriteFile(file, []byte(l.GoSum), 0o644); err != nil {
			return err
		}
	}
	now := time.Now()
	return os.Chtimes(filepath.Join(dir, "go.mod"), now, now)
}

// sumOf is the hash of a package's files and settings, without those of its imports.
func sumOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// needed are the packages that path needs beside those that known reports, in the order of all.
func needed(all []Package, path string, known func(path string) bool) []Package {
	at := map[string]int{}
	for i := range all {
		at[all[i].Path] = i
	}
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		i, listed := at[path]
		if !listed || seen[path] || known(path) {
			return
		}
		seen[path] = true
		for _, p := range all[i].Imports {
			visit(p)
		}
	}
	visit(path)
	return slices.DeleteFunc(slices.Clone(all), func(p Package) bool { return !seen[p.Path] })
}

// load is Load, with the listings of earlier sessions. Fresh says that they are not to be used.
func (s *Set) load(ctx context.Context, path string, known func(path string) bool, fresh bool) ([]Package, error) {
	if path == "unsafe" || known(path) {
		return nil, nil
	}
	if isLocal(path) {
		return nil, failure(path+" is a folder, and packages are imported by their paths in their module",
			"%get "+path+" names them")
	}
	dir, err := makeDir(s.dir)
	if err != nil {
		return nil, err
	}
	k := listingKey(dir, path)
	if k != "" && !fresh {
		if l := s.records.listing(k); l != nil && l.use(dir) == nil {
			return needed(l.Packages, path, known), nil
		}
	}
	s.records.work.listed.Add(1)
	if k == "" {
		return Load(ctx, dir, path, known)
	}
	before, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	all, err := Load(ctx, dir, path, s.compiled.Has)
	if err != nil { // maybe of a package that is loaded, and not needed again
		return Load(ctx, dir, path, known)
	}
	s.records.keepListing(k, dir, path, before, all)
	return needed(all, path, known), nil
}

// loadChecked is load and checkAll.
func (s *Set) loadChecked(ctx context.Context, path string, known func(path string) bool, fresh bool) ([]*Checked,
	error) {
	pkgs, err := s.load(ctx, path, known, fresh)
	if err != nil || len(pkgs) == 0 {
		return nil, err
	}
	stamps := map[string]string{}
	for i := range pkgs {
		stamps[pkgs[i].Path] = stampOf(&pkgs[i])
	}
	checked, err := checkAll(s.fset, pkgs, s, &s.records)
	for _, c := range checked {
		c.stamp = stamps[c.Path]
	}
	return checked, err
}
