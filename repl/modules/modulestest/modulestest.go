// Package modulestest serves modules to the go command of a test.
package modulestest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// World is a module proxy in a folder, and settings under which the go command asks it alone. The archive has the files
// of modules as example.com/a@v1.0.0/a.go. It returns the folder for a session.
func World(t *testing.T, archive string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs a go command")
	}
	t.Setenv("GOPROXY", Proxy(t, archive))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // or the test's folder could not be removed
	t.Setenv("GOTOOLCHAIN", "local")
	return filepath.Join(t.TempDir(), "session")
}

// Proxy is the address of a module proxy in a folder that serves an archive.
func Proxy(t *testing.T, archive string) (url string) {
	t.Helper()
	proxy := t.TempDir()
	type module struct{ path, version string }
	files := map[module]map[string][]byte{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path, rest, _ := strings.Cut(f.Name, "@")
		version, name, _ := strings.Cut(rest, "/")
		m := module{path, version}
		if files[m] == nil {
			files[m] = map[string][]byte{}
		}
		files[m][name] = f.Data
	}
	versions := map[string][]string{}
	for m, content := range files {
		versions[m.path] = append(versions[m.path], m.version)
		if content["go.mod"] == nil {
			content["go.mod"] = fmt.Appendf(nil, "module %s\n", m.path)
		}
		var buf bytes.Buffer
		z := zip.NewWriter(&buf)
		for name, data := range content {
			w, err := z.Create(m.path + "@" + m.version + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(proxy, filepath.FromSlash(m.path), "@v", m.version)
		write(t, at+".info", fmt.Appendf(nil, `{"Version":%q,"Time":"2024-01-02T03:04:05Z"}`, m.version))
		write(t, at+".mod", content["go.mod"])
		write(t, at+".zip", buf.Bytes())
	}
	for path, list := range versions {
		sort.Strings(list)
		write(t, filepath.Join(proxy, filepath.FromSlash(path), "@v", "list"), []byte(strings.Join(list, "\n")+"\n"))
	}
	if runtime.GOOS == "windows" {
		return "file:///" + filepath.ToSlash(proxy)
	}
	return "file://" + proxy
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
