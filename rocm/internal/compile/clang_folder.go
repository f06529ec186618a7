package compile

import (
	"os"
	"path/filepath"
	"time"
)

// clangTimeout is how long a compilation takes at most. What is twice as old was left behind by a process that was killed.
const clangTimeout = 5 * time.Minute

// clangFolder makes a folder for one compilation, beside what is cached, where the next one finds what is left behind.
func clangFolder() (string, error) {
	cache := cacheFolder()
	all := filepath.Join(cache, "compiling")
	if cache == "" || os.MkdirAll(all, 0o700) != nil {
		return os.MkdirTemp("", "gorocm")
	}
	old, _ := os.ReadDir(all) // nothing found is nothing to do
	for _, e := range old {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 2*clangTimeout {
			_ = os.RemoveAll(filepath.Join(all, e.Name())) // the next one tries again
		}
	}
	return os.MkdirTemp(all, "")
}
