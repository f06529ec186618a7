package jinja

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// golden is what Python's Jinja makes of a template, with the settings of transformers: see testdata/golden.py.
type golden struct {
	Template string // a file, or else there is a Source
	Name     string // of the variables
	Source   string
	Vars     json.RawMessage `json:"-"`
	Text     *string         // nil for an error
	Error    string
}

// render renders a template with variables in JSON, and the functions that transformers adds.
func render(t testing.TB, source string, vars []byte) (string, error) {
	t.Helper()
	v, err := JSON(vars)
	if err != nil {
		t.Fatal(err)
	}
	d := v.(*dict)
	d.set("strftime_now", Strftime(func() time.Time { return time.Date(2025, 3, 9, 14, 5, 7, 0, time.UTC) }))
	tmpl, err := Parse(source)
	if err != nil {
		return "", err
	}
	return tmpl.Render(d)
}

func goldens(t testing.TB, folder string) []golden {
	t.Helper()
	var file struct {
		Variables map[string]json.RawMessage
		Results   []golden
	}
	data, err := os.ReadFile(filepath.Join(folder, "golden.json"))
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	all := file.Results
	if err != nil || len(all) < 100 {
		t.Fatal(err, len(all))
	}
	for i, g := range all {
		all[i].Vars = file.Variables[g.Name]
		if g.Template == "" {
			continue
		}
		source, err := os.ReadFile(filepath.Join(folder, g.Template))
		if err != nil {
			t.Fatal(err)
		}
		all[i].Source = string(source)
	}
	return all
}

// check compares with Python's results: the same text, or an error in both.
func check(t *testing.T, all []golden) {
	for _, g := range all {
		got, err := render(t, g.Source, g.Vars)
		switch {
		case g.Text == nil && err == nil:
			t.Errorf("%s %s: %s\nis %q, and in Python an error: %s", g.Template, g.Name, short(g.Source), got, g.Error)
		case g.Text == nil:
		case err != nil:
			t.Errorf("%s %s: %s\n%v\nwant %q", g.Template, g.Name, short(g.Source), err, *g.Text)
		case got != *g.Text:
			t.Errorf("%s %s: %s\nis   %q\nwant %q", g.Template, g.Name, short(g.Source), got, *g.Text)
		}
	}
}

func short(source string) string {
	if len(source) > 100 {
		return ""
	}
	return source
}

// TestGolden: templates and expressions give what Python's Jinja gives.
func TestGolden(t *testing.T) { check(t, goldens(t, "testdata")) }

// TestTemplates: so do the templates in a folder of your own, with the golden.json that testdata/golden.py makes there.
func TestTemplates(t *testing.T) {
	folder := os.Getenv("GOROCM_CHAT_TEMPLATES")
	if folder == "" {
		t.Skip("no folder of chat templates: GOROCM_CHAT_TEMPLATES names one, in which testdata/golden.py was run")
	}
	check(t, goldens(t, folder))
}

// TestErrors: what is not known is an error that names it and its line, and so is what Python refuses.
func TestErrors(t *testing.T) {
	thorough.Slow(t)
	for source, want := range map[string]string{
		"a\n{% include 'x' %}":          `line 2: the tag "include" is not supported`,
		"{% block a %}{% endblock %}":   `the tag "block" is not supported`,
		"\n\n{{ 'a' | safe }}":          `line 3: the filter "safe" is not supported`,
		"{{ 1 is nonsense }}":           `the test "nonsense" is not supported`,
		"{{ 'a'.zfill(3) }}":            `the method "zfill" of a str is not supported`,
		"{{ '{}'.format(1) }}":          `the method "format" of a str is not supported`,
		"{{ [].append(1) }}":            `the method "append" of a list is not supported`,
		"{{ (1).real }}":                `the method "real" of a int is not supported`,
		"{{ ''.__class__ }}":            `the method "__class__" of a str is not supported`,
		"{{ '%s' % 1 }}":                "formatting by % is not supported",
		"{{ {1: 2} }}":                  "a key of a dict is a int",
		"{{ {'a': 1}.items }}":          "a function cannot be written as text",
		"{{ {'a': 1}.items() }}":        "a view of a dict cannot be written as text",
		"{{ ['a'] | map('upper') }}":    "the filter list makes a list of it",
		"{{ 9223372036854775807 + 1 }}": "more than 64 bits",
		"{{ 10 ** 30 }}":                "more than 64 bits",
		"{{ strftime_now('%c') }}":      "directive %c is not supported",
		"{% if 1 %}":                    "want endif, not the end of the template",
		"{% endif %}":                   "endif has no beginning",
		"{{ f(*a) }}":                   "arguments by * are not supported",
		"{{ a.b.c }}":                   `"a" is undefined: it has no "b"`,
		"{{ 'x' * 999999999 }}":         "more than 67108864 bytes",
		"{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}":                   "steps",
		"{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}": "steps",
		"{% set ns = namespace(x=[1]) %}{% for i in range(999) %}{% set ns.x = [ns.x] %}{% endfor %}":      "levels deep",
		"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}":                                                  "levels deep",
	} {
		if got, err := render(t, source, []byte("{}")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want an error with %q", source, got, err, want)
		}
	}
	for _, open := range []string{"(", "[", "{% if 1 %}", "-", "not ", "a.", "a|abs|"} {
		if _, err := render(t, "{{ "+strings.Repeat(open, 50_000), []byte("{}")); err == nil {
			t.Errorf("many of %s are a template", open)
		}
	}
	_, err := render(t, "{{ raise_exception('Roles must alternate') }}", []byte("{}"))
	if refused := new(Raised); !errors.As(err, &refused) || refused.Message != "Roles must alternate" {
		t.Error(err)
	}
}

// FuzzParse: a template is an error or a text, and ends.
func FuzzParse(f *testing.F) {
	all := goldens(f, "testdata")
	for i, g := range all {
		if i%3 == 0 {
			f.Add(g.Source)
		}
	}
	vars := all[len(all)-1].Vars
	f.Fuzz(func(t *testing.T, source string) {
		if tmpl, err := Parse(source); err == nil {
			v, _ := JSON(vars)
			_, _ = tmpl.Render(v)
		}
	})
}

// FuzzJSON: tojson writes what JSON has read.
func FuzzJSON(f *testing.F) {
	f.Add(`{"b": [1, 2.5, null, true], "a": {"é": "\u0000\"\\"}}`)
	f.Fuzz(func(t *testing.T, source string) {
		v, err := JSON([]byte(source))
		if err != nil {
			return
		}
		var b strings.Builder
		if err := writeJSON(&b, v, jsonStyle{item: ", ", key: ": "}, 0); err != nil {
			t.Fatal(err)
		}
		again, err := JSON([]byte(b.String()))
		if err != nil || !equal(again, v) {
			t.Errorf("%s is written as %s: %v", source, &b, err)
		}
	})
}
