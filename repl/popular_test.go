package repl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// popularProgram names the environment variable of a process of TestPopular: the file that it runs.
const popularProgram = "GOROCM_TEST_PROGRAM"

// TestPopular runs programs with popular modules in a session each, and compares what they print with what they print
// when they are compiled (TestPrograms of package modules). It prints rows: the modules, and of the first and the second
// import the time and the processor time.
func TestPopular(t *testing.T) {
	if os.Getenv("GOROCM_TEST_MODULES") == "" {
		t.Skip("downloads and runs for minutes: .ci/modules")
	}
	runPopular(t, "modules/testdata/popular/*.go")
}

// runPopular runs the programs of a folder, with more in their environment.
func runPopular(t *testing.T, pattern string, environment ...string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".go"), func(t *testing.T) {
			cache := t.TempDir()
			var rows [2]string
			for i := range rows { // with an empty cache, and with what that has left
				cmd := exec.Command(os.Args[0], "-test.run=^TestPopularProgram$")
				cmd.Env = append(append(os.Environ(), environment...), popularProgram+"="+file,
					"XDG_CACHE_HOME="+cache, "GOCACHE="+filepath.Join(cache, "go-build"))
				out, err := cmd.CombinedOutput()
				text := strings.TrimSpace(strings.TrimSuffix(string(out), "PASS\n"))
				if err != nil {
					t.Fatal(text)
				}
				rows[i] = text
			}
			_, times, _ := strings.Cut(strings.TrimPrefix(rows[1], "| "), " |")
			t.Log(rows[0] + times)
		})
	}
}

// TestPopularProgram runs one program, in a process of TestPopular: packages may register what a process has once.
func TestPopularProgram(t *testing.T) {
	file := os.Getenv(popularProgram)
	if file == "" {
		t.Skip("a process of TestPopular")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	program, comment, _ := strings.Cut(string(text), "\n// Output:\n")
	list, program, _ := strings.Cut(strings.TrimPrefix(program, "// %get "), "\n\npackage main\n")
	want := ""
	for line := range strings.Lines(comment) {
		want += strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(code string) (out string, took time.Duration) {
		start := time.Now()
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) {
			if e.Kind == Stream {
				out += e.Text
			}
		})
		if r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
		return out, time.Since(start)
	}
	modules := strings.Fields(list)
	for _, module := range modules {
		run("%get " + module)
	}
	before := processorTimes()
	notes, took := run(program)
	cpu := processorTimes() - before
	if notes != "" {
		t.Log(notes)
	}
	if out, _ := run("main()"); out != want {
		t.Fatalf("got\n%swant\n%s", out, want)
	}
	os.Stdout.WriteString("| `" + strings.Join(modules, "` `") + "` | " + took.Round(10*time.Millisecond).String() +
		" | " + cpu.Round(10*time.Millisecond).String() + " |\n")
}

// processorTimes is what this process and the commands that it has run have used of the processors.
func processorTimes() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
