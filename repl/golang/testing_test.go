package golang

import (
	"regexp"
	"testing"
)

// TestTestingLines: tests in cells tell the cell's lines, those of the callers of helpers too, and run their deferred
// calls.
func TestTestingLines(t *testing.T) {
	if testing.Verbose() {
		t.Skip("with -v, package testing writes to where this test itself does")
	}
	got, exit, err := evaluate([]string{`import "testing"

func check(t testing.TB, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d,\nwant %d", got, want)
	}
}
func TestX(t *testing.T) {
	defer fmt.Println("deferred")
	t.Log("starting", 1)
	check(t, 1, 2)
	t.Run("sub", func(t *testing.T) { t.Fatal("ends") })
	t.SkipNow()
}`, `testing.RunTests(func(pat, str string) (bool, error) { return true, nil }, []testing.InternalTest{{"TestX", TestX}})`})
	if err != nil || exit != 0 {
		t.Fatal(exit, err)
	}
	const want = `deferred
--- FAIL: TestX (T)
    cell[1]:11: starting 1
    cell[1]:12: got 1,
        want 2
    --- FAIL: TestX/sub (T)
        cell[1]:13: ends
`
	if got = regexp.MustCompile(`\(\d+\.\d+s\)`).ReplaceAllString(got, "(T)"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
