package jupyter

import (
	"strings"
	"unicode/utf8"

	"github.com/gorocm/gorocm/repl"
)

// byteOffset turns a cursor in code points, which is what clients count in since protocol 5.2, into a byte offset. A
// cursor beyond the code, or a missing one, is at its end.
func byteOffset(code string, cursor *int) int {
	if cursor == nil {
		return len(code)
	}
	n := 0
	for i := range code {
		if n >= *cursor {
			return i
		}
		n++
	}
	return len(code)
}

// codePoints is the inverse: the number of code points before a byte offset.
func codePoints(code string, offset int) int {
	return utf8.RuneCountInString(code[:max(0, min(offset, len(code)))])
}

func (k *kernel) complete(r *request) (any, error) {
	var req completeRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	cursor := byteOffset(req.Code, req.Cursor)
	c, err := ask(k, "complete_request", func(s repl.Session) repl.Completion { return s.Complete(req.Code, cursor) })
	if err != nil {
		return nil, err
	}
	if len(c.Matches) == 0 {
		c.Start, c.End = cursor, cursor
	}
	start, end := codePoints(req.Code, c.Start), codePoints(req.Code, c.End)
	matches := make([]string, len(c.Matches))
	typed := make([]typedMatch, len(c.Matches))
	for i, m := range c.Matches {
		matches[i] = m.Text
		typed[i] = typedMatch{Text: m.Text, Type: m.Kind, Start: start, End: end, Signature: m.Signature}
	}
	meta := map[string]any{"_jupyter_types_experimental": typed}
	if c.Hint != "" {
		meta["hint"] = c.Hint
	}
	return completeReply{statusOK, matches, start, end, meta}, nil
}

func (k *kernel) inspect(r *request) (any, error) {
	var req inspectRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	cursor := byteOffset(req.Code, req.Cursor)
	in, err := ask(k, "inspect_request",
		func(s repl.Session) repl.Inspection { return s.Inspect(req.Code, cursor, req.Detail) })
	if err != nil {
		return nil, err
	}
	return inspectReply{statusOK, in.Found, mime(in.Data), map[string]any{}}, nil
}

func (k *kernel) isComplete(r *request) (any, error) {
	var req isCompleteRequest
	if err := parse(r, &req); err != nil {
		return nil, err
	}
	c, err := ask(k, "is_complete_request", func(s repl.Session) repl.Completeness { return s.IsComplete(req.Code) })
	if err != nil {
		return isCompleteReply{Status: "unknown"}, nil
	}
	reply := isCompleteReply{Status: c.Status}
	if c.Status == "incomplete" {
		indent := strings.ReplaceAll(c.Indent, "\t", "    ") // jupyter console shows a tab as ^I
		reply.Indent = &indent
	}
	return reply, nil
}
