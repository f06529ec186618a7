package history

import (
	"bytes"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func quiet(t *testing.T) *slog.Logger {
	t.Helper()
	var b bytes.Buffer
	t.Cleanup(func() {
		if b.Len() > 0 {
			t.Errorf("the log: %s", b.String())
		}
	})
	return slog.New(slog.NewTextHandler(&b, nil))
}

func text(t *testing.T, list []Entry, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%d/%d %q %q\n", e.Session, e.Line, e.Input, e.Output)
	}
	return b.String()
}

// TestQuestions asks a file that an earlier session has written too.
func TestQuestions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "history.sqlite")
	s := Open(path, quiet(t))
	s.Add(1, "old one", "")
	s.Add(2, "same", "\"same\"")
	s.Close()
	s = Open(path, quiet(t))
	defer s.Close()
	if list, err := s.Range(-1, 0, -1); text(t, list, err) != "1/1 \"old one\" \"\"\n1/2 \"same\" \"\\\"same\\\"\"\n" {
		t.Errorf("before the first cell, the session before is %v", list)
	}
	if list, err := s.Range(0, 0, -1); len(list) != 0 || err != nil {
		t.Errorf("a session without cells has %v (%v)", list, err)
	}
	s.Add(1, "same", "")
	s.Add(3, "multi\nline ä", "")
	for _, tt := range []struct {
		name string
		ask  func() ([]Entry, error)
		want string
	}{
		{"tail", func() ([]Entry, error) { return s.Tail(2) }, "2/1 2/3"},
		{"all", func() ([]Entry, error) { return s.Tail(-1) }, "1/1 1/2 2/1 2/3"},
		{"none", func() ([]Entry, error) { return s.Tail(0) }, ""},
		{"this session", func() ([]Entry, error) { return s.Range(0, 1, -1) }, "2/1 2/3"},
		{"up to", func() ([]Entry, error) { return s.Range(0, 1, 3) }, "2/1"},
		{"the one before", func() ([]Entry, error) { return s.Range(-1, 2, 100) }, "1/2"},
		{"by number", func() ([]Entry, error) { return s.Range(1, 0, -1) }, "1/1 1/2"},
		{"search", func() ([]Entry, error) { return s.Search("*e", -1, false) }, "1/1 1/2 2/1"},
		{"as a whole", func() ([]Entry, error) { return s.Search("old", -1, false) }, ""},
		{"a set, over lines", func() ([]Entry, error) { return s.Search("[m-n]ul?i*ä", -1, false) }, "2/3"},
		{"unique", func() ([]Entry, error) { return s.Search("s*", -1, true) }, "2/1"},
		{"the last", func() ([]Entry, error) { return s.Search("", 1, false) }, "2/3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tt.ask()
			if err != nil {
				t.Fatal(err)
			}
			var places []string
			for _, e := range list {
				places = append(places, fmt.Sprintf("%d/%d", e.Session, e.Line))
			}
			if got := strings.Join(places, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v %v", info.Mode(), err)
	}
}

// TestManySessions: sessions write at once, and no cell is lost.
func TestManySessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	const sessions, cells = 4, 50
	var wait sync.WaitGroup
	for range sessions {
		s := Open(path, quiet(t))
		wait.Go(func() {
			for i := range cells {
				s.Add(i+1, fmt.Sprint("cell ", i), "")
			}
			if list, err := s.Range(0, 1, -1); len(list) != cells || err != nil {
				t.Errorf("a session finds %d of its cells (%v)", len(list), err)
			}
			s.Close()
		})
	}
	wait.Wait()
	s := Open(path, quiet(t))
	defer s.Close()
	if list, err := s.Tail(-1); len(list) != sessions*cells || err != nil {
		t.Errorf("%d cells, want %d (%v)", len(list), sessions*cells, err)
	}
}

// TestBadFile: a file that is not a database leaves a session its own history.
func TestBadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	junk := strings.Repeat("this is not a database\n", 100)
	if err := os.WriteFile(path, []byte(junk), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	s := Open(path, slog.New(slog.NewTextHandler(&b, nil)))
	s.Add(1, "mine", "")
	if list, err := s.Tail(-1); text(t, list, err) != "1/1 \"mine\" \"\"\n" {
		t.Errorf("%v", list)
	}
	s.Close()
	if !strings.Contains(b.String(), "the history is this session's only") {
		t.Errorf("the log: %s", b.String())
	}
	if now, err := os.ReadFile(path); string(now) != junk || err != nil {
		t.Error("the file was changed")
	}
	if _, err := s.Tail(1); err == nil {
		t.Error("a closed store answers")
	}
	s.Add(2, "too late", "") // does nothing
}

// TestOldRows: the file keeps so many cells.
func TestOldRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	s := Open(path, quiet(t))
	s.Add(1, "first", "")
	s.do(func(db *sql.DB) {
		if _, err := db.Exec(`INSERT INTO history (rowid, session, line, source_raw) VALUES (?, 1, 2, 'later')`,
			maxRows+1); err != nil {
			t.Error(err)
		}
	})
	s.Close()
	s = Open(path, quiet(t))
	defer s.Close()
	s.Add(1, "new", "")
	if list, err := s.Tail(-1); text(t, list, err) != "1/2 \"later\" \"\"\n2/1 \"new\" \"\"\n" {
		t.Errorf("%v", list)
	}
}
