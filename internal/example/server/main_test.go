package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestAnswers asks from several goroutines at once.
func TestAnswers(t *testing.T) {
	dev := tensor.CPU()
	model, err := train(dev)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{ // by request
		`{"Points": [[0, 1], [1, -0.5], [-1, 0], [2, 0.5]]}`: "200 {\"Moons\":[0,1,0,1]}\n",
		`{"Points": [[0, 1, 2]]}`:                            "400 want {\"Points\": [[x, y], …]}: matmul: inner sizes differ: [1 3] × [2 16] (3 ≠ 2)\n",
		`{"Points": [[0, 1], [2]]}`:                          "400 want {\"Points\": [[x, y], …]}: new: ragged data: a slice of length 1 where the first one has 2\n",
		`[`:                                                  "400 want {\"Points\": [[x, y], …]}: unexpected EOF\n",
	}
	var all sync.WaitGroup
	for range 4 {
		for ask, want := range answers {
			all.Go(func() {
				w := httptest.NewRecorder()
				predictor{model, dev}.ServeHTTP(w,
					httptest.NewRequest(http.MethodPost, "/predict", strings.NewReader(ask)))
				if got := w.Result().Status[:4] + w.Body.String(); got != want {
					t.Errorf("%s: got %q, want %q", ask, got, want)
				}
			})
		}
	}
	all.Wait()
}

// TestPage: docs/library.md shows this program.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(program), "package main\n")
	if !strings.Contains(string(page), "```go\npackage main\n"+code+"```") {
		t.Error("the program in docs/library.md is not that of internal/example/server/main.go")
	}
}
