package repl

import (
	"context"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestCandleNames: where a cell has Candle's name of a function or method, in Rust's case or in Go's, the error has ours.
func TestCandleNames(t *testing.T) {
	thorough.Slow(t)
	page, err := os.ReadFile("../docs/candle.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t)
	mustRun(t, s, `import "github.com/gorocm/gorocm/tensor"`)
	mustRun(t, s, "x := tensor.Of(1)")
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(Tensor\\.)?([A-Z]\\w*)` \\|").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 150 {
		t.Fatalf("%d names only", len(rows))
	}
	for _, row := range rows {
		operand, ours := "tensor.", row[3]
		if row[2] != "" {
			operand = "x."
		}
		var camel strings.Builder
		for word := range strings.SplitSeq(row[1], "_") {
			camel.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		for _, name := range []string{row[1], camel.String()} {
			if name == ours || token.IsKeyword(name) {
				continue
			}
			r := s.Eval(context.Background(), Request{Code: "_ = " + operand + name}, func(Event) {})
			if r.Err == nil || !strings.Contains(r.Err.Message, "have method "+ours+")") &&
				!strings.Contains(r.Err.Message, "(but have "+ours+")") &&
				!slices.Contains(r.Err.Notes, "did you mean "+operand+ours+"?") &&
				!slices.Contains(r.Err.Notes, "did you mean "+operand+ours+"()?") {
				t.Errorf("%s%s: %v %q, want %s", operand, name, r.Err, r.Err.Notes, ours)
			}
		}
	}
}
