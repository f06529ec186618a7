package repl

import (
	"context"
	"strings"
	"unicode"

	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/golang"
)

// part is a piece of a cell: Go, a command, or a line for the shell.
type part struct {
	command string // name of a command; "" for the others
	args    string
	body    string // of %%name: the lines below
	whole   bool   // %%name
	shell   string // what follows the !
	code    string // Go, with an empty line for each one above it
	line    int    // how many lines stand above a command
	asked   bool   // of NAME? and its like
}

// question recognises NAME?, NAME??, ?NAME and ??NAME.
func question(code string) (marks, name string, ok bool) {
	rest := strings.TrimLeft(code, "?")
	name = strings.TrimRight(rest, "?")
	before, after := code[:len(code)-len(rest)], rest[len(name):]
	name = strings.TrimSpace(name)
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i > 0 || r != '%') && (i == 0 || r != '.' && !unicode.IsNumber(r)) {
			return "", "", false
		}
	}
	marks = before + after
	return marks, name, name != "" && (before == "" || after == "") && (marks == "?" || marks == "??")
}

// questionLine is what a line such as NAME? asks for.
func questionLine(line string) (p part, ok bool) {
	if !strings.Contains(line, "?") {
		return p, false
	}
	marks, name, ok := question(line)
	if !ok {
		return p, false
	}
	if name, ok := strings.CutPrefix(name, "%"); ok {
		return part{command: "help", args: name, asked: true}, true
	}
	return part{command: map[string]string{"?": "doc", "??": "src"}[marks], args: name, asked: true}, true
}

// parts splits a cell. Commands and lines for the shell stand on lines of their own, where Go is between two
// statements.
func (s *Local) parts(code string) []part {
	trimmed := strings.TrimSpace(code)
	if p, ok := questionLine(trimmed); ok {
		return []part{p}
	}
	if rest, ok := strings.CutPrefix(trimmed, "%%"); ok {
		line, body, _ := strings.Cut(rest, "\n")
		name, args := firstWord(line)
		above := strings.Count(code[:strings.IndexByte(code, '%')], "\n")
		return []part{{command: name, args: args, body: body, whole: true, line: above}}
	}
	if blanked, main, ok := cells.Program(code); ok {
		if main > 0 {
			blanked += "\nmain()"
		}
		return []part{{code: blanked}}
	}
	var parts []part
	lines := strings.Split(code, "\n")
	begun := 0 // the first line of the Go that is being gathered
	flush := func(end int) {
		if text := strings.Join(lines[begun:end], "\n"); strings.TrimSpace(text) != "" {
			parts = append(parts, part{code: strings.Repeat("\n", begun) + text})
		}
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if p, ok := questionLine(line); ok && between(strings.Join(lines[begun:i], "\n")) {
			flush(i)
			parts = append(parts, p)
			begun = i + 1
			continue
		}
		if text, ok := s.shellValue(line, code); ok && between(strings.Join(lines[begun:i], "\n")) {
			lines[i] = text
			continue
		}
		if line == "" || line[0] != '%' && line[0] != '!' || !between(strings.Join(lines[begun:i], "\n")) {
			continue
		}
		if line[0] == '!' && !s.isShell(line) {
			continue
		}
		flush(i)
		if line[0] == '!' {
			text := strings.TrimLeft(line, "!")
			for strings.HasSuffix(text, "\\") && i+1 < len(lines) {
				i++
				text += "\n" + lines[i]
			}
			parts = append(parts, part{shell: strings.TrimSpace(text)})
		} else {
			p := part{line: i}
			p.command, p.args = firstWord(strings.TrimLeft(line, "%"))
			if c := commandNames[p.command]; c != nil && c.Go {
				all := p.args == "" // the rest of the cell
				for i+1 < len(lines) && (all || !between(p.args)) {
					i++
					p.args += "\n" + lines[i]
				}
				p.args = strings.TrimSpace(p.args)
			}
			parts = append(parts, p)
		}
		begun = i + 1
	}
	flush(len(lines))
	if len(parts) == 0 {
		parts = append(parts, part{code: code})
	}
	return parts
}

// between reports whether Go may end here.
func between(code string) bool {
	status, _ := golang.IsComplete(code)
	return status != "incomplete"
}

// isShell reports whether a line that begins with ! is for the shell. It is Go when it is an expression that the
// session knows the names of, such as !ok.
func (s *Local) isShell(line string) bool {
	_, f := s.current().TypeOf(line)
	return f != nil
}

// firstWord splits a line after its first word.
func firstWord(line string) (word, rest string) {
	line = strings.TrimSpace(line)
	i := strings.IndexFunc(line, unicode.IsSpace)
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// completeness says whether a cell that may have commands can run as it stands.
func (s *Local) completeness(code string) Completeness {
	lines := strings.Split(code, "\n")
	ended := len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == ""
	parts := s.parts(code)
	p := parts[len(parts)-1]
	switch {
	case p.whole:
		// kernels have empty lines in them
		if !ended || p.command == "hip" && strings.Count(p.body, "{") > strings.Count(p.body, "}") {
			return Completeness{Status: "incomplete"}
		}
		return Completeness{Status: "complete"}
	case p.command != "":
		if c := commandNames[p.command]; c != nil && c.Go && !ended {
			status, indent := golang.IsComplete(p.args)
			return Completeness{Status: status, Indent: indent}
		}
		return Completeness{Status: "complete"}
	case p.shell != "":
		if strings.HasSuffix(p.shell, "\\") && !ended {
			return Completeness{Status: "incomplete"}
		}
		return Completeness{Status: "complete"}
	}
	status, indent := golang.IsComplete(p.code)
	return Completeness{Status: status, Indent: indent}
}

// leaves reports whether a cell ends the session, as in a terminal, whose front end sees to that itself: exit or quit,
// where the session has no such name.
func leaves(e *golang.Engine, code string) bool {
	switch strings.TrimSuffix(code, "()") {
	case "exit", "quit":
		_, f := e.TypeOf(code)
		return f != nil
	}
	return false
}

// cell runs the parts of a cell from that number on, up to the first that fails.
func (s *Local) cell(ctx context.Context, name, code string, from int, reply *Reply) {
	if s.pages && leaves(s.current(), strings.TrimSpace(code)) {
		reply.Exit = new(int)
		return
	}
	parts := s.parts(code)
	for i, p := range parts {
		if i < from {
			continue
		}
		s.moving.part = i
		switch {
		case p.command != "" || p.whole:
			if err := s.command(ctx, name, p, s.pages, reply); err != nil {
				reply.Err = err
			}
		case p.shell != "":
			s.moving.ranCommand("sh", "", "")
			reply.Err = s.shellLine(ctx, p.shell)
		default:
			if s.reloads { // not before commands: %autoreload off works beside a package that does not compile
				if f := s.current().Reload(ctx); f != nil {
					reply.Err = toError(f)
					return
				}
			}
			out := s.eval(ctx, name, p.code)
			if i < len(parts)-1 {
				out.Values = nil // only the end of a cell is shown
			}
			s.conclude(out, reply)
		}
		if reply.Err != nil || reply.Exit != nil || reply.Moved != nil {
			return
		}
	}
}
