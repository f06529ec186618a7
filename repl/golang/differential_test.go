package golang

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/gofuzz"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/library"
	"github.com/gorocm/gorocm/repl/golang/native"
)

var (
	randomPrograms = flag.Int("programs", 0,
		"how many random programs TestDifferential runs in cells and as compiled Go; 0 for 4, or 12 in a thorough run")
	firstProgram = flag.Uint64("program", 1, "the number of the first one")
	reduceFor    = flag.Duration("reduce", time.Minute, "how long to make a program smaller that runs differently")
)

// atOnce is how many programs are one build.
const atOnce = 50

// TestDifferential runs random programs as compiled Go and in cells, and compares what they print: the whole program as
// one cell, or, one in three, each of its declarations as a cell of its own. Each runs a second time under the debugger.
// What differs is shown as a program as small as can be found.
func TestDifferential(t *testing.T) {
	compareRandom(t, gofuzz.Program, func(t *testing.T, lib *library.Library, seed uint64, src, want string) {
		differs(t, lib, src, want, seed%3 == 0)
		if !t.Failed() {
			differs(t, lib, src, want, seed%3 == 0, stepped)
		}
	})
}

// TestHot does so with programs for machine code, as such wherever it can be, and some as interpreted ones.
func TestHot(t *testing.T) {
	compareRandom(t, gofuzz.Hot, func(t *testing.T, lib *library.Library, seed uint64, src, want string) {
		t.Setenv("GOROCM_NATIVE", "always")
		differs(t, lib, src, want, seed%3 == 0)
		if !t.Failed() && seed%4 == 0 {
			t.Setenv("GOROCM_NATIVE", "0")
			differs(t, lib, src, want, false)
		}
	})
}

// compareRandom makes random programs and calls compare with each, its number and what it prints as compiled Go.
func compareRandom(t *testing.T, program func(seed uint64) string,
	compare func(t *testing.T, lib *library.Library, seed uint64, src, want string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds programs with the go command")
	}
	if thorough.Race {
		t.Skip("yaegi writes a closure into its place again at every call, while other goroutines read it")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	lib, err := library.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	programs := *randomPrograms
	if programs == 0 {
		programs = len(thorough.Sample(make([]int, 12), 3, 0))
	}
	for n := 0; n < programs; n += atOnce {
		var srcs []string
		for i := range min(atOnce, programs-n) {
			srcs = append(srcs, program(*firstProgram+uint64(n+i)))
		}
		outs, err := compiled(t.TempDir(), srcs)
		if err != nil {
			t.Fatal(err)
		}
		for i, src := range srcs {
			seed := *firstProgram + uint64(n+i)
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				if outs[i] == endless {
					t.Skip("compiled Go runs it for more than ten seconds")
				}
				compare(t, lib, seed, src, outs[i])
			})
		}
	}
}

// differs runs a program in cells and reports what it prints other than want, by a small program that shows it.
func differs(t *testing.T, lib *library.Library, src, want string, apart bool, prepare ...func(*Engine)) {
	got := inCells(lib, src, apart, prepare...)
	if got == want {
		return
	}
	if native.Disabled() != "" && strings.Contains(got, cellFails+"Interrupted") {
		t.Skip("interpreted, it runs for more than a minute")
	}
	ctx, cancel := context.WithTimeout(t.Context(), *reduceFor)
	defer cancel()
	dir := t.TempDir()
	kind := differenceKind(got)
	line, instead := firstDifference(got, want)
	t.Logf("it prints %q in place of %q", line, instead)
	small := src
	// A program that prints the wrong line no more need not be built. What is left may show the same with another line.
	for _, mustPrint := range []string{line, ""} {
		small = gofuzz.Reduce(ctx, small, func(src string) bool {
			got := inCells(lib, src, apart, prepare...)
			if differenceKind(got) != kind || !strings.Contains(got, mustPrint) {
				return false
			}
			if strings.HasPrefix(kind, "Unsupported") { // compiled Go fails in no such way
				return true
			}
			outs, err := compiled(dir, []string{src})
			return err == nil && outs[0] != got && outs[0] != endless
		})
	}
	outs, err := compiled(dir, []string{small})
	if err != nil {
		outs = []string{err.Error()}
	}
	got = inCells(lib, small, apart, prepare...)
	g, w := firstDifference(got, outs[0])
	t.Errorf("%s\ncompiled Go prints:\n%s\nthe session prints:\n%s\nfirst difference: got %q, want %q", small, outs[0],
		got, g, w)
}

// inCells is what a session prints, and how it fails.
func inCells(lib *library.Library, src string, apart bool, prepare ...func(*Engine)) string {
	cells := []string{strings.Replace(src, "package main", "", 1)}
	if apart {
		var err error
		if cells, err = typedCells(lib, src); err != nil {
			return err.Error()
		}
	}
	out, _, fails := evaluate(append(cells, "main()"), prepare...)
	if fails != nil {
		first, _, _ := strings.Cut(fails.Error(), "\n")
		out += cellFails + first + "\n"
	}
	return out
}

const cellFails = "the cell fails: "

// differenceKind is how a session fails, without places and names: a smaller program must fail alike to show the same.
func differenceKind(got string) string {
	_, why, _ := strings.Cut(got, cellFails)
	return namesInErrors.ReplaceAllString(why, "")
}

var namesInErrors = regexp.MustCompile(`\d+|\[{.*|\(and .*|\b[a-zA-Z]*ʹ\w*`)

// firstDifference is the first line that differs, in both.
func firstDifference(got, want string) (string, string) {
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	i := 0
	for i < min(len(g), len(w))-1 && g[i] == w[i] {
		i++
	}
	return g[i], w[i]
}

// endless stands for what a program prints that takes too long: one in ten thousand makes a long text longer in every
// loop.
const endless = "…"

// compiled builds programs as packages of one binary in dir, and returns what each prints.
func compiled(dir string, srcs []string) ([]string, error) {
	var imports, mains strings.Builder
	write := func(name, text string) error {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(text), 0o644)
	}
	pkg := func(i int) string { return fmt.Sprintf("q%03d", i) } // as long as main, which it becomes again
	for i, src := range srcs {
		src = strings.Replace(src, "package main", "package "+pkg(i), 1)
		src = strings.Replace(src, "func main()", "func Main()", 1)
		if err := write(pkg(i)+"/program.go", src); err != nil {
			return nil, err
		}
		fmt.Fprintf(&imports, "\t\"programs/%s\"\n", pkg(i))
		fmt.Fprintf(&mains, "%s.Main, ", pkg(i))
	}
	main := "package main\n\nimport (\n\t\"os\"\n" + imports.String() + ")\n\nfunc main() { []func(){" +
		mains.String() + "}[len(os.Args[1])]() }\n"
	if err := write("main.go", main); err != nil {
		return nil, err
	}
	if err := write("go.mod", "module programs\n\ngo 1.26\n"); err != nil {
		return nil, err
	}
	bin := filepath.Join(dir, "programs.exe")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v\n%s", err, out)
	}
	var outs []string
	for i := range srcs {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		out, err := exec.CommandContext(ctx, bin, strings.Repeat("x", i)).Output()
		late := ctx.Err() != nil
		cancel()
		if late {
			outs = append(outs, endless)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("program %d: %v", i, err)
		}
		text := strings.ReplaceAll(string(out), "programs/"+pkg(i)+".", "main.") // as a type argument
		outs = append(outs, strings.ReplaceAll(text, pkg(i)+".", "main."))
	}
	return outs, nil
}
