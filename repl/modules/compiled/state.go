package compiled

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl/modules"
)

// State says in a sentence what has become of the program for a session with the private module in dir, whose cells
// import roots.
func State(dir string, roots []string) string {
	switch {
	case Off():
		return "nothing is compiled: GOROCM_COMPILE is 0"
	case sourceSum == "":
		return "nothing is compiled: " + errNoSource.Error()
	}
	if _, err := modules.GoCommand(); err != nil {
		return "nothing is compiled: " + err.Error()
	}
	key := Key(dir, roots)
	if key == "" {
		return "nothing is compiled: a module is replaced by a folder, where anything may change"
	}
	file, r := Lookup(Folder(dir), key, dir, roots)
	switch {
	case file != "":
		return fmt.Sprintf("compiled in %s: sessions that begin with these imports use that (%d MB)",
			r.Took.Round(time.Second), r.Size>>20)
	case r != nil:
		return "interpreted in all sessions, because they cannot be compiled: " + strings.TrimSpace(r.Err)
	}
	if _, err := os.Stat(filepath.Join(entry(Folder(dir), key), keyFile)); err != nil {
		return fmt.Sprintf("not compiled: imports that take less than %d ms again, or %d ms at first, are not unless they have assembly",
			SlowImport.Milliseconds(), SlowFirstImport.Milliseconds())
	}
	return "being compiled in the background"
}

// How long an import takes that is worth a program of its own: one that some session has done before, and a first one,
// for which the go command lists the packages and all of them are checked.
const (
	SlowImport      = 100 * time.Millisecond
	SlowFirstImport = 500 * time.Millisecond
)
