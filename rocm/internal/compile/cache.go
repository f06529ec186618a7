package compile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gorocm/gorocm/internal/owned"
)

// The cache on disk holds compiled kernels: one file per key, the SHA-256 of its contents first, so that a damaged file
// is noticed and compiled again.

// cacheKey is the key of a code object: a hash of all that it depends on.
func cacheKey(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(strconv.AppendInt(nil, int64(len(p)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// cacheFolder is the folder of the cache, or empty when there is none, or none that only this user writes to: whoever
// writes to it chooses what runs on the GPU.
func cacheFolder() string {
	dir := namedFolder()
	if err := owned.Check(dir); dir != "" && err != nil {
		if _, told := refused.LoadOrStore(dir, true); !told {
			slog.Warn("rocm: the cache of compiled kernels: " + err.Error())
		}
		return ""
	}
	return dir
}

var refused sync.Map // folders that were told of

func namedFolder() string {
	if dir := os.Getenv("GOROCM_CACHE"); dir != "" {
		return dir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "gorocm")
}

// cachePath is the file of a key.
func cachePath(key string) string { return filepath.Join(cacheFolder(), key) }

// readCache returns the entry of a key, if its checksum is right.
func readCache(key string) ([]byte, bool) {
	folder := cacheFolder()
	if folder == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(folder, key))
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(data[sha256.Size:])
	if !bytes.Equal(sum[:], data[:sha256.Size]) {
		return nil, false
	}
	return data[sha256.Size:], true
}

// writeCache stores an entry. Errors are ignored: without the entry the next process compiles again. The file gets its
// name when it is complete, so that readers and other writers never see a part of it.
func writeCache(key string, image []byte) {
	folder := cacheFolder()
	if folder == "" || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return
	}
	defer os.Remove(f.Name()) // fails after the rename
	sum := sha256.Sum256(image)
	_, err = f.Write(append(sum[:], image...))
	if closeErr := f.Close(); err != nil || closeErr != nil {
		return
	}
	_ = os.Rename(f.Name(), filepath.Join(folder, key))
}
