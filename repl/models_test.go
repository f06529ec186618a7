package repl

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// endless is the folder of the small model of package models' tests, with room for more tokens than it can make while
// a test waits.
func endless(t *testing.T) string {
	t.Helper()
	const from = "../tensor/models/testdata/chat/model"
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(folder, "config.json")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	longer := strings.Replace(string(text), `"max_position_embeddings": 512`, `"max_position_embeddings": 1000000`, 1)
	if err := os.WriteFile(config, []byte(longer), 0o600); err != nil || longer == string(text) {
		t.Fatal(err, "the context is not 512")
	}
	return folder
}

// TestInterruptedChat: interrupting a cell ends the reply that it generates in a compiled call, and the conversation
// goes on from there. Replies of other goroutines are not ended.
func TestInterruptedChat(t *testing.T) {
	thorough.Slow(t)
	folder := endless(t)
	for _, device := range []string{"cpu", "rocm"} {
		t.Run(device, func(t *testing.T) {
			if _, err := tensor.NewDevice(device); err != nil {
				t.Skip(err)
			}
			s := newSession(t)
			mustRun(t, s, `m := models.Open("`+folder+`", Device("`+device+`"))
m.Config.EOS, m.Tokenizer.EOS, m.Sampling = nil, -1, nn.Sampling{}
r, w := io.Pipe()
go io.Copy(os.Stdout, r)
m.Output = w;`)
			var text strings.Builder
			r := s.Eval(context.Background(), Request{Code: `m.Chat("Hi")`}, func(e Event) {
				if text.WriteString(e.Text); text.Len() > 3 {
					s.Interrupt()
				}
			})
			if r.Err == nil || r.Err.Name != "Interrupted" || len(r.Err.Notes) > 0 {
				t.Fatalf("%+v", r.Err)
			}
			mustRun(t, s, `
m.MaxTokens = 4
if len(m.Messages) != 2 || len(m.Messages[1].Content) < 3 || len(m.Ask("more")) > 4 || len(m.Messages) != 4 {
	panic(fmt.Sprint(m.Messages))
}
w.Close()`)
		})
	}
}

// TestInterruptElsewhere: interrupting a cell does not end the reply of another goroutine.
func TestInterruptElsewhere(t *testing.T) {
	s := newSession(t)
	mustRun(t, s, `m := models.Open("`+endless(t)+`", Device("cpu"))
m.Config.EOS, m.Tokenizer.EOS, m.Sampling = nil, -1, nn.Sampling{}
m.MaxTokens = 3
r, w := io.Pipe()
m.Output = w
done := make(chan error)
go func() { done <- m.Chat("Hi") }();`)
	r := s.Eval(context.Background(), Request{Code: `fmt.Println("on"); for {}`}, func(Event) { s.Interrupt() })
	if r.Err == nil || r.Err.Name != "Interrupted" {
		t.Fatalf("%+v", r.Err)
	}
	mustRun(t, s, `go io.Copy(io.Discard, r)
if err := <-done; err != nil || len(m.Messages[1].Content) != 3 {
	panic(fmt.Sprint(err, m.Messages))
}
w.Close() // else the copy waits on, and other tests' cells are not known to wait for ever`)
}
