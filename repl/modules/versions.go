package modules

import (
	"hash"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Versions maps the modules that the go.mod in dir names to their versions and the hashes of their files, as go.sum has
// them: "v1.6.0 h1:…". Go's rules for go.mod are that the versions of those which it names are the selected ones. A
// module without a hash was never needed, and is left out, as is one that another one replaces.
func Versions(dir string) map[string]string {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return nil
	}
	hashes := map[string]string{}
	for line := range strings.Lines(string(sum)) {
		if w := strings.Fields(line); len(w) == 3 {
			hashes[w[0]+" "+w[1]] = w[2]
		}
	}
	f, err := modfile.Parse("go.mod", mod, nil)
	if err != nil {
		return nil
	}
	r := map[string]string{}
	for _, m := range f.Require {
		if h := hashes[m.Mod.Path+" "+m.Mod.Version]; h != "" {
			r[m.Mod.Path] = m.Mod.Version + " " + h
		}
	}
	for _, x := range f.Replace {
		delete(r, x.Old.Path)
	}
	return r
}

// VersionOf is the version in a value of Versions.
func VersionOf(v string) string {
	version, _, _ := strings.Cut(v, " ")
	return version
}

// AddSettings adds to h what the go command's answers depend on beside a private module: see AddModule.
func AddSettings(h hash.Hash) (ok bool) {
	command, err := find(places())
	return err == nil && addSettings(h, command)
}
