package compiled

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// madeOf is a store with a program of one key.
func madeOf(t *testing.T, key string) (store, file string) {
	t.Helper()
	store = filepath.Join(t.TempDir(), "compiled")
	dir := entry(store, key)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, program())
	if err := os.WriteFile(file, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, keyFile), []byte(key), 0o644); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeResult(dir, key, &Result{Size: st.Size(), Modified: st.ModTime().UnixNano()}); err != nil {
		t.Fatal(err)
	}
	if got, r := Find(store, key); got != file || r == nil {
		t.Fatalf("%q, %v", got, r)
	}
	return store, file
}

// TestFind damages programs, and what is noted of them: none is used then.
func TestFind(t *testing.T) {
	key := strings.Repeat("ab", 32)
	for name, damage := range map[string]func(store, file string) error{
		"no program": func(_, file string) error { return os.Remove(file) },
		"another program": func(_, file string) error {
			return os.WriteFile(file, []byte("prograM"), 0o755)
		},
		"a longer program": func(_, file string) error { return os.WriteFile(file, []byte("programs"), 0o755) },
		"a link": func(_, file string) error {
			if err := os.Rename(file, file+".old"); err != nil {
				return err
			}
			return os.Symlink(file+".old", file)
		},
		"everybody writes the program": func(_, file string) error { return os.Chmod(file, 0o777) },
		"everybody writes the store":   func(store, _ string) error { return os.Chmod(store, 0o777) },
		"everybody writes the entry":   func(_, file string) error { return os.Chmod(filepath.Dir(file), 0o777) },
		"everybody writes the result": func(_, file string) error {
			return os.Chmod(filepath.Join(filepath.Dir(file), resultFile), 0o666)
		},
		"another result": func(_, file string) error {
			name := filepath.Join(filepath.Dir(file), resultFile)
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(name, []byte(strings.Replace(string(text), `"Size":7`, `"Size":8`, 1)), 0o644)
		},
		"half a result": func(_, file string) error {
			return os.Truncate(filepath.Join(filepath.Dir(file), resultFile), 70)
		},
		"the result of another key": func(_, file string) error {
			return writeResult(filepath.Dir(file), key[:62]+"cd", &Result{Size: 7})
		},
	} {
		if runtime.GOOS == "windows" && (strings.HasPrefix(name, "everybody") || name == "a link") {
			continue
		}
		store, file := madeOf(t, key)
		time.Sleep(time.Millisecond) // a file that is written again has another time
		if err := damage(store, file); err != nil {
			t.Fatal(err)
		}
		if got, _ := Find(store, key); got != "" {
			t.Errorf("%s: the program is used", name)
		}
	}
	if got, _ := Find(filepath.Join(t.TempDir(), "none"), key); got != "" {
		t.Error(got)
	}
}

func TestReject(t *testing.T) {
	key := strings.Repeat("cd", 32)
	store, file := madeOf(t, key)
	Reject(file, "it ended")
	got, r := Find(store, key)
	if got != "" || r == nil || r.Err != "the program could not be run: it ended" {
		t.Errorf("%q, %v", got, r)
	}
	r.Modified -= (tryAgain + time.Minute).Nanoseconds()
	if err := writeResult(filepath.Dir(file), key, r); err != nil {
		t.Fatal(err)
	}
	if got, r := Find(store, key); got != "" || r != nil {
		t.Error("what has failed is not tried again")
	}
}

func TestSame(t *testing.T) {
	key, before := strings.Repeat("ef", 32), strings.Repeat("01", 32)
	store, file := madeOf(t, key)
	if err := Alias(store, before, key); err != nil {
		t.Fatal(err)
	}
	if got, _ := Find(store, before); got != file {
		t.Errorf("%q, want %q", got, file)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got, r := Find(store, before); got != "" || r != nil {
		t.Error(got, r)
	}
}

func TestTrim(t *testing.T) {
	store := t.TempDir()
	for i := range maxEntries + 3 {
		dir := filepath.Join(store, string(rune('a'+i)))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(i) * time.Hour)
		for _, name := range []string{resultFile, program()} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 {
			at = time.Now().Add(-keep - time.Hour)
		}
		if err := os.Chtimes(filepath.Join(dir, resultFile), at, at); err != nil {
			t.Fatal(err)
		}
	}
	trim(store)
	list, err := os.ReadDir(store)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, e := range list {
		names += e.Name()
	}
	if names != "acdefg" {
		t.Error(names)
	}
}
