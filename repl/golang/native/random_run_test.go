package native

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compiledRuns builds the functions with the go command and runs them.
func compiledRuns(t *testing.T, src string) map[string]string {
	t.Helper()
	var main strings.Builder
	main.WriteString("package main\n\nimport \"fmt\"\n" + src + randomMain + "\nfunc main() {\n")
	for i := range 20 {
		for k, in := range randomInputs {
			fmt.Fprintf(&main, "\tfmt.Println(\"f%d %d\\t\" + oneRun(f%d, %d, %d, %v))\n", i, k, i, in.a, in.b, in.x)
		}
	}
	main.WriteString("}\n")
	out := runProgram(t, main.String())
	r := map[string]string{}
	for line := range bytes.Lines(out) {
		k, v, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		r[k] = v
	}
	return r
}

// runProgram builds a program with the go command and returns what it prints.
func runProgram(t *testing.T, main string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": main, "go.mod": "module programs\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "p.exe", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, main)
	}
	out, err := exec.Command(filepath.Join(dir, "p.exe")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
