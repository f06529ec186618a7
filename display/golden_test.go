package display

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

var update = flag.Bool("update", false, "rewrite the golden files")

type reading struct {
	City string
	At   time.Duration
	Temp float64
	note *string
}

func readings(n int) (out []reading) {
	for i := range n {
		out = append(out, reading{[]string{"Oslo", "東京", "<b>São Paulo</b>"}[i%3], time.Duration(i) * time.Minute,
			float64(i) / 3, nil})
	}
	return out
}

func grid(rows, columns int) (out [][]float64) {
	for i := range rows {
		out = append(out, make([]float64, columns))
		for j := range columns {
			out[i][j] = float64(i*columns+j) / 7
		}
	}
	return out
}

func ramp(n int) (out []float64) {
	for i := range n {
		out = append(out, float64(i)/4)
	}
	return out
}

func squares(n int) map[int]int {
	out := map[int]int{}
	for i := range n {
		out[i] = i * i
	}
	return out
}

// goldens are values whose whole bundle is kept in testdata, one file each.
var goldens = []struct {
	name string
	v    any
}{
	{"structs", readings(3)},
	{"many-structs", readings(100)},
	{"struct-pointers", []*reading{{City: "Rome", Temp: 1e-12}, nil}},
	{"grid", grid(3, 4)},
	{"large-grid", grid(100, 50)},
	{"cube", [][][]int{{{1, 20}, {3, 4}}, {{5, 6}, {700, 8}}}},
	{"ragged", [][]string{{"a", "<i>"}, {}, {"long cell"}}},
	{"map-of-structs", map[string]reading{"b": {City: "Bonn"}, "a": {City: "Aarhus", Temp: 2.5}}},
	{"large-map", squares(1000)},
	{"list", ramp(60)},
	{"long-list", ramp(10000)},
	{"strings", strings.Fields(strings.Repeat("lorem ipsum dolor ", 10))},
	{"long-string", strings.Repeat("0123456789", 1000)},
	{"html", HTML("<b>bold</b>")},
	{"markdown", Markdown("# Title")},
	{"latex", LaTeX(`\frac{a}{b}`)},
	{"json", JSON(map[string]any{"a": []int{1, 2}, "b": nil})},
	{"not-json", JSON(make(chan int))},
	{"svg", SVG("<svg/>")},
	{"not-png", PNG([]byte("GIF89a"))},
	{"mime-bundle", custom{"text/x-custom": "yes"}},
	{"methods", Methods{Value: 1, HTML: func() string { return "<i>1</i>" }, Text: func() string { return "one" }}},
	{"methods-of-a-value", Methods{Value: []int{1}, PNG: func() []byte { panic("no picture") }}},
	{"hooks", shown{"<p>own markup</p>"}},
	{"mime", withMime{}},
	{"paged", Table(readings(7)).PageSize(3)},
	{"paged-map", Table(squares(5)).PageSize(2).Page(-1)},
	{"sound", Audio([]float64{0, 1, 0, -2}, 4)},
}

type custom map[string]string

func (c custom) MIMEBundle() map[string]string { return c }

type withMime struct{}

func (withMime) Mime() map[string]string { return map[string]string{"application/x-own": "1"} }
func (withMime) String() string          { return "with Mime" }

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			got := drawn(Render(g.v))
			path := filepath.Join("testdata", g.name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs (go test -update rewrites it). Got:\n%s", path, got)
			}
		})
	}
}

func drawn(b Bundle) string {
	var s strings.Builder
	for _, mime := range slices.Sorted(maps.Keys(b)) {
		fmt.Fprintf(&s, "-- %s --\n%s\n", mime, b[mime])
	}
	return s.String()
}

// TestEscaping puts markup wherever a value can bring text, and looks for it in the HTML.
func TestEscaping(t *testing.T) {
	const evil = `<script>alert("x")</script>`
	type row struct{ Field string }
	for _, v := range []any{
		[]row{{evil}}, map[string]string{evil: evil}, [][]string{{evil}}, map[string]row{evil: {evil}},
		Table([]row{{evil}, {evil}}).PageSize(1), []struct{ E error }{{fmt.Errorf("%s", evil)}},
		map[string]any{evil: []string{evil}}, []struct{ A any }{{row{evil}}},
	} {
		html, ok := Render(v)[MIMEHTML]
		if !ok {
			t.Errorf("%T has no HTML", v)
		}
		if strings.Contains(html, "<script") {
			t.Errorf("%T: markup from a value in %s", v, html)
		}
	}
}

// TestLimits: whatever the size of a value, its text stays readable and quick.
func TestLimits(t *testing.T) {
	thorough.Slow(t)
	deep := any(1)
	for range 100000 {
		deep = []any{deep}
	}
	wide := make([]any, 200)
	for i := range wide {
		wide[i] = strings.Repeat("x", 5000)
	}
	type node struct{ L, R any }
	tree := any(nil)
	for range 30 { // 2^30 paths
		tree = &node{tree, tree}
	}
	for name, v := range map[string]any{
		"deep": deep, "wide": wide, "tree": tree, "array": new([1 << 22]int), "zeros": make([]struct{}, 1<<40),
		"bytes": make([]byte, 1<<24), "string": strings.Repeat("é", 1<<22), "map": squares(1 << 17),
		"cells": [][]string{{strings.Repeat("y", 1<<22)}},
	} {
		for mime, content := range Render(v) {
			if len(content) > 4*maxText {
				t.Errorf("%s: %d bytes of %s", name, len(content), mime)
			}
		}
	}
}
