package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

func TestConfig(t *testing.T) {
	thorough.Slow(t)
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GOROCM_CONFIG", "")
	path := filepath.Join(home, ".config", "gorocm", "config.toml")
	for _, c := range []struct {
		args   string
		status int
		stdout string // a part of it
		stderr string
	}{
		{"config path", 0, path + "\n", ""},
		{"config elapsed", 0, "0.5\n", ""},
		{"config set elapsed 2", 0, "", ""},
		{"config elapsed", 0, "2\n", ""},
		{"config set editor vim_-u_NONE", 0, "", ""},
		{"config", 0, "editor = \"vim -u NONE\"", ""},
		{"config set elapsed soon", 1, "", "elapsed cannot be soon: it is a number"},
		{"config set colour red", 1, "", `colour cannot be "red": it is auto, always or never`},
		{"config set status true", 0, "", ""},
		{"config unset elapsed", 0, "", ""},
		{"config elapsed", 0, "0.5\n", ""},
		{"config set nothing 1", 1, "", "unknown setting nothing; the settings are colour, hints"},
		{"config nothing", 1, "", "unknown setting nothing"},
		{"config set elapsed", 2, "", "accepts 2 arg"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		r := gorocm(t, home, "", args...)
		if r.status != c.status || !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) {
			t.Errorf("%s: %+v; want status %d, output with %q, errors with %q", c.args, r, c.status, c.stdout, c.stderr)
		}
	}
	text, err := os.ReadFile(path)
	if want := "editor = \"vim -u NONE\"\nstatus = true\n"; err != nil || string(text) != want {
		t.Errorf("the file has %q, %v; want %q", text, err, want)
	}
	for _, c := range []struct{ text, says string }{
		{"hints = maybe\n", ":1: "},
		{"# mine\n\nhint = true\n", "unknown setting hint"},
		{"history = \"many\"\n", "history"},
		{"colour = \"red\"\n", "it is auto, always or never"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"config"}, {"config", "set", "elapsed", "1"}, {}} {
			r := gorocm(t, home, "1\n", args...)
			if r.status != 1 || !strings.Contains(r.stderr, path) || !strings.Contains(r.stderr, c.says) {
				t.Errorf("%q, %v: %+v; want an error with %q", c.text, args, r, c.says)
			}
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != c.text {
			t.Errorf("a file with a mistake was changed to %q, %v", after, err)
		}
	}
	if r := gorocm(t, home, "1 + 1\n", "--no-config"); r.status != 0 || r.stdout != "2\n" {
		t.Errorf("--no-config: %+v", r)
	}
}

// TestScriptByName: an executable file whose first line names gorocm has all arguments for itself.
func TestScriptByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.go")
	if err := os.WriteFile(path, []byte("#!/usr/bin/env gorocm\nfmt.Println(os.Args[1:])\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := gorocm(t, t.TempDir(), "", path, "-n", "3", "--json", "x")
	if want := "[-n 3 --json x]\n"; r.status != 0 || r.stdout != want {
		t.Errorf("%+v; want output %q", r, want)
	}
}

// TestJSON: a program can follow a script line by line.
func TestJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.go")
	if err := os.WriteFile(path, []byte("fmt.Println(\"one\")\n// %%\n1 + 1\n// %%\npanic(\"three\")\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	r := gorocm(t, t.TempDir(), "", "run", "--json", path)
	if r.status != 1 || r.stderr != "" {
		t.Fatalf("%+v", r)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(r.stdout), "\n") {
		var e struct {
			Event string
			Cell  int
			Line  int
			Text  string
			Data  map[string]string
			OK    *bool
			Error *struct{ Name, Message string }
			MS    *float64
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		text := e.Event + " " + e.Text + e.Data["text/plain"]
		if e.OK != nil && e.MS != nil && *e.OK {
			text += "ok"
		}
		if e.Error != nil {
			text += e.Error.Name + ": " + e.Error.Message
		}
		got = append(got, strings.TrimSpace(text))
		if e.Event == "begin" && e.Line != 2*e.Cell-1 {
			t.Errorf("cell %d begins in line %d", e.Cell, e.Line)
		}
	}
	want := "begin|stream one|end ok|begin|execute_result 2|end ok|begin|end Panic: three"
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// TestShellCompletion: files for run, and settings with what they are for.
func TestShellCompletion(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"__complete run _", "ipynb\n:8\n"}, // the shell's own files with these endings
		{"__complete config set colour _", "auto\nalways\nnever\n:4\n"},
		{"__complete config set hin", "hints\tshow the call's signature"},
		{"__complete co", "config\tShow or change the settings"},
	} {
		args := strings.Fields(c.args)
		if last := len(args) - 1; args[last] == "_" {
			args[last] = ""
		}
		if r := gorocm(t, t.TempDir(), "", args...); r.status != 0 || !strings.Contains(r.stdout, c.want) {
			t.Errorf("%s: %+v; want %q", c.args, r, c.want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if r := gorocm(t, t.TempDir(), "", "completion", shell); r.status != 0 ||
			!strings.Contains(r.stdout, "gorocm") {
			t.Errorf("completion %s: %+v", shell, r)
		}
	}
}
