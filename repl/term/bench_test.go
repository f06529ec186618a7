package term

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/gorocm/gorocm/repl"
)

// BenchmarkKeystroke types, completes and moves in a session with 3,000 variables, and reports how long it takes from a
// key to the redrawn cell.
func BenchmarkKeystroke(b *testing.B) {
	s, err := repl.New(repl.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var cell string
	for i := range 3000 {
		cell += fmt.Sprintf("variable%d := %d\n", i, i)
	}
	if r := s.Eval(context.Background(), repl.Request{Code: cell}, func(repl.Event) {}); r.Err != nil {
		b.Fatal(r.Err.Message)
	}
	size := func() (int, int) { return 200, 50 }
	l := look{colour: true, unicode: true, ellipsis: "…"}
	e := &editor{keys: &typist{keyReader: &keyReader{}}, look: l, asks: s, past: &past{},
		screen: &screen{out: io.Discard, size: size}, editing: true, prompt: "[1]: ", further: "...: "}
	e.hint = &hint{changed: e.refresh, ask: func(code string,
		cursor int) []string {
		return summary(s.Inspect(code, cursor, 0).Data.Text(), l)
	}}
	keys := []rune("for i := range 10 {\rx := (*tensor.Device)(nil).Rand(tensor.F32, variable1\t\t\t, variable22\t\t)\rx.\t\t\t\tfmt.Println(x, strings.Repl\t\t(\"a\", variable")
	keys = append(keys, keyUp, keyUp, keyEnd, keyWordLeft, keyDown, ctrlW, ctrlUnderscore, tab, tab, keyPageDown,
		keyEscape)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		key := keys[i%len(keys)]
		start := time.Now()
		e.mu.Lock()
		if i%len(keys) == 0 {
			e.buf, e.menu, e.search = newBuffer(""), nil, nil
		}
		_, _ = e.key(key)
		e.draw()
		e.mu.Unlock()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
	b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
}
