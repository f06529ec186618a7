package repl

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestScript runs sessions. A script is an archive of cells, each followed by a file "want" with what a front end
// shows: output as it is, the value after =>, notices after note:, errors as Error.Text draws them. Files named
// complete, inspect and iscomplete hold code in which ‸ is the cursor; a file "typed" holds what the user answers to the
// questions of the cell that follows, which are shown with the answers.
func TestScript(t *testing.T) {
	thorough.Slow(t)
	if os.Stderr == os.Stdout { // as go test -json has it
		os.Stderr = os.NewFile(2, "/dev/stderr")
		defer func() { os.Stderr = os.Stdout }()
	}
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for i := range files {
		if files[i], err = filepath.Abs(files[i]); err != nil {
			t.Fatal(err)
		}
	}
	recordKernels(t)
	for i, file := range thorough.Sample(files, 1, 0) {
		if !*update && !thorough.Turn(i, 3) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(a.Comment), "compiler of kernels") {
				needsCompiler(t)
			}
			if thorough.Race && strings.Contains(string(a.Comment), "data race") {
				t.Skip("the race detector finds the race that the session ends")
			}
			t.Chdir(t.TempDir()) // for cells that write files
			got := &txtar.Archive{Comment: a.Comment}
			s, err := New(Options{Version: "v1"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			typed := ""
			for i, f := range a.Files {
				if f.Name == "want" {
					continue
				}
				if f.Name == "typed" {
					typed = string(f.Data)
					got.Files = append(got.Files, f)
					continue
				}
				out := runScript(s, f.Name, string(f.Data), typed)
				typed = ""
				got.Files = append(got.Files, f, txtar.File{Name: "want", Data: []byte(out)})
				if i+1 < len(a.Files) && a.Files[i+1].Name == "want" && !*update {
					if want := string(a.Files[i+1].Data); out != want {
						t.Errorf("%s %d:\n%sgot:\n%swant:\n%s", f.Name, i/2+1, f.Data, out, want)
					}
				} else if !*update {
					t.Errorf("%s %d has no want", f.Name, i/2+1)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func runScript(s Session, kind, text, typed string) string {
	text = strings.TrimSuffix(text, "\n")
	var b strings.Builder
	line := func(format string, args ...any) {
		if n := b.Len(); n > 0 && b.String()[n-1] != '\n' {
			b.WriteString("⏎\n")
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	cursor := strings.Index(text, "‸")
	if cursor < 0 {
		cursor = len(text)
	}
	text = strings.Replace(text, "‸", "", 1)
	switch kind {
	case "cell":
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		req := Request{Code: text}
		if typed != "" {
			req.Input = func(_ context.Context, p Prompt) (string, error) {
				answer, rest, ok := strings.Cut(typed, "\n")
				if !ok {
					return "", io.EOF
				}
				typed = rest
				line("%s%s", p.Text, answer)
				return answer, nil
			}
		}
		r := s.Eval(ctx, req, func(e Event) {
			switch e.Kind {
			case Stream:
				b.WriteString(e.Text)
			case Notice:
				// told once in a session, and of devices that an earlier test may have opened
				if !strings.Contains(e.Text, "is an emulated") && !strings.HasPrefix(e.Text, `Device("auto") is`) {
					line("note: %s", e.Text)
				}
			case Result:
				line("=> %s", e.Data.Text())
			default:
				line("%s %s", e.Kind, e.Data.Text())
			}
		})
		if r.Err != nil {
			line("%s", r.Err.Text(false))
		}
		if r.Exit != nil {
			line("exit %d", *r.Exit)
		}
		if r.Next != "" {
			line("next cell:\n%s", r.Next)
		}
		if r.Restart {
			line("restart")
		}
	case "complete":
		c := s.Complete(text, cursor)
		for i, m := range c.Matches {
			if i == 12 {
				line("… %d in all", len(c.Matches))
				break
			}
			line("%s %s %s", m.Text, m.Kind, m.Signature)
		}
	case "inspect":
		in := s.Inspect(text, cursor, 0)
		if !in.Found {
			line("nothing")
		} else {
			line("%s", in.Data.Text())
		}
	case "iscomplete":
		c := s.IsComplete(text)
		line("%s %q", c.Status, c.Indent)
	}
	if n := b.Len(); n > 0 && b.String()[n-1] != '\n' {
		b.WriteString("⏎\n")
	}
	return b.String()
}
