package modules

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gorocm/gorocm/internal/owned"
)

// keep is how long the folder of a session that has ended stays: its modules themselves are in the module cache.
const keep = 30 * 24 * time.Hour

// NewDir names a folder for the private module of one session, in the user's cache folder or else in the folder for
// temporary files. Get makes it, and removes those that no session has used for 30 days. A worker that takes another's
// place is given the same folder.
func NewDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = filepath.Join(os.TempDir(), fallback())
	}
	return filepath.Join(cache, "gorocm", "modules", "session-"+strings.ToLower(rand.Text()))
}

// fallback is the folder of a user without a cache folder, in the one for temporary files.
func fallback() string { return "gorocm-user-" + strconv.Itoa(os.Getuid()) }

// checkOwners refuses the folder of a session when another user could change what is in it: its go.mod says what is
// compiled into the session.
func checkOwners(dir string) error {
	for {
		if err := owned.Check(dir); err != nil {
			return err
		}
		parent := filepath.Dir(dir)
		if base := filepath.Base(parent); base != "modules" && base != "gorocm" && base != fallback() {
			return nil
		}
		dir = parent
	}
}

// removeOld removes the folders beside dir that no session has used for long, and what sessions have left of what none
// has imported for as long.
func removeOld(dir string) {
	// a pattern of that kind is malformed only where there are none
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "session-*"))
	for _, d := range all {
		if st, err := os.Stat(filepath.Join(d, "go.mod")); err == nil && time.Since(st.ModTime()) > keep {
			_ = os.RemoveAll(d) // another session may be doing the same
		}
	}
	storeOf(dir).trim(maxStore, keepStore)
}

// storeOf is the folder, beside those of sessions, of what they leave for later ones.
func storeOf(dir string) *store { return &store{filepath.Join(filepath.Dir(dir), "checked")} }

// modulePath is the private module's name. It has no dot, so that no one can import it.
const modulePath = "gorocm-session"

// open makes dir the private module unless it is already.
func open(dir, goVersion string) error {
	file := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(file); err == nil {
		now := time.Now()
		return os.Chtimes(file, now, now)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	removeOld(dir)
	return os.WriteFile(file, fmt.Appendf(nil, "module %s\n\ngo %s\n", modulePath, goVersion), 0o644)
}
