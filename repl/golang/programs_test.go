package golang

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the output of compiled Go to testdata/programs")

// TestPrograms runs programs as one cell, and compares what they print with what they print as compiled Go.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".go"), func(t *testing.T) {
			if raceEnabled {
				t.Skip("marks are written without synchronisation")
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".go") + ".out"
			if *update {
				out, err := exec.Command("go", "run", file).Output()
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, out, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			e, err := New(Options{Stdout: &got, Stderr: &got})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			cell := strings.Replace(string(src), "package main", "", 1)
			for i, code := range []string{cell, "main()"} {
				if out := e.Eval(ctx, i+1, code); out.Failure != nil {
					t.Fatalf("%s: %s %v\n%s", out.Failure.Name, out.Failure.Message, out.Failure.Frames, got.Bytes())
				}
			}
			g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
			for i := range max(len(g), len(w)) {
				if i >= len(g) || i >= len(w) || g[i] != w[i] {
					t.Fatalf("line %d:\ngot  %q\nwant %q", i+1, g[min(i, len(g)):min(i+1, len(g))], w[min(i, len(w)):min(i+1, len(w))])
				}
			}
		})
	}
}
