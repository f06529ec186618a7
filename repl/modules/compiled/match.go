package compiled

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/gorocm/gorocm/repl/modules"
)

// A session's key is a hash of all of its go.mod and go.sum: whether there is a program is found out at once. But a
// program depends only on the modules that its packages are from. So the programs for the same imports are listed in an
// entry of their own, each with its modules, and one whose modules a session has at the same versions serves it.

// versions are those of modules and the hashes of their files, as go.mod and go.sum have them.
type versions map[string]string

// Lookup is Find for a session with that key, the private module in dir, and cells that import roots: it also finds
// what was made for other sessions that have the same versions of all modules that matter.
func Lookup(store, key, dir string, roots []string) (file string, r *Result) {
	if file, r = Find(store, key); file != "" || r != nil || key == "" {
		return file, r
	}
	index := rootsKey(roots)
	list := readResult(entry(store, index), index)
	if list == nil {
		return "", nil
	}
	have := modules.Versions(dir)
	for _, other := range slices.Backward(list.Others) {
		o := readResult(entry(store, other), other)
		if o == nil || len(o.Modules) == 0 || !o.Modules.among(have) {
			continue
		}
		if file, r = Find(store, other); file != "" || r != nil {
			_ = Alias(store, key, other) // without it the next session looks again
			return file, r
		}
	}
	return "", nil
}

// Guess is the program that a session may go on in which has run %get with these arguments and imported nothing yet,
// where no session has noted one: that used last of those which have the modules. Have are the versions of the modules
// of the session, nil where they are not known yet.
func Guess(store string, gets []string, have map[string]string) (file string) {
	if len(gets) == 0 || sourceSum == "" || Off() {
		return ""
	}
	list, err := os.ReadDir(store)
	if err != nil {
		return "" // nothing was compiled yet
	}
	best, last := "", time.Time{}
	for _, e := range list {
		dir := filepath.Join(store, e.Name())
		st, err := os.Stat(filepath.Join(dir, resultFile))
		if err != nil || !st.ModTime().After(last) {
			continue
		}
		key, err := os.ReadFile(filepath.Join(dir, keyFile))
		if err != nil {
			continue // another kind of entry
		}
		r := readResult(dir, string(key))
		if r != nil && r.Err == "" && r.Modules.serves(gets) && (have == nil || r.Modules.among(have)) &&
			Key(dir, r.Roots) == string(key) { // made by this gorocm
			best, last = string(key), st.ModTime()
		}
	}
	file, _ = Find(store, best)
	return file
}

// serves reports whether each of the arguments of %get asks for one of the modules, or for a package of one.
func (v versions) serves(gets []string) bool {
	for _, get := range gets {
		path, version, _ := strings.Cut(modules.PathOf(get), "@")
		found := false
		for m, have := range v {
			found = found || (path == m || strings.HasPrefix(path, m+"/")) &&
				(version == "" || version == modules.VersionOf(have) || !semver.IsValid(version))
		}
		if !found {
			return false
		}
	}
	return len(v) > 0
}

// among reports whether all modules are in a list at the same versions.
func (v versions) among(list map[string]string) bool {
	for m, version := range v {
		if list[m] != version {
			return false
		}
	}
	return true
}

// rootsKey is the key of the list of programs for the same imports.
func rootsKey(roots []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%sroots %s %s %s %s %q\n", header, sourceSum, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		sorted(roots))
	if !modules.AddSettings(h) {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// versionsOf are the versions of the modules that packages are from; nil where the go.mod in dir does not name all of
// them, since then others of its modules have decided some of them.
func versionsOf(dir string, list []*listed) versions {
	have := modules.Versions(dir)
	r := versions{}
	for _, p := range list {
		if p.Standard || p.Module == nil {
			continue
		}
		m := p.Module
		v := have[m.Path]
		if v == "" || m.Replace != nil || modules.VersionOf(v) != m.Version {
			return nil
		}
		r[m.Path] = v
	}
	return r
}

// share lists the program of a key for other sessions with the same imports.
func (r *Result) share(store, key string) error {
	index := rootsKey(r.Roots)
	if index == "" || len(r.Modules) == 0 {
		return nil
	}
	dir := entry(store, index)
	list := readResult(dir, index)
	if list == nil {
		list = &Result{}
	}
	if slices.Contains(list.Others, key) {
		return nil
	}
	list.Others = append(list.Others, key)
	if n := len(list.Others) - maxShared; n > 0 {
		list.Others = list.Others[n:]
	}
	return writeEntry(dir, index, list)
}

// maxShared is how many programs are listed for the same imports.
const maxShared = 2 * maxEntries
