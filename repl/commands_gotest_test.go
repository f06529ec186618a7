package repl

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"golang.org/x/tools/txtar"
)

// testSession runs cells, and returns what they print and their errors, without times.
func testSession(t *testing.T, cells ...string) string {
	t.Helper()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out strings.Builder
	for _, code := range cells {
		r := s.Eval(context.Background(), Request{Code: code}, func(e Event) {
			if e.Kind == Stream || e.Kind == Notice {
				out.WriteString(e.Text)
			}
		})
		if r.Err != nil {
			out.WriteString(r.Err.Name + ": " + r.Err.Message + "\n")
		}
	}
	text := regexp.MustCompile(`\d+\.\d+s`).ReplaceAllString(out.String(), "T")
	return regexp.MustCompile(`(?m)^(Benchmark\w+).*ns/op.*$`).ReplaceAllString(text, "$1 ns/op")
}

// TestFailFast: -failfast stops after a failure of this %test, as go test does, and knows of none before.
func TestFailFast(t *testing.T) {
	const cells = "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {\n\tt.Error(\"early\")\n\tt.Run(\"sub\", func(t *testing.T) { t.Fatal(\"b\") })\n" +
		"\tt.Run(\"not run\", func(t *testing.T) { t.Fatal(\"b\") })\n}\nfunc TestC(t *testing.T) { t.Fatal(\"c\") }\n" +
		"func ExampleX() {\n\tfmt.Println(1)\n\t// Output: 2\n}"
	const sub = "    --- FAIL: TestB/sub (T)\n        cell[1]:4: b\n"
	const example = "--- FAIL: ExampleX (T)\ngot:\n1\nwant:\n2\n"
	const end = "FAIL\nexit status 1\nFAIL\tcells\tT\nTestError: tests of the cells have failed\n"
	const failed = "--- FAIL: TestB (T)\n    cell[1]:3: early\n" + sub
	const whole = failed + "    --- FAIL: TestB/not_run (T)\n        cell[1]:5: b\n--- FAIL: TestC (T)\n    cell[1]:7: c\n" + example + end
	got := testSession(t, cells, "%test", "%test -failfast", "%test -count 3 -failfast -run ^Test", "%test -failfast -run 'A|C'", "%test -failfast -run A", "%test")
	want := whole + failed + example + end + failed + end + "--- FAIL: TestC (T)\n    cell[1]:7: c\n" + end + "PASS\nok  \tcells\tT\n" + whole
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFailFastSeeds: the seeds after one that fails do not run.
func TestFailFastSeeds(t *testing.T) {
	got := testSession(t, "ran := 0\nfunc FuzzA(f *testing.F) {\n\tf.Add(1)\n\tf.Add(2)\n\tf.Fuzz(func(t *testing.T, n int) { ran++; t.Fail() })\n}",
		"%test", "ran", "%test -failfast", "fmt.Println(ran)")
	if !strings.HasSuffix(got, "have failed\n3\n") || strings.Count(got, "FuzzA/seed#0") != 2 || strings.Count(got, "FuzzA/seed#1") != 1 {
		t.Error(got)
	}
}

const testedCells = `import "testing"
func Double(n int) int { return 2 * n }
func TestDouble(t *testing.T) {
	if Double(3) != 6 {
		t.Error("wrong")
	}
}
func TestAll(t *testing.T) {
	t.Run("ok", func(t *testing.T) { t.Parallel(); t.Log("fine", testing.Short()) })
	t.Run("panics", func(t *testing.T) {
		var m map[string]int
		m["x"] = 1
	})
	t.Run("skipped", func(t *testing.T) { t.Skip("no") })
}
func Testing(t *testing.T) { t.Error("is no test") }
func BenchmarkDouble(b *testing.B) {
	for b.Loop() {
		Double(2)
	}
}
func FuzzDouble(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) {
		if n > 0 {
			t.Fatal("positive")
		}
	})
}
func ExampleDouble() {
	fmt.Println(Double(4))
	os.Stdout.WriteString("9\n")
	// Output:
	// 8
	// 9
}
func ExampleDouble_wrong() {
	for _, s := range strings.Fields("a b") {
		fmt.Println(s)
	}
	// Unordered output:
	// b
	// c
}
func ExampleDouble_silent() { fmt.Println("is only compiled") }
func Example_word(n int)    {}`

// TestTestOfCells: %test runs the tests of the cells with go test's flags and output, one after the other, and panics
// end nothing but their test.
func TestTestOfCells(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a benchmark")
	}
	for _, x := range []struct{ args, want string }{
		{"-run Double$ -skip Fuzz", "PASS\nok  \tcells\tT\n"},
		{"-run ExampleDouble -v", `=== RUN   ExampleDouble
--- PASS: ExampleDouble (T)
=== RUN   ExampleDouble_wrong
--- FAIL: ExampleDouble_wrong (T)
got:
a
b

want (unordered):
b
c

FAIL
exit status 1
FAIL	cells	T
TestError: tests of the cells have failed
`},
		{"-run=TestDouble -v -count=2", `=== RUN   TestDouble
--- PASS: TestDouble (T)
=== RUN   TestDouble
--- PASS: TestDouble (T)
PASS
ok  	cells	T
`},
		{"-run TestAll -short -v", `=== RUN   TestAll
=== RUN   TestAll/ok
=== PAUSE TestAll/ok
=== RUN   TestAll/panics
    panic: assignment to entry in nil map
        cell[1]:12
=== RUN   TestAll/skipped
    cell[1]:14: no
=== CONT  TestAll/ok
    cell[1]:9: fine true
--- FAIL: TestAll (T)
    --- FAIL: TestAll/panics (T)
    --- SKIP: TestAll/skipped (T)
    --- PASS: TestAll/ok (T)
FAIL
exit status 1
FAIL	cells	T
TestError: tests of the cells have failed
`},
		{"-run Fuzz", `--- FAIL: FuzzDouble (T)
    --- FAIL: FuzzDouble/seed#0 (T)
        cell[1]:26: positive
FAIL
exit status 1
FAIL	cells	T
TestError: tests of the cells have failed
`},
		{"-run ^$ -bench . -benchtime 10x", "BenchmarkDouble ns/op\nPASS\nok  \tcells\tT\n"},
		{"-list .", "TestDouble\nTestAll\nBenchmarkDouble\nFuzzDouble\nExampleDouble\nExampleDouble_wrong\nok  \tcells\tT\n"},
		{"-nosuch", "CommandError: %test: flag provided but not defined: -nosuch\n"},
		{"-race", "CommandError: %test: flag provided but not defined: -race\n"},
	} {
		got := testSession(t, testedCells, "%test "+x.args)
		got = regexp.MustCompile(`(?m)^(goos|goarch|pkg|cpu): .*\n`).ReplaceAllString(got, "")
		if got != x.want {
			t.Errorf("%%test %s\ngot\n%swant\n%s", x.args, got, x.want)
		}
	}
}

// TestTestSlips: wrong flags are errors of the command, and what ends a test or the tests in other ways than by
// returning is what it is to go test, but ends no session.
func TestTestSlips(t *testing.T) {
	const passes, fails = "func TestA(t *testing.T) {}", "FAIL\nexit status 1\nFAIL\tcells\tT\nTestError: tests of the cells have failed\n"
	for _, x := range []struct{ cell, args, want string }{
		{passes, "-run (", "CommandError: %test: error parsing regexp: missing closing ): `(`\n"},
		{passes, "-list (", "CommandError: %test: error parsing regexp: missing closing ): `(`\n"},
		{passes, "-skip (", "CommandError: %test: error parsing regexp: missing closing ): `(`\n"},
		{passes, "-bench [", "CommandError: %test: error parsing regexp: missing closing ]: `[`\n"},
		{passes, "-cpu 0", "CommandError: %test: flag provided but not defined: -cpu\n"},
		{passes, "-parallel 0", "CommandError: %test: -parallel 0: it must be 1 or more\n"},
		{passes, "-shuffle x", "CommandError: %test: -shuffle x: it is on, off, or a number\n"},
		{"func TestA(t *testing.T) { runtime.Goexit() }", "",
			"--- FAIL: TestA (T)\n    the test has called runtime.Goexit, which ends its goroutine\n" + fails},
		{"func TestA(t *testing.T) { t.Error(1); runtime.Goexit() }", "",
			"--- FAIL: TestA (T)\n    cell[1]:1: 1\n    the test has called runtime.Goexit, which ends its goroutine\n" + fails},
		{"func TestA(t *testing.T) { t.Run(\"b\", func(t *testing.T) { t.Parallel(); runtime.Goexit() }) }", "",
			"--- FAIL: TestA (T)\n    --- FAIL: TestA/b (T)\n        the test has called runtime.Goexit, which ends its goroutine\n" + fails},
		{"func TestA(t *testing.T) { t.Run(\"b\", func(*testing.T) { t.FailNow() }); t.Log(2) }", "",
			"--- FAIL: TestA (T)\n    --- FAIL: TestA/b (T)\n        testing.go:1913: test executed panic(nil) or runtime.Goexit: subtest may have called FailNow on a parent test\n" + fails},
		{"func TestA(t *testing.T) { t.Cleanup(func() { panic(\"late\") }) }", "",
			"--- FAIL: TestA (T)\n    panic: late\n        cell[1]:1\n" + fails},
		{"func FuzzA(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) { panic(n) }) }", "",
			"--- FAIL: FuzzA (T)\n    --- FAIL: FuzzA/seed#0 (T)\n        panic: 1 (int)\n            cell[1]:1\n" + fails},
		{"func FuzzA(f *testing.F) { panic(\"f\") }", "", "--- FAIL: FuzzA (T)\n    panic: f\n        cell[1]:1\n" + fails},
		{passes + "\nfunc TestMain(m *testing.M) { fmt.Println(\"up\"); code := m.Run(); fmt.Println(\"down\"); os.Exit(code) }", "",
			"up\nPASS\ndown\nok  \tcells\tT\n"},
		{"func TestA(t *testing.T) { t.Fail() }\nfunc TestMain(m *testing.M) { m.Run() }", "", "--- FAIL: TestA (T)\n" + fails},
		{passes + "\nfunc TestMain(m *testing.M) { panic(\"m\") }", "",
			"panic: m\n    cell[1]:2\nexit status 2\nFAIL\tcells\tT\nTestError: tests of the cells have failed\n"},
	} {
		if got := testSession(t, x.cell, "%test "+x.args, "1"); got != x.want {
			t.Errorf("%s\n%%test %s\ngot\n%swant\n%s", x.cell, x.args, got, x.want)
		}
	}
}

const testedModule = `
-- go.mod --
module example.com/tested

go 1.26
-- a.go --
package tested

func A() int { return 1 }
-- a_test.go --
package tested

import "testing"

func TestA(t *testing.T) {
	if A() != 1 {
		t.Fatal("A")
	}
}
-- sub/b.go --
package sub
-- sub/b_test.go --
package sub

import "testing"

func TestB(t *testing.T) { t.Error("B") }
`

// TestTestOfPackages: %test runs go test on folders and on packages that cells can import.
func TestTestOfPackages(t *testing.T) {
	thorough.Slow(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(testedModule)).Files {
		file := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ command, want string }{
		{"%test -count 1 " + dir, "PASS\nok  \texample.com/tested\tT\n"},
		{"%test -count=1 -run B " + dir + "/sub", "--- FAIL: TestB (T)\n    b_test.go:5: B\nFAIL\nexit status 1\nFAIL\texample.com/tested/sub\tT\nShellError: exit status 1\n"},
		{"%get " + dir + "\n%test -count=1 -v -run A example.com/tested",
			"example.com/tested in " + dir + ": 2 packages, example.com/tested, example.com/tested/sub\n=== RUN   TestA\n--- PASS: TestA (T)\nPASS\nok  \texample.com/tested\tT\n"},
		{"%test example.com/nosuch", "ImportError: no module has been added that has package example.com/nosuch\n"},
		{"%test example.com/tested ./x", "CommandError: %test: folders and import paths cannot be tested together\n"},
	} {
		if got := testSession(t, x.command); got != x.want {
			t.Errorf("%s\ngot\n%swant\n%s", x.command, got, x.want)
		}
	}
}

func TestOperands(t *testing.T) {
	for args, want := range map[string]string{"": "", "-v -run X ./a": "./a", "-run=X a b -count 2 c": "a b c",
		"--bench . x": "x", "x -args y": "x"} {
		if got := strings.Join(operands(strings.Fields(args)), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
