package quant_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor/quant"
)

var update = flag.Bool("update", false, "rewrite the table of formats in docs/quantized.md")

// formatTable is the table of docs/quantized.md.
func formatTable(t *testing.T) string {
	r := rand.New(rand.NewPCG(7, 7))
	x := make([]float32, 1<<16)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	var b strings.Builder
	for _, f := range quant.Types() {
		written, off := "no, read only", ""
		if f.CanEncode() {
			packed, err := f.Encode(x)
			if err != nil {
				t.Fatal(err)
			}
			y, err := f.Decode(packed)
			if err != nil {
				t.Fatal(err)
			}
			var squares, errors float64
			for i := range x {
				squares += float64(x[i]) * float64(x[i])
				errors += math.Pow(float64(x[i]-y[i]), 2)
			}
			written, off = "yes", fmt.Sprintf("%.2g %%", 100*math.Sqrt(errors/squares))
		}
		fmt.Fprintf(&b, "| %v | %d | %d | %.4g | %s | %s |\n", f, uint32(f), f.BlockSize(),
			float64(8*f.BlockBytes())/float64(f.BlockSize()), written, off)
	}
	return b.String()
}

// TestPage: the table of formats in docs/quantized.md is what the package says and does.
func TestPage(t *testing.T) {
	const path, head = "../../docs/quantized.md", "|---|---|---|---|---|---|\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), head)
	table, after, _ := strings.Cut(rest, "\n\n")
	if !ok {
		t.Fatalf("%s has no table of six columns", path)
	}
	want := formatTable(t)
	if *update {
		if err := os.WriteFile(path, []byte(before+head+want+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table+"\n" != want {
		t.Errorf("the table of formats is\n%s\n\nwant\n%s\nrun this test with -update", table, want)
	}
}
