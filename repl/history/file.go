package history

import (
	"os"
	"path/filepath"
)

// File is the path of the history that all sessions share: $XDG_STATE_HOME/gorocm/history.sqlite, by default in
// ~/.local/state. It is empty where there is no place for one. The folder is made, and is the user's alone.
func File() string {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		base = filepath.Join(home, ".local", "state")
	}
	folder := filepath.Join(base, "gorocm")
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	return filepath.Join(folder, "history.sqlite")
}
