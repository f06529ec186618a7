package compiled

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/repl/modules"
)

// Result is what became of a program.
type Result struct {
	Same     string   // the key of the entry that has it
	Others   []string // keys of entries for the same imports, where this is their list
	Modules  versions // that its packages are from; nil for a program that serves only sessions with its key
	Roots    []string // import paths that cells import
	Err      string   // why there is none
	Size     int64    // of the program
	Modified int64    // when it was written, or the build failed, in nanoseconds
	Packages []string // that are compiled in
	Took     time.Duration
}

// The files of an entry.
const (
	resultFile  = "result"
	rootsFile   = "roots"
	keyFile     = "key"
	logFile     = "log"
	programFile = "gorocm"
)

const header = "gorocm compiled 1\n"

// A store has maxEntries programs at most; those that were not used for keep are removed.
const (
	maxEntries = 6
	keep       = 30 * 24 * time.Hour
)

// tryAgain is how long a build that has failed is not tried again.
const tryAgain = 24 * time.Hour

// Off reports whether the user wants nothing compiled.
func Off() bool { return os.Getenv("GOROCM_COMPILE") == "0" }

// Key is the key of the program for a session with the private module in dir, whose cells import roots. It is empty
// where there can be none.
func Key(dir string, roots []string) string {
	if sourceSum == "" || len(roots) == 0 || Off() {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s%s %s %s %s\n", header, sourceSum, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, root := range sorted(roots) {
		fmt.Fprintf(h, "%q\n", root)
	}
	if !modules.AddModule(h, dir) {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// GetsKey is the key under which sessions find the program of the last one that had run the same %get commands, which
// have these arguments.
func GetsKey(gets []string) string {
	if sourceSum == "" || len(gets) == 0 || Off() {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%sget %s %s %s %s %q\n", header, sourceSum, runtime.Version(), runtime.GOOS, runtime.GOARCH, gets)
	return hex.EncodeToString(h.Sum(nil))
}

// ModuleKey is the key under which sessions find the program of the last one with the same go.mod and go.sum in dir.
func ModuleKey(dir string) string { return Key(dir, []string{"?"}) }

func sorted(list []string) []string {
	r := slices.Clone(list)
	slices.Sort(r)
	return slices.Compact(r)
}

// Folder is the store of sessions whose private modules lie beside dir.
func Folder(dir string) string { return filepath.Join(filepath.Dir(dir), "compiled") }

// entry is the folder of a key.
func entry(store, key string) string { return filepath.Join(store, key[:32]) }

func program() string {
	if runtime.GOOS == "windows" {
		return programFile + ".exe"
	}
	return programFile
}

// Find returns the program of a key, and what became of it; the file is "" where there is none that can be used, and
// the result nil where none was made yet.
func Find(store, key string) (file string, r *Result) {
	if key == "" || owned.Check(store) != nil {
		return "", nil
	}
	dir := entry(store, key)
	if r = readResult(dir, key); r == nil || r.Err != "" {
		if r != nil && time.Since(time.Unix(0, r.Modified)) > tryAgain {
			return "", nil
		}
		return "", r
	}
	if r.Same != "" && r.Same != key {
		now := time.Now()
		_ = os.Chtimes(filepath.Join(dir, resultFile), now, now) // one that is used stays
		return Find(store, r.Same)
	}
	file = filepath.Join(dir, program())
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || !ours(file, st) || st.Size() != r.Size ||
		st.ModTime().UnixNano() != r.Modified {
		return "", nil // it is made again
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Join(dir, resultFile), now, now) // one that is used stays
	return file, r
}

// ours reports whether a file belongs to this user and nobody else can write to it.
func ours(file string, st os.FileInfo) bool {
	if st.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows" { // which has no such permissions
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	return owned.IsOurs(f)
}

func readResult(dir, key string) *Result {
	file := filepath.Join(dir, resultFile)
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || owned.Check(dir) != nil || !ours(file, st) {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	sum, text, ok := strings.Cut(string(data), "\n")
	r := &Result{}
	if !ok || sum != resultSum(key, text) || json.Unmarshal([]byte(text), r) != nil {
		return nil
	}
	return r
}

func resultSum(key, text string) string {
	sum := sha256.Sum256([]byte(header + key + "\n" + text))
	return hex.EncodeToString(sum[:])
}

// writeEntry is writeResult for an entry whose folder may not be there yet.
func writeEntry(dir, key string, r *Result) error {
	return errors.Join(os.MkdirAll(dir, 0o755), writeResult(dir, key, r))
}

// writeResult makes an entry one that can be found.
func writeResult(dir, key string, r *Result) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\n%s", resultSum(key, string(text)), text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, resultFile))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Reject notes that a program cannot be run, so that it is not tried again.
func Reject(file, why string) {
	dir := filepath.Dir(file)
	text, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return // it may be tried again
	}
	if r := readResult(dir, string(text)); r != nil {
		r.Err, r.Modified = "the program could not be run: "+why, time.Now().UnixNano()
		_ = writeResult(dir, string(text), r)
	}
}

// trim removes the entries that were not used for long, and all but the newest maxEntries.
func trim(store string) {
	type used struct {
		dir string
		at  time.Time
	}
	list, err := os.ReadDir(store)
	if err != nil {
		return // there is none
	}
	var all []used
	for _, e := range list {
		u := used{dir: filepath.Join(store, e.Name())}
		if st, err := os.Stat(filepath.Join(u.dir, resultFile)); err == nil {
			u.at = st.ModTime()
		} else if st, err := os.Stat(u.dir); err == nil {
			u.at = st.ModTime() // what was interrupted
		}
		if !e.IsDir() {
			continue
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b used) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.dir, b.dir)) })
	programs := 0
	for _, u := range all {
		if _, err := os.Stat(filepath.Join(u.dir, program())); err == nil {
			programs++
		}
		if programs > maxEntries || time.Since(u.at) > keep {
			_ = os.RemoveAll(u.dir)
		}
	}
}

// copyFile copies a small file.
func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// logTo opens the log of a build.
func logTo(dir string) io.WriteCloser {
	f, err := os.OpenFile(filepath.Join(dir, logFile), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return nopCloser{io.Discard}
	}
	return f
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
