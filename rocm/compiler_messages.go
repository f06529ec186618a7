package rocm

import (
	"regexp"
	"strconv"
	"strings"
)

// Message is a compiler's message about a position in a source.
type Message struct {
	Line, Column int    // from 1; Column is 0 where the compiler has none
	Severity     string // error, warning or note
	Text         string
}

// The forms of messages: clang's and hiprtc's, and NVRTC's.
var (
	clangMessage = regexp.MustCompile(`^(.*?):(\d+):(\d+): (?:fatal )?(error|warning|note): (.*)$`)
	nvrtcMessage = regexp.MustCompile(`^(.*?)\((\d+)\): (?:catastrophic )?(error|warning)(?: #[\w-]+)?: (.*)$`)
)

// Messages returns what the compiler said of the source, for an error of kind ErrCompile. Detail has them as they were
// written.
func (e *Error) Messages() []Message {
	if e.Kind != ErrCompile {
		return nil
	}
	var list []Message
	for line := range strings.Lines(e.Detail) {
		line = strings.TrimRight(line, "\r\n")
		if m := clangMessage.FindStringSubmatch(line); m != nil {
			list = append(list, Message{number(m[2]), number(m[3]), m[4], m[5]})
		} else if m := nvrtcMessage.FindStringSubmatch(line); m != nil {
			list = append(list, Message{Line: number(m[2]), Severity: m[3], Text: m[4]})
		}
	}
	return list
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
