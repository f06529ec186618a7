package compile

import (
	"os"
	"path/filepath"
	"time"
)

// clangTimeout limits a compilation. Folders that are twice as old were left by a process that was killed.
const clangTimeout = 5 * time.Minute

// clangFolder creates a folder for one compilation in that of the cache, and removes those that were left there.
func clangFolder() (string, error) {
	cache := cacheFolder()
	all := filepath.Join(cache, "compiling")
	if cache == "" || os.MkdirAll(all, 0o700) != nil {
		return os.MkdirTemp("", "gorocm")
	}
	old, _ := os.ReadDir(all) // nothing is removed from a folder that cannot be read
	for _, e := range old {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 2*clangTimeout {
			_ = os.RemoveAll(filepath.Join(all, e.Name())) // the next one tries again
		}
	}
	return os.MkdirTemp(all, "")
}
