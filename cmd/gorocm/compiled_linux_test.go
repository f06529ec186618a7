package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl/modules/compiled"
	"github.com/gorocm/gorocm/repl/modules/modulestest"
)

// TestCompiledModules has a session compile a module with assembly, and a later one use it. It compiles gorocm, from
// its folder and from a module proxy.
func TestCompiledModules(t *testing.T) {
	if os.Getenv("GOROCM_TEST_MODULES") == "" {
		t.Skip("downloads modules, and compiles for minutes: GOROCM_TEST_MODULES=1")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("folder", func(t *testing.T) { testCompiledModules(t, root, "") })
	t.Run("release", func(t *testing.T) {
		const version = "v0.0.1"
		archive, err := os.ReadFile("testdata/generics/module.txtar")
		if err != nil {
			t.Fatal(err)
		}
		proxies := []string{modulestest.Proxy(t, string(archive)), "file://" + proxyOf(t, root, version),
			"file://" + goEnv(t, "GOMODCACHE") + "/cache/download",
			goEnv(t, "GOPROXY")}
		testCompiledModules(t, root, version, "GOPROXY="+strings.Join(proxies, ","), "GOMODCACHE="+t.TempDir(),
			"GOFLAGS=-modcacherw", "GONOSUMDB=github.com/gorocm/gorocm,example.com")
	})
}

// goEnv is a variable of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// proxyOf is a module proxy in a folder that has a version of gorocm.
func proxyOf(t *testing.T, root, version string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	const module = "github.com/gorocm/gorocm"
	at := filepath.Join(dir, filepath.FromSlash(module), "@v", version)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	list := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Skip("needs git:", err)
	}
	f, err := os.Create(at + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSuffix(name, "\n")
		file := filepath.Join(root, filepath.FromSlash(name))
		st, err := os.Lstat(file)
		if err != nil || !st.Mode().IsRegular() || strings.HasPrefix(name, "internal/gen/simd/") { // a module of its own
			continue
		}
		w, err := z.Create(module + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(w, in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info := fmt.Appendf(nil, `{"Version":%q,"Time":"2024-01-02T03:04:05Z"}`, version)
	for ending, data := range map[string][]byte{".mod": mod, ".info": info} {
		if err := os.WriteFile(at+ending, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// testCompiledModules builds gorocm as install.sh does, or, with a version, as for a release, and runs sessions of it.
func testCompiledModules(t *testing.T, root, version string, env ...string) {
	flags, err := compiled.LinkerFlags(t.Context(), root, version, "")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "gorocm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", flags, "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cache, goCache := t.TempDir(), goEnv(t, "GOCACHE")
	run := func(cells ...string) string {
		t.Helper()
		var args []string
		for _, c := range cells {
			args = append(args, "-e", c)
		}
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), append([]string{"XDG_CACHE_HOME=" + cache, "GOCACHE=" + goCache}, env...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	const get, imports = "%get github.com/klauspost/cpuid/v2@v2.4.2", `import "github.com/klauspost/cpuid/v2"`
	const known = `cpuid.CPU.VendorString != ""`
	if out := run(get, imports, known, "%modules"); !strings.Contains(out, "v2.4.2, interpreted") ||
		!strings.Contains(out, "being compiled in the background") {
		t.Fatal(out)
	}
	for made := false; !made; time.Sleep(time.Second) {
		results, err := filepath.Glob(filepath.Join(cache, "gorocm", "modules", "compiled", "*", "result"))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			text, err := os.ReadFile(r)
			made = made || err == nil && strings.Contains(string(text), `"Took":`) &&
				!strings.Contains(string(text), `"Took":0`)
		}
	}
	out := run(get, imports+"\n"+known, "%modules")
	if !strings.Contains(out, "v2.4.2, compiled") || !strings.Contains(out, "true\n") {
		t.Error(out)
	}
	// the versions of its modules are what counts
	if out := run("%get github.com/google/uuid@v1.6.0", get, imports, "%modules"); !strings.Contains(out, "v2.4.2, compiled") {
		t.Error(out)
	}
	if out := run("x := 1", get, imports, "%modules", "x"); !strings.Contains(out, "v2.4.2, interpreted") {
		t.Error(out)
	}
	if version != "" {
		t.Run("generics", func(t *testing.T) { testCompiledGenerics(t, run, env) })
	}
}

// testCompiledGenerics has sessions compile a module whose generic functions use all that it keeps to itself. What they
// print is what the same program prints that go build has made.
func testCompiledGenerics(t *testing.T, run func(cells ...string) string, env []string) {
	program, err := os.ReadFile("testdata/generics/program.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": string(program), "go.mod": "module p\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compiled := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %v: %v", args, err)
		}
		return string(out)
	}
	compiled("get", "example.com/gen@v1.0.0")
	want := compiled("run", ".")
	const get = "%get example.com/gen@v1.0.0"
	_, cell, _ := strings.Cut(string(program), "package main\n")
	if out := run(get, cell, "main()"); !strings.Contains(out, want) {
		t.Fatalf("interpreted:\n%s\nwant\n%s", out, want)
	}
	state := run(get, cell, "%modules")
	for ; strings.Contains(state, "being compiled"); state = run(get, cell, "%modules") {
		time.Sleep(2 * time.Second)
	}
	if !strings.Contains(state, "gen v1.0.0, compiled") || !strings.Contains(state, "user v1.0.0, compiled") {
		t.Fatal(state)
	}
	if out := run(get, cell, "main()"); !strings.Contains(out, want) {
		t.Errorf("compiled:\n%s\nwant\n%s", out, want)
	}
}
