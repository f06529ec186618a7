package compiled

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/internal/self"
)

// Command is the hidden command of gorocm that calls Build, with the folder of an entry and its key.
const Command = "compile-modules"

// Prepare makes the entry of a key for Build.
func Prepare(dir, store, key string, roots []string) (folder string, err error) {
	folder = entry(store, key)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyFile(filepath.Join(folder, name), filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(folder, keyFile), []byte(key), 0o644); err != nil {
		return "", err
	}
	return folder, os.WriteFile(filepath.Join(folder, rootsFile), []byte(strings.Join(sorted(roots), "\n")), 0o644)
}

// Alias has those who look for the program of one key find that of another.
func Alias(store, from, key string) error {
	return writeEntry(entry(store, from), from, &Result{Same: key})
}

// Start makes the program for a session with the private module in dir, whose cells import roots, in a process of its
// own that goes on when this one ends. It does nothing where there can be none, or where it was tried before. Before is
// the key before the import, which may have added to go.mod and go.sum: later sessions ask for that. Without is a
// variable of the environment that the process does not get. begun reports whether the process has been started.
func Start(dir string, roots []string, before, without string) (begun bool, err error) {
	key, store := Key(dir, roots), Folder(dir)
	if key == "" {
		return false, nil
	}
	if before != "" && before != key {
		if err := Alias(store, before, key); err != nil {
			return false, err
		}
	}
	if file, r := Lookup(store, key, dir, roots); file != "" || r != nil {
		return false, nil
	}
	folder, err := Prepare(dir, store, key, roots)
	if err != nil {
		return false, err
	}
	program, err := self.File()
	if err != nil {
		return false, err
	}
	cmd := exec.Command(program, Command, folder, key)
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != without {
			cmd.Env = append(cmd.Env, v)
		}
	}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return false, err
	}
	go func() { _ = cmd.Wait() }() // what became of it is in the store
	return true, nil
}
