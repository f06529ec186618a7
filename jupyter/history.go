package jupyter

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

const (
	historyKept = 10000   // cells that are kept in memory and answered from
	historyTail = 8 << 20 // bytes of the file that are read; they hold far more cells than that
)

// historyEntry is a cell that ran, as one line of the history file.
type historyEntry struct {
	Session int    `json:"session"`
	Line    int    `json:"line"`
	Input   string `json:"input"`
	Output  string `json:"output,omitempty"`
}

// history holds the cells of this session, and of earlier ones where there is a file.
type history struct {
	log *slog.Logger

	mu      sync.Mutex
	session int // the number of this one
	entries []historyEntry
	file    *os.File
}

// openHistory reads the file. A history that cannot be read or written is a warning: the session works without it.
func openHistory(name string, log *slog.Logger) *history {
	h := &history{log: log, session: 1}
	if name == "" {
		return h
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		log.Warn("no history file", "error", err)
		return h
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		log.Warn("no history file", "error", err)
		return h
	}
	h.file = f
	if err := h.load(f); err != nil {
		log.Warn("cannot read all of the history file", "file", name, "error", err)
	}
	return h
}

func (h *history) load(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.Seek(max(0, info.Size()-historyTail), io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		var e historyEntry
		// A line cut short by the seek or by a crash, or of a newer version, is passed over.
		if json.Unmarshal(line, &e) == nil && e.Session > 0 {
			h.entries = append(h.entries, e)
			h.session = max(h.session, e.Session+1)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	h.trim()
	return nil
}

func (h *history) trim() {
	if n := len(h.entries); n > historyKept {
		h.entries = append([]historyEntry(nil), h.entries[n-historyKept:]...)
	}
}

func (h *history) add(line int, input, output string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := historyEntry{h.session, line, input, output}
	h.entries = append(h.entries, e)
	if len(h.entries) > 2*historyKept {
		h.trim()
	}
	if h.file == nil {
		return
	}
	text, err := json.Marshal(e)
	if err == nil {
		_, err = h.file.Write(append(text, '\n')) // one write, since several kernels may append
	}
	if err != nil {
		h.log.Warn("no more history is written", "error", err)
		h.file.Close()
		h.file = nil
	}
}

func (h *history) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file != nil {
		h.file.Close()
		h.file = nil
	}
}

func (k *kernel) historyRequest(r *request) (any, error) {
	var req historyRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	entries, err := k.history.find(req)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = [3]any{e.Session, e.Line, e.Input}
		if req.Output {
			list[i] = [3]any{e.Session, e.Line, [2]string{e.Input, e.Output}}
		}
	}
	return historyReply{statusOK, list}, nil
}

// find answers a history request, oldest first.
func (h *history) find(req historyRequest) ([]historyEntry, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch req.Access {
	case "tail":
		return last(h.entries, req.N), nil
	case "range":
		return h.lines(req), nil
	case "search":
		return h.search(req)
	}
	return nil, fmt.Errorf("history_request: hist_access_type is %q, it must be range, tail or search", req.Access)
}

func last(entries []historyEntry, n *int) []historyEntry {
	if n == nil {
		return entries
	}
	return entries[len(entries)-min(max(*n, 0), len(entries)):]
}

// lines returns lines start up to but not including stop of one session. Session 0 is this one, -1 the one before.
func (h *history) lines(req historyRequest) []historyEntry {
	session := req.Session
	if session <= 0 {
		session += h.session
	}
	var found []historyEntry
	for _, e := range h.entries {
		if e.Session == session && e.Line >= req.Start && (req.Stop == nil || e.Line < *req.Stop) {
			found = append(found, e)
		}
	}
	return found
}

// search returns the last n cells that match a glob pattern as a whole.
func (h *history) search(req historyRequest) ([]historyEntry, error) {
	match, err := glob(req.Pattern)
	if err != nil {
		return nil, err
	}
	var found []historyEntry
	latest := map[string]int{}
	for _, e := range h.entries {
		if !match.MatchString(e.Input) {
			continue
		}
		found = append(found, e)
		latest[e.Input] = len(found) - 1
	}
	if req.Unique {
		var unique []historyEntry
		for i, e := range found {
			if latest[e.Input] == i {
				unique = append(unique, e)
			}
		}
		found = unique
	}
	return last(found, req.N), nil
}

// glob compiles a pattern of *, ? and [set], in which * also stands for line ends and slashes. No pattern matches all.
func glob(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?s)^")
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteByte('.')
		case '[':
			if end := strings.IndexByte(pattern[i:], ']'); end > 1 {
				b.WriteString(pattern[i : i+end+1])
				i += end
				continue
			}
			b.WriteString(`\[`)
		default:
			j := i + 1
			for j < len(pattern) && !strings.ContainsRune("*?[", rune(pattern[j])) {
				j++
			}
			b.WriteString(regexp.QuoteMeta(pattern[i:j]))
			i = j - 1
		}
	}
	if pattern != "" {
		b.WriteByte('$')
	}
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("history_request: bad pattern %q: %w", pattern, err)
	}
	return re, nil
}
