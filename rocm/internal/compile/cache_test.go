package compile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestCache(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	t.Setenv("GOROCM_CACHE", folder)
	key, image := cacheKey("x", "y"), []byte("the code object")
	if _, ok := readCache(key); ok {
		t.Fatal("found before it was written")
	}
	writeCache(key, image)
	if got, ok := readCache(key); !ok || !bytes.Equal(got, image) {
		t.Fatalf("read %q, %v", got, ok)
	}
	if info, err := os.Stat(folder); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", info.Mode(), err)
	}
	if list, _ := os.ReadDir(folder); len(list) != 1 {
		t.Errorf("%d files for one entry", len(list))
	}
	path := filepath.Join(folder, key)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-1] ^= 1
	for what, data := range map[string][]byte{"cut": whole[:len(whole)-1], "cut in the sum": whole[:10], "empty": nil, "flipped": flipped} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := readCache(key); ok {
			t.Errorf("a damaged file was taken: %s", what)
		}
	}
	writeCache(key, image)
	if _, ok := readCache(key); !ok {
		t.Error("a damaged file was not replaced")
	}
}

func TestCacheKey(t *testing.T) {
	if cacheKey("ab", "c") == cacheKey("a", "bc") || cacheKey("a") == cacheKey("a", "") {
		t.Error("different parts, same key")
	}
	if again := cacheKey("a", "b"); again != cacheKey("a", "b") {
		t.Error("same parts, different keys")
	}
}

func TestCacheConcurrent(t *testing.T) {
	t.Setenv("GOROCM_CACHE", t.TempDir())
	image := bytes.Repeat([]byte("code"), 10_000)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 10 {
				key := cacheKey(fmt.Sprint(j))
				writeCache(key, image)
				got, ok := readCache(key)
				if !ok && runtime.GOOS == "windows" { // a file cannot be read while another writer replaces it
					continue
				}
				if !ok || !bytes.Equal(got, image) {
					t.Errorf("writer %d read a part of entry %d", i, j)
				}
			}
		})
	}
	wg.Wait()
}

func TestCacheNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROCM_CACHE", filepath.Join(file, "cache")) // cannot be made
	writeCache(cacheKey("k"), []byte("x"))
	if _, ok := readCache(cacheKey("k")); ok {
		t.Error("read what could not be written")
	}
}
