package repl

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/cells"
	"github.com/gorocm/gorocm/repl/golang"
)

// completeCell completes Go in a cell. Lines with commands count as empty.
func (s *Local) completeCell(code string, cursor int) Completion {
	c := s.current().Complete(s.onlyGo(code), cursor)
	r := s.matches(c)
	if c.Imports && !strings.HasPrefix(strings.TrimSpace(code), "%") {
		// What is put in is the import as well: the matches replace all that stands before.
		for i, m := range r.Matches {
			r.Matches[i].Text = "import " + strconv.Quote(m.Import) + "\n" + code[:r.Start] + m.Text
		}
		r.Start = 0
	} else if c.Imports {
		r.Matches = nil
	}
	return r
}

// complete completes Go that is not a cell of its own.
func (s *Local) complete(code string, cursor int) Completion {
	c := s.current().Complete(code, cursor)
	if c.Imports {
		c.Matches = nil
	}
	return s.matches(c)
}

// matches is what a front end sees of the engine's completion; inside a string there are files and devices besides.
func (s *Local) matches(c golang.Completion) Completion {
	r := Completion{Start: c.Start, End: c.End, Hint: c.Hint}
	for _, m := range c.Matches {
		r.Matches = append(r.Matches, Match(m))
	}
	if c.Index != nil {
		keys := mapKeys(s.current(), c.Index)
		for i := range keys {
			keys[i].Text = `"` + keys[i].Text + `"`
		}
		r.Matches = append(keys, r.Matches...)
	}
	if c.Text != nil {
		r.Start, r.End = c.Text.Start, c.Text.End
		if takesDevice[c.Text.Func] && c.Text.Param == 0 {
			r.Matches = deviceNames(c.Text.Before)
			return r
		}
		if c.Text.Map != "" {
			r.Matches = mapKeys(s.current(), c.Text)
			return r
		}
		start, matches := completePath(c.Text)
		r.Start, r.Matches = start, matches
	}
	return r
}

// maxKeys is how many keys of a map are looked at.
const maxKeys = 1000

// mapKeys completes a key of a map that a variable holds.
func mapKeys(e *golang.Engine, t *golang.Text) (r []Match) {
	for _, key := range e.Keys(t.Map, maxKeys) {
		if strings.HasPrefix(key, t.Before) && (!t.Raw || !strings.Contains(key, "`")) {
			r = append(r, Match{Text: t.Written(key), Kind: "key"})
		}
	}
	return r
}

// takesDevice are the functions whose first argument names a device.
var takesDevice = map[string]bool{modulePath + "/repl/prelude.Device": true, modulePath + "/tensor.NewDevice": true}

func deviceNames(prefix string) (r []Match) {
	for _, d := range []Match{{Text: "auto", Kind: "device", Doc: "The AMD or NVIDIA GPU that is there, else the host."},
		{Text: "rocm", Kind: "device",
			Doc: "The first AMD GPU, or an emulated gfx1100 where there is none."},
		{Text: "cpu", Kind: "device", Doc: "The host."}, {Text: "cuda", Kind: "device", Doc: "The first NVIDIA GPU."}} {
		if strings.HasPrefix(d.Text, prefix) {
			r = append(r, d)
		}
	}
	return r
}

// maxFiles bounds how many entries of a folder are looked at: a folder may be large, and slow.
const maxFiles = 2000

// completePath completes the last element of a path in a string, and returns where that begins. A string that has
// nothing of a path yet is completed only where the function's parameter is one.
func completePath(t *golang.Text) (start int, r []Match) {
	start = t.Start
	dir, prefix := filepath.Split(t.Before)
	if dir == "" && !isPathParam(t) && (prefix == "" || !strings.HasPrefix(prefix, ".") &&
		!strings.HasPrefix(prefix, "~") && len(prefix) < 2) {
		return start, nil
	}
	home := ""
	if h, err := os.UserHomeDir(); err == nil && (dir == "~/" || strings.HasPrefix(dir, "~/")) {
		home = h
	}
	real := dir
	if home != "" {
		real = home + dir[1:]
	}
	f, err := os.Open(real + ".")
	if err != nil {
		return start, nil
	}
	defer f.Close()
	list, _ := f.ReadDir(maxFiles) // as many as can be read
	for _, e := range list {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || strings.HasPrefix(name, ".") && prefix == "" {
			continue
		}
		kind := "file"
		if isFolder(real, e) {
			name, kind = name+"/", "folder"
		}
		r = append(r, Match{Text: t.Written(dir + name), Kind: kind})
	}
	sortMatches(r)
	return start, r
}

// isFolder follows links.
func isFolder(dir string, e os.DirEntry) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	to, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && to.IsDir()
}

// isPathParam reports whether the string is an argument that its parameter's name, or its package, makes a path.
func isPathParam(t *golang.Text) bool {
	name := strings.ToLower(t.Name)
	for _, w := range []string{"path", "file", "filename", "dir", "folder", "root"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return strings.HasPrefix(t.Func, "os.") && (name == "name" || name == "oldname" || name == "newname" ||
		name == "elem")
}

// onlyGo makes lines with commands and for the shell spaces, so that everything else stays where it is. Of commands
// that run Go the Go stays.
func (s *Local) onlyGo(code string) string {
	if blanked, _, ok := cells.Program(code); ok {
		return blanked
	}
	if !strings.ContainsAny(code, "%!") {
		return code
	}
	b := []byte(code)
	for at := 0; at < len(code); {
		end := at + strings.IndexByte(code[at:]+"\n", '\n')
		line := strings.TrimLeft(code[at:end], " \t")
		start := end - len(line)
		switch {
		case line == "" || line[0] != '%' && line[0] != '!':
		case strings.HasPrefix(line, "%%") && strings.TrimSpace(code[:start]) == "":
			keepCode(b[start:end], line, true)
		case !s.commandAt(code, start):
		case line[0] == '!':
			if s.isShell(strings.TrimSpace(line)) {
				for strings.HasSuffix(strings.TrimSpace(code[start:end]), "\\") && end < len(code) { // it goes on below
					end += 1 + strings.IndexByte(code[end+1:]+"\n", '\n')
				}
				blankLines(b[start:end])
			}
		default:
			keepCode(b[start:end], line, false)
		}
		at = end + 1
	}
	return string(b)
}

func blankLines(b []byte) {
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}
