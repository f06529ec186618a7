package assist_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// benchCursors are places that are asked for in turn: members, chains, names, arguments, literals, packages.
var benchCursors = []string{
	"person.|", "person.Rename(\"x\").Home.C|", "fmt.Println(strings.Repeat(person.|", "numb|", "setDay(|",
	"Person{Name: \"a\", |}", "strings.ToU|",
	"for _, p := range people {\n\tif p.|\n}\nfmt.Println(1)", "x := load(\"a\", 1)\nx.|", "http.|",
	"func f(p Person) {\n\tp.|\n}\nfunc g() {}", "v1|",
	"if today == |", "Map(people, func(p Person) time.Duration { return 0 })[0].|",
}

// longCell is a cell of about 200 lines with the cursor's code in its middle.
func longCell(at string) string {
	var b strings.Builder
	line := func(i int) {
		fmt.Fprintf(&b, "func step%d(p Person, xs []float64) (float64, error) {\n\ttotal := 0.0\n\tfor i, x := range xs {\n\t\tif i%%2 == 0 {\n\t\t\ttotal += math.Sqrt(x) * %d\n\t\t}\n\t}\n"+
			"\tq := p.Rename(strings.Repeat(p.Name, %d))\n\treturn total + float64(q.Age), nil\n}\nout%d := step%d(person, []float64{1, 2, 3})\n", i, i, i, i, i)
	}
	for i := range 9 {
		line(i)
	}
	b.WriteString(at + "\n")
	for i := range 9 {
		line(i + 9)
	}
	return b.String()
}

// BenchmarkComplete reports the 95th percentile of completions at many places. It is to stay below 20 ms.
func BenchmarkComplete(b *testing.B) {
	for _, tt := range []struct {
		name string
		vars int
		wrap func(string) string
	}{
		{"vars10", 10, nil},
		{"vars3000", 3000, nil},
		{"cell200lines", 10, longCell},
	} {
		b.Run(tt.name, func(b *testing.B) {
			e := completionEngine(b)
			for at := 0; at < tt.vars; at += 100 {
				var cell strings.Builder
				for i := at; i < min(at+100, tt.vars); i++ {
					fmt.Fprintf(&cell, "v%d := %d\n", i, i)
				}
				run(b, e, at+10, cell.String())
			}
			type place struct {
				code   string
				cursor int
			}
			var places []place
			for _, c := range benchCursors {
				if tt.wrap != nil {
					c = tt.wrap(c)
				}
				cursor := strings.IndexByte(c, '|')
				places = append(places, place{c[:cursor] + c[cursor+1:], cursor})
			}
			measure(b, func(i int) {
				p := places[i%len(places)]
				if len(e.Complete(p.code, p.cursor).Matches) == 0 {
					b.Fatalf("nothing at %d of\n%s", p.cursor, p.code)
				}
			})
		})
	}
}

// BenchmarkInspect reports the 95th percentile of inspections in a cell of 200 lines.
func BenchmarkInspect(b *testing.B) {
	e := completionEngine(b)
	code := longCell("fmt.Println(strings.Repeat(person.Name, 3))")
	cursors := []int{strings.Index(code, "Repeat(person"), strings.Index(code, "Name, 3"), strings.Index(code, ", 3)"),
		strings.Index(code, "total")}
	measure(b, func(i int) {
		if _, ok := e.Inspect(code, cursors[i%len(cursors)]+1, 0); !ok {
			b.Fatal("nothing")
		}
	})
}

// measure calls f with 0, 1, 2, … and reports percentiles of its time.
func measure(b *testing.B, f func(int)) {
	b.Helper()
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		f(i)
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	ms := func(q float64) float64 { return times[int(q*float64(len(times)-1))].Seconds() * 1000 }
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.95), "p95-ms")
	b.ReportMetric(ms(1), "max-ms")
}
