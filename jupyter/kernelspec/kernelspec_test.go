package kernelspec

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/jupyter/internal/python"
)

// home gives the test Jupyter folders of its own.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("JUPYTER_DATA_DIR", "")
	t.Setenv("JUPYTER_PATH", "")
	t.Setenv("JUPYTER_CONFIG_DIR", "")
	t.Setenv("VIRTUAL_ENV", filepath.Join(dir, "venv"))
	return dir
}

// program is a file that can be executed.
func program(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "gorocm")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestInstall(t *testing.T) {
	dir := home(t)
	exe := program(t, dir)
	tests := []struct {
		name string
		o    Options
		want string
		find int // kernelspecs in Jupyter's search path after it
	}{
		{"default", Options{}, ".local/share/jupyter/kernels/gorocm", 1},
		{"user", Options{User: true}, ".local/share/jupyter/kernels/gorocm", 1},
		{"sys-prefix", Options{SysPrefix: true}, "venv/share/jupyter/kernels/gorocm", 1},
		{"prefix", Options{Prefix: filepath.Join(dir, "p")}, "p/share/jupyter/kernels/gorocm", 0},
	}
	if runtime.GOOS == "darwin" {
		t.Skip("the folders are those of Linux")
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.o.Command = []string{exe, "kernel"}
			got, err := Install(test.o)
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(dir, test.want); got != want {
				t.Errorf("installed in %s, want %s", got, want)
			}
			text, err := os.ReadFile(filepath.Join(got, "kernel.json"))
			if err != nil {
				t.Fatal(err)
			}
			var have map[string]any
			if err := json.Unmarshal(text, &have); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{
				"argv":                    []any{exe, "kernel", "{connection_file}"},
				"display_name":            "Go (gorocm)",
				"language":                "go",
				"interrupt_mode":          "message",
				"kernel_protocol_version": "5.5",
				"metadata":                map[string]any{"debugger": true, "supported_encryption": []any{"curve"}},
			}
			if !reflect.DeepEqual(have, want) {
				t.Errorf("kernel.json %v, want %v", have, want)
			}
			found := Find()
			if len(found) != test.find {
				t.Fatalf("found %v", found)
			}
			if test.find > 0 && (!found[0].OK || found[0].Dir != got) {
				t.Errorf("found %+v", found[0])
			}
			if _, err := Uninstall(test.o); err != nil {
				t.Error(err)
			}
			if len(Find()) != 0 {
				t.Errorf("found %v after uninstalling", Find())
			}
			if _, err := Uninstall(test.o); err == nil {
				t.Error("the second uninstall has no error")
			}
		})
	}
}

func TestInstallRefuses(t *testing.T) {
	home(t)
	for name, o := range map[string]Options{
		"relative command": {Command: []string{"gorocm"}},
		"no command":       {},
		"two places":       {User: true, Prefix: "/x", Command: []string{"/bin/true"}},
	} {
		if dir, err := Install(o); err == nil {
			t.Errorf("%s: installed in %s", name, dir)
		}
	}
}

func TestFindProblems(t *testing.T) {
	dir := home(t)
	exe := program(t, dir)
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	at, err := Install(Options{Command: []string{exe}})
	if err != nil {
		t.Fatal(err)
	}
	good := `{"argv": ["` + exe + `", "{connection_file}"], "interrupt_mode": "message"}`
	tests := []struct{ json, problem string }{
		{good, ""},
		{"{", "cannot be read"},
		{`{}`, "names no command"},
		{strings.Replace(good, exe, "gorocm", 1), "not an absolute path"},
		{strings.Replace(good, exe, dir+"/gone", 1), "no longer exists"},
		{strings.Replace(good, exe, plain, 1), "not an executable file"},
		{strings.Replace(good, "{connection_file}", "x", 1), "does not pass the connection file"},
		{strings.Replace(good, "message", "signal", 1), "interrupt_mode"},
	}
	for _, test := range tests {
		if err := os.WriteFile(filepath.Join(at, "kernel.json"), []byte(test.json), 0o644); err != nil {
			t.Fatal(err)
		}
		found := Find()
		if len(found) != 1 || found[0].OK != (test.problem == "") || !strings.Contains(found[0].Problem, test.problem) {
			t.Errorf("%s: %+v, want %q", test.json, found, test.problem)
		}
	}
}

// TestJupyterFinds asks Jupyter itself.
func TestJupyterFinds(t *testing.T) {
	thorough.Slow(t)
	py := python.With(t, "jupyter_client")
	dir := home(t)
	if _, err := Install(Options{Command: []string{program(t, dir)}}); err != nil {
		t.Fatal(err)
	}
	const script = "from jupyter_client.kernelspec import *; import json; print(json.dumps(KernelSpecManager().get_all_specs()))"
	out, err := exec.Command(py, "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	var list map[string]struct {
		Dir  string `json:"resource_dir"`
		Spec spec
	}
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, ".local/share/jupyter/kernels/gorocm"); list[Name].Dir != want ||
		list[Name].Spec.InterruptMode != "message" {
		t.Errorf("Jupyter finds %+v, want %s", list, want)
	}
}

// TestLogos: what is checked in is what the generator draws, and has the sizes that its names say.
func TestLogos(t *testing.T) {
	thorough.Slow(t)
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./logo", "-dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	entries, err := logos.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		have, _ := logos.ReadFile(e.Name())
		want, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what the generator draws: run go generate", e.Name())
		}
	}
	for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		data, _ := logos.ReadFile(name)
		config, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || config.Width != size || config.Height != size {
			t.Errorf("%s: %v %+v", name, err, config)
		}
	}
}

// TestServer: the language server is registered in the configuration of the same place, and removed with the kernel.
func TestServer(t *testing.T) {
	dir := home(t)
	for name, test := range map[string]struct {
		o    Options
		want string
	}{
		"user":       {Options{}, ".jupyter"},
		"sys-prefix": {Options{SysPrefix: true}, "venv/etc/jupyter"},
		"prefix":     {Options{Prefix: filepath.Join(dir, "p")}, "p/etc/jupyter"},
	} {
		t.Run(name, func(t *testing.T) {
			exe := program(t, dir)
			test.o.Command, test.o.Server = []string{exe, "kernel"}, []string{exe, "lsp"}
			if _, err := Install(test.o); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, test.want, "jupyter_server_config.d", serverFile)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Manager struct {
					Servers map[string]struct {
						Argv, Languages []string
						Version         int
					} `json:"language_servers"`
				} `json:"LanguageServerManager"`
			}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			s := got.Manager.Servers["gorocm"]
			if !reflect.DeepEqual(s.Argv, test.o.Server) || !reflect.DeepEqual(s.Languages, []string{"go"}) || s.Version != 2 {
				t.Errorf("%s", text)
			}
			if _, err := Uninstall(test.o); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(file); !os.IsNotExist(err) {
				t.Errorf("the file stays: %v", err)
			}
		})
	}
}
