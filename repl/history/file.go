package history

import (
	"os"
	"path/filepath"

	"github.com/gorocm/gorocm/internal/folders"
)

// File is the path of the history that all sessions share: $XDG_STATE_HOME/gorocm/history.sqlite, by default in
// ~/.local/state, and on Windows in %LocalAppData%. It is empty where there is no place for one. The folder is made,
// and is the user's alone.
func File() string {
	base, err := folders.State()
	if err != nil {
		return ""
	}
	folder := filepath.Join(base, "gorocm")
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	return filepath.Join(folder, "history.sqlite")
}
