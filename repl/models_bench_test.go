package repl

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkStories is how many tokens of stories260K, a small Llama, come in a second when a cell asks for each and
// puts the text together. The model is not part of the repository: GOROCM_SHARED names the folder with
// models/stories260k.
func BenchmarkStories(b *testing.B) {
	root := os.Getenv("GOROCM_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	path, err := filepath.Abs(filepath.Join(root, "models", "stories260k", "stories260K.bin"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		b.Skipf("there is no %s", path)
	}
	for _, device := range []string{"cpu", "rocm"} {
		b.Run(device, func(b *testing.B) {
			s, err := New(Options{Version: "v1"})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			eval := func(code string) {
				if r := s.Eval(context.Background(), Request{Code: code}, func(Event) {}); r.Err != nil {
					b.Fatal(r.Err.Text(false))
				}
			}
			eval("llama, tok, err := models.OpenLlama(" + strconv.Quote(path) + ", tensor.F32, Device(" +
				strconv.Quote(device) + "))")
			story := func(n string) {
				eval(`
story := models.NewGenerator(llama.Decoder(), tok, nn.Sampling{})
text := ""
for range ` + n + ` {
	story.Next()
	text += story.Text()
}`)
			}
			story("20")
			for b.Loop() {
				story("200")
			}
			b.ReportMetric(200*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
