package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// TestOddConfig: config set and unset change their setting alone, however the file spells it.
func TestOddConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	t.Setenv("GOROCM_CONFIG", path)
	for _, c := range []struct{ text, set, unset string }{
		{"", "colour = \"never\"\n", ""},
		{"hints = true", "hints = true\ncolour = \"never\"\n", "hints = true"},
		{"'colour' = \"auto\"\n", "'colour' = \"never\"\n", ""},
		{"\"col\\u006fur\" = 'auto'\nhints = true\n", "\"col\\u006fur\" = \"never\"\nhints = true\n", "hints = true\n"},
		{"# why\n\tcolour=\"auto\" # so\n\n# then\nhints = true", "# why\n\tcolour=\"never\" # so\n\n# then\nhints = true",
			"# why\n\n# then\nhints = true"},
		{"startup = \"\"\"\ncolour = 1\n\"\"\"\n", "startup = \"\"\"\ncolour = 1\n\"\"\"\ncolour = \"never\"\n",
			"startup = \"\"\"\ncolour = 1\n\"\"\"\n"},
		{"colour = \"\"\"\nauto\"\"\" # so\nhints = true\r\n", "colour = \"never\" # so\nhints = true\r\n",
			"hints = true\r\n"},
		{"editor = '''\nvim\n'''\ncolour = 'auto'", "editor = '''\nvim\n'''\ncolour = \"never\"",
			"editor = '''\nvim\n'''\n"},
	} {
		for value, want := range map[*string]string{new("never"): c.set, nil: c.unset} {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := changeSetting("colour", value); err != nil {
				t.Errorf("%q: %v", c.text, err)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != want {
				t.Errorf("%q has become %q, %v; want %q", c.text, now, err, want)
			}
		}
	}
}

// TestQuotedSettings: a text comes back as it was set.
func TestQuotedSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	t.Setenv("GOROCM_CONFIG", path)
	for _, text := range []string{"code --wait", `C:\dir "x"`, "a\a\x00\x7f\x1b[2J", "é\u2028\t", "a # b = 'c'", "<&>"} {
		if err := changeSetting("editor", &text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if s, err := readSettings(); err != nil || s.Editor != text {
			t.Errorf("%q comes back as %q, %v", text, s.Editor, err)
		}
	}
}

// FuzzSetting: whatever the file, a setting is changed alone.
func FuzzSetting(f *testing.F) {
	for _, s := range []string{"", "colour = 'auto'", "# x\n'colour' = \"\"\"\nauto\"\"\"\nhints = true", "[a]\nb = 1",
		"a.colour = 1", "colour.a = 1", "[[a]]", "[colour]", "colour = [1,\n2] # x", "colour = {a=1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var before map[string]any
		if toml.Unmarshal([]byte(text), &before) != nil {
			return
		}
		switch before["colour"].(type) {
		case map[string]any, []any:
			return // settings have simple values: the file has been refused
		}
		for _, value := range []string{`"never"`, ""} {
			edited, err := withSetting(text, "colour", value)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			after := map[string]any{}
			if err := toml.Unmarshal([]byte(edited), &after); err != nil {
				t.Fatalf("%q has become %q: %v", text, edited, err)
			}
			if now, ok := after["colour"]; ok != (value != "") || ok && now != "never" {
				t.Fatalf("%q has become %q", text, edited)
			}
			delete(after, "colour")
			rest := maps.Clone(before)
			delete(rest, "colour")
			if len(rest)+len(after) > 0 && fmt.Sprint(after) != fmt.Sprint(rest) {
				t.Fatalf("%q has become %q", text, edited)
			}
		}
	})
}

// TestUnencodable: a text that TOML has no form for is refused, and the file stays.
func TestUnencodable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	t.Setenv("GOROCM_CONFIG", path)
	before := []byte("editor = 'vim' # mine\n")
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := changeSetting("editor", new("\xff")); err == nil {
		t.Error("a text that TOML cannot hold was set")
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Errorf("the file has become %q", after)
	}
}
