package modules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// keep is how long the folder of a session that has ended stays: its modules themselves are in the module cache.
const keep = 30 * 24 * time.Hour

// NewDir makes a folder for the private module of one session, in the user's cache folder, and removes those that no session has used
// for 30 days. A worker that takes another's place is given the same folder.
func NewDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the session's modules: %w", err)
	}
	parent := filepath.Join(cache, "gorocm", "modules")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("no folder for the session's modules: %w", err)
	}
	old, _ := filepath.Glob(filepath.Join(parent, "session-*")) // a fixed pattern is never malformed
	for _, d := range old {
		st, err := os.Stat(filepath.Join(d, "go.mod"))
		if err != nil {
			st, err = os.Stat(d)
		}
		if err == nil && time.Since(st.ModTime()) > keep {
			_ = os.RemoveAll(d) // another session may be doing the same
		}
	}
	dir, err := os.MkdirTemp(parent, "session-")
	if err != nil {
		return "", fmt.Errorf("no folder for the session's modules: %w", err)
	}
	return dir, nil
}

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
	return os.WriteFile(file, fmt.Appendf(nil, "module %s\n\ngo %s\n", modulePath, goVersion), 0o644)
}
