package term

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/internal/visible"
)

// hint is what is known of the call that the cursor is in: its signature and the first sentence of its documentation,
// below the cell. The session is asked beside the editing, and never waited for.
type hint struct {
	ask func(code string, cursor int) []string

	mu      sync.Mutex
	wanted  string // the code before the cursor's argument; what is asked last counts
	rows    []string
	asking  bool
	changed func()
}

// at says where the cursor is now, and returns what is known of the call there.
func (h *hint) at(text []rune, pos int) []string {
	name, argument, ok := openCall(text, pos)
	h.mu.Lock()
	defer h.mu.Unlock()
	if !ok {
		h.wanted, h.rows = "", nil
		return nil
	}
	code := string(text[:argument])
	if code == h.wanted {
		return h.rows
	}
	if !strings.HasPrefix(h.wanted, string(text[:name])) {
		h.rows = nil // of another call
	}
	h.wanted = code
	if !h.asking {
		h.asking = true
		go h.follow()
	}
	return h.rows
}

// follow asks until what is known is what is wanted.
func (h *hint) follow() {
	for {
		h.mu.Lock()
		code := h.wanted
		h.mu.Unlock()
		var rows []string
		if code != "" {
			rows = h.ask(code, len(code))
		}
		h.mu.Lock()
		done := code == h.wanted
		if done {
			h.rows, h.asking = rows, false
		}
		h.mu.Unlock()
		if done {
			h.changed()
			return
		}
	}
}

// receiver is what a method's declaration begins with.
var receiver = regexp.MustCompile(`^\([^()]*\) `)

// summary makes the two rows of a call's documentation: its signature, with the argument of the cursor marked, and what
// it does.
func summary(doc string, l look) []string {
	head, rest, _ := strings.Cut(visible.Text(doc), "\n")
	if !strings.HasPrefix(head, "func ") && !strings.Contains(head, "‹") {
		return nil
	}
	head = receiver.ReplaceAllString(strings.TrimPrefix(head, "func "), "")
	before, mark, marked := strings.Cut(head, "‹")
	if marked {
		argument, after, _ := strings.Cut(mark, "›")
		head = l.style(dim, before) + l.style(bold, argument) + l.style(dim, after)
		if !l.colour {
			head = before + "<" + argument + ">" + after
		}
	} else {
		head = l.style(dim, head)
	}
	rows := []string{head}
	if text := firstSentence(rest); text != "" {
		rows = append(rows, l.style(dim, text))
	}
	return rows
}

// firstSentence is the beginning of documentation, on one line.
func firstSentence(doc string) string {
	doc, _, _ = strings.Cut(strings.TrimSpace(doc), "\n\n")
	doc = strings.Join(strings.Fields(doc), " ")
	if at := strings.Index(doc, ". "); at >= 0 {
		doc = doc[:at+1]
	}
	return doc
}
