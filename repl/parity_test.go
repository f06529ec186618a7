package repl

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// parityRow is a row of a table of docs/parity.md.
type parityRow struct {
	numpy  string // an expression, the name of an input, or nothing
	torch  string
	gorocm string // a cell, or missing
	check  string // a tolerance, a condition, or nothing
}

const parityPage = "../docs/parity.md"

// random reports whether the row has a condition in the place of a recorded result.
func (r parityRow) random() bool {
	return r.check != "" && (r.check[0] < '0' || r.check[0] > '9')
}

// TestParity runs gorocm's column of docs/parity.md in sessions on the CPU and on Device("rocm"), and compares the
// results with those of NumPy and SciPy, which testdata/parity/record.py records. With -update it rewrites the
// counts of the page.
func TestParity(t *testing.T) {
	thorough.Slow(t)
	inputs, rows := parityTables(t)
	checkParityCounts(t, rows)
	results := parityResults(t)
	for _, device := range []string{"cpu", "rocm"} {
		t.Run(device, func(t *testing.T) {
			s := newSession(t)
			mustRun(t, s, parityShow)
			mustRun(t, s, fmt.Sprintf("dev := Device(%q)", device))
			for _, in := range inputs {
				mustRun(t, s, in.numpy+" := "+in.gorocm)
				t.Run(in.numpy, func(t *testing.T) {
					compareParity(t, parityShown(t, s, in.numpy), results[in.numpy], 0)
				})
			}
			rows := rows
			if device != "cpu" {
				rows = thorough.Sample(rows, 3, 0)
			}
			for _, r := range rows {
				if r.gorocm != "missing" {
					t.Run(r.numpy, func(t *testing.T) { runParity(t, s, r, results) })
				}
			}
		})
	}
}

// runParity runs a row's cell in a function of its own, so that its variables are not those of other rows.
func runParity(t *testing.T, s Session, r parityRow, results map[string]string) {
	before, last := splitParity(r.gorocm)
	if r.random() {
		steps, condition := splitParity(r.check)
		cell := "func() bool { " + before + "r := " + last + "; " + steps + "return " + condition + " }()"
		if parityShown(t, s, cell) != "\t1.0" {
			t.Errorf("%s: not %s", r.gorocm, r.check)
		}
		return
	}
	want, ok := results[r.numpy]
	if !ok {
		t.Fatalf("no result is recorded: run testdata/parity/record.py")
	}
	tolerance := 1e-12
	if r.check != "" {
		var err error
		if tolerance, err = strconv.ParseFloat(r.check, 64); err != nil {
			t.Fatal(err)
		}
	}
	compareParity(t, parityShown(t, s, "func() any { "+before+"return "+last+" }()"), want, tolerance)
}

// splitParity parts the last expression of a cell from the statements before it.
func splitParity(cell string) (statements, last string) {
	depth, at := 0, 0
	for i, c := range cell {
		switch {
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth--
		case c == ';' && depth == 0:
			at = i + 1
		}
	}
	return cell[:at], strings.TrimSpace(cell[at:])
}

// parityShow writes a result as results.txt has them: the shape, a tab, the elements.
const parityShow = `func show(x any) {
	switch x := x.(type) {
	case bool:
		fmt.Print(map[bool]string{true: "\t1.0", false: "\t0.0"}[x])
	case int:
		fmt.Print("\t", x)
	case float64:
		fmt.Print("\t", x)
	case *tensor.Tensor:
		real := x
		if x.DType() == tensor.C64 || x.DType() == tensor.C128 {
			real = x.ViewAsReal()
		}
		fmt.Print(strings.Trim(fmt.Sprint(x.Dims()), "[]"), "\t", strings.Trim(fmt.Sprint(real.Float64s()), "[]"))
	default:
		panic(fmt.Sprintf("a result of type %T", x))
	}
}`

func parityShown(t *testing.T, s Session, expression string) string {
	t.Helper()
	var out strings.Builder
	r := s.Eval(context.Background(), Request{Code: "show(" + expression + ")"}, func(e Event) {
		if e.Kind == Stream {
			out.WriteString(e.Text)
		}
	})
	if r.Err != nil {
		t.Fatalf("%s\n%s", expression, r.Err.Text(false))
	}
	return out.String()
}

// compareParity compares a shape and elements with those that are wanted, within a tolerance relative to the larger of
// the element and 1.
func compareParity(t *testing.T, got, want string, tolerance float64) {
	t.Helper()
	gotShape, gotElements, _ := strings.Cut(got, "\t")
	wantShape, wantElements, _ := strings.Cut(want, "\t")
	a, b := strings.Fields(gotElements), strings.Fields(wantElements)
	if gotShape != wantShape || len(a) != len(b) {
		t.Fatalf("got [%s] %s, want [%s] %s", gotShape, gotElements, wantShape, wantElements)
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil {
			t.Fatal(errX, errY)
		}
		same := x == y || math.IsNaN(x) && math.IsNaN(y)
		if !same && !(math.Abs(x-y) <= tolerance*max(1, math.Abs(y))) {
			t.Fatalf("element %d: got %s, want %s\ngot  %s\nwant %s", i, a[i], b[i], gotElements, wantElements)
		}
	}
}

// parityTables reads the tables of the page: its inputs, and its rows.
func parityTables(t *testing.T) (inputs, rows []parityRow) {
	t.Helper()
	page, err := os.ReadFile(parityPage)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00")
		if !strings.HasPrefix(line, "| `") && !strings.HasPrefix(line, "| | `") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line[1:], "|"), "|")
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|")
			if i != 1 {
				cells[i] = strings.Trim(cells[i], "`")
			}
		}
		switch len(cells) {
		case 3:
			inputs = append(inputs, parityRow{numpy: cells[0], gorocm: cells[2]})
		case 4:
			rows = append(rows, parityRow{cells[0], cells[1], cells[2], cells[3]})
		default:
			t.Fatalf("%d cells in %s", len(cells), line)
		}
	}
	return inputs, rows
}

// parityResults reads the recorded results: shape, tab, elements, by expression.
func parityResults(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/parity/results.txt")
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]string{}
	for line := range strings.Lines(string(text)) {
		expression, result, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("a line without a result: %s", line)
		}
		results[expression] = result
	}
	return results
}

var parityCounts = regexp.MustCompile(`(?m)^COUNTS$|^\d+ rows: .*$`)

// checkParityCounts compares the counts at the head of the page with its tables.
func checkParityCounts(t *testing.T, rows []parityRow) {
	t.Helper()
	missing, random := 0, 0
	for _, r := range rows {
		switch {
		case r.gorocm == "missing":
			missing++
		case r.random():
			random++
		}
	}
	want := fmt.Sprintf("%d rows: %d with a recorded result, %d with a condition, %d missing.", len(rows),
		len(rows)-missing-random, random, missing)
	page, err := os.ReadFile(parityPage)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		page = parityCounts.ReplaceAll(page, []byte(want))
		if err := os.WriteFile(parityPage, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(page, []byte("\n"+want+"\n")) {
		t.Errorf("the head of docs/parity.md has other counts than %q: go test ./repl -run TestParity -update", want)
	}
}
