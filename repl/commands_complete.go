package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commandMatches completes % and the beginning of a name; %% too.
func commandMatches(text string, start, end int) Completion {
	r := Completion{Start: start, End: end}
	sign := text[:len(text)-len(strings.TrimLeft(text, "%"))]
	for i := range Commands {
		c := &Commands[i]
		if len(sign) > 1 && !c.Body {
			continue
		}
		if strings.HasPrefix(sign+c.Name, text) {
			r.Matches = append(r.Matches, Match{Text: sign + c.Name, Kind: "command", Signature: c.Doc})
		}
	}
	if len(r.Matches) == 0 && len(sign) == 1 {
		for i := range Commands {
			for _, a := range Commands[i].Aliases {
				if strings.HasPrefix(sign+a, text) {
					r.Matches = append(r.Matches, Match{Text: sign + a, Kind: "command", Signature: Commands[i].Doc})
				}
			}
		}
	}
	return r
}

// completeCommandLine completes commands, their arguments and file names in lines for the shell; ok is false where the
// cursor is in Go. Offsets are those of code.
func (s *Local) completeCommandLine(code string, cursor int) (c Completion, ok bool) {
	if whole := strings.TrimLeft(code, " \t\n"); strings.HasPrefix(whole, "%%") {
		at := len(code) - len(whole)
		end := at + len(whole)
		if i := strings.IndexByte(whole, '\n'); i >= 0 {
			end = at + i
		}
		if cursor > end || cursor < at {
			return Completion{}, false // the body is Go
		}
	}
	start := strings.LastIndexByte(code[:cursor], '\n') + 1
	line := code[start:cursor]
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	start, line = start+indent, line[indent:]
	if line == "" || line[0] != '%' && line[0] != '!' || !strings.HasPrefix(strings.TrimSpace(code), "%%") &&
		!s.commandAt(code, start) {
		return Completion{}, false
	}
	if line[0] == '!' {
		if !s.isShell(strings.TrimSpace(line)) {
			return Completion{}, false
		}
		return shifted(completeFile(s, line[1:]), start+1), true
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return commandMatches(line, start, cursor), true
	}
	cmd := commandNames[strings.TrimLeft(line[:i], "%")]
	if cmd == nil || cmd.Complete == nil {
		return Completion{Start: cursor, End: cursor}, true
	}
	return shifted(cmd.Complete(s, line[i+1:]), start+i+1), true
}

// commandAt reports whether a line that begins at start may be a command: Go is between two statements there.
func (s *Local) commandAt(code string, start int) bool {
	begun := 0
	lines := strings.Split(code[:start], "\n")
	for i, l := range lines {
		if t := strings.TrimSpace(l); t != "" && (t[0] == '%' || t[0] == '!') &&
			between(strings.Join(lines[begun:i], "\n")) {
			begun = i + 1
		}
	}
	return between(strings.Join(lines[begun:], "\n"))
}

func shifted(c Completion, by int) Completion {
	c.Start += by
	c.End += by
	return c
}

// lastWord is where the word begins that args end with.
func lastWord(args string) int { return strings.LastIndexAny(args, " \t\n") + 1 }

// words completes the last word of args from a list.
func words(args, kind string, list []string) Completion {
	at := lastWord(args)
	r := Completion{Start: at, End: len(args)}
	for _, w := range list {
		if strings.HasPrefix(w, args[at:]) {
			r.Matches = append(r.Matches, Match{Text: w, Kind: kind})
		}
	}
	return r
}

func completeCommandName(_ *Local, args string) Completion {
	if strings.HasPrefix(args, "%") {
		return commandMatches(args, 0, len(args))
	}
	c := commandMatches("%"+args, 0, len(args))
	for i := range c.Matches {
		c.Matches[i].Text = c.Matches[i].Text[1:]
	}
	return c
}

// completeName completes names of the session.
func completeName(s *Local, args string) Completion {
	at := lastWord(args)
	r := Completion{Start: at, End: len(args)}
	for _, n := range s.current().Names() {
		if n.Kind != "package" && strings.HasPrefix(n.Name, args[at:]) {
			r.Matches = append(r.Matches, Match{Text: n.Name, Kind: n.Kind, Signature: n.Type})
		}
	}
	slices.SortFunc(r.Matches, func(a, b Match) int { return strings.Compare(a.Text, b.Text) })
	return r
}

// completeGo completes Go, after the options that may stand before it.
func completeGo(s *Local, args string) Completion {
	skip := 0
	for {
		rest := args[skip:]
		word, _, more := strings.Cut(rest, " ")
		if !more || !strings.HasPrefix(word, "-") {
			break
		}
		skip += len(word) + 1
		if word == "-n" || word == "-r" {
			if number, _, more := strings.Cut(args[skip:], " "); more {
				skip += len(number) + 1
			}
		}
	}
	return shifted(s.complete(args[skip:], len(args)-skip), skip)
}

func completeImport(s *Local, args string) Completion {
	return words(args, "package", s.current().Packages())
}

func completeEnv(_ *Local, args string) Completion {
	var names []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	if strings.ContainsAny(args, "= ") {
		return Completion{Start: len(args), End: len(args)}
	}
	return words(args, "variable", names)
}

func completeFile(_ *Local, args string) Completion { return files(args, false) }
func completeDir(_ *Local, args string) Completion  { return files(args, true) }

// files completes the path that args end with.
func files(args string, folders bool) Completion {
	at := lastWord(args)
	word := args[at:]
	dir, prefix := filepath.Split(word)
	r := Completion{Start: at, End: len(args)}
	folder := expand(dir + ".")
	f, err := os.Open(folder)
	if err != nil {
		return r
	}
	defer f.Close()
	list, _ := f.ReadDir(maxFiles) // as many as can be read
	for _, e := range list {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, ".") && prefix == "" ||
			strings.ContainsAny(name, " \t") {
			continue
		}
		isDir := isFolder(folder, e)
		kind := "file"
		if isDir {
			name, kind = name+"/", "folder"
		} else if folders {
			continue
		}
		r.Matches = append(r.Matches, Match{Text: dir + name, Kind: kind})
	}
	slices.SortFunc(r.Matches, func(a, b Match) int { return strings.Compare(a.Text, b.Text) })
	return r
}
