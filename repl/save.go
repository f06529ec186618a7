package repl

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/repl/cells"
)

var errNothingToSave = errors.New("there is nothing to save: " +
	"nothing has run without an error in these cells since the session began or was reset")

var errNoGoToSave = errors.New("there is nothing to save: " +
	"no Go has run without an error in these cells since the session began or was reset")

// save writes the cells of the session that have succeeded, in order: as Go with a // %% line above each cell, or as a
// notebook.
func (c *Call) save() *Error {
	s := c.session
	set, rest, wrong := c.options("f")
	if wrong != nil {
		return wrong
	}
	name, list := firstWord(rest)
	if name == "" {
		return c.wrong("a file is missing")
	}
	numbers, err := spans(list)
	if err != nil {
		return c.wrong("%v", err)
	}
	chosen := func(cell int) bool { return len(numbers) == 0 || within(numbers, cell) }
	path := expand(name)
	_, force := set['f']
	if st, err := os.Stat(path); strings.HasSuffix(path, "/") || err == nil && st.IsDir() {
		text := s.succeededGo(chosen)
		if len(text) == 0 {
			return c.failed(errNoGoToSave)
		}
		return c.saveModule(path, rest, text, force)
	}
	saved := s.succeeded(chosen)
	if len(saved) == 0 {
		return c.failed(errNothingToSave)
	}
	if filepath.Ext(path) == "" {
		path += ".go"
	}
	var data []byte
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ipynb":
		var b bytes.Buffer
		if err := cells.WriteNotebook(&b, cells.File{Cells: saved}, nil); err != nil {
			return c.failed(err)
		}
		data = b.Bytes()
	case ".go":
		data = cells.Format(saved)
		if e := readAgain(c, path, data, saved); e != nil {
			return e
		}
	default:
		return c.wrong("%s is neither a .go nor an .ipynb file", path)
	}
	if e := c.writeSaved(path, rest, data, force); e != nil {
		return e
	}
	s.print("%s: %s, %d lines\n", path, count(len(saved), "cell"), bytes.Count(data, []byte("\n")))
	return nil
}

// readAgain refuses a file that would be read as other cells: one of them has a line that begins a cell, or is a
// program.
func readAgain(c *Call, path string, data []byte, saved []cells.Cell) *Error {
	if _, _, whole := cells.Program(saved[0].Source); whole && len(saved) == 1 {
		return nil
	}
	file, err := cells.Parse(path, data)
	if err != nil {
		return c.failed(err)
	}
	meant := func(text string) string {
		if !strings.HasPrefix(strings.TrimSpace(text), "%%") {
			text = strings.ReplaceAll(text, "\r\n", "\n") // Go reads both alike
		}
		return strings.TrimSpace(text)
	}
	for i, cell := range saved {
		if i < len(file.Cells) && meant(cell.Source) == meant(file.Cells[i].Source) {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSpace(cell.Source), "\n")
		e := c.failed(fmt.Errorf("the cell that begins with %q cannot be in a file of Go with // %%%% lines as it is: it has a line "+
			"that begins a cell, or a carriage return", first))
		e.Notes = []string{"%save FILE.ipynb holds every cell"}
		return e
	}
	return nil
}

// writeSaved writes a file of %save.
func (c *Call) writeSaved(path, rest string, data []byte, force bool) *Error {
	if force {
		if err := replaceFile(path, data); err != nil {
			return c.failed(openError(err))
		}
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		e := c.failed(fmt.Errorf("%s already exists", path))
		e.Notes = []string{"%save -f " + rest + " replaces it"}
		return e
	}
	if err != nil {
		return c.failed(openError(err))
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return c.failed(errors.Join(err, os.Remove(path)))
	}
	return nil
}

// replaceFile writes a file beside the one that it replaces, with that one's mode: what goes wrong leaves the old one.
func replaceFile(path string, data []byte) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	old, err := os.Stat(path)
	if err != nil {
		return os.WriteFile(path, data, 0o666) // there is none
	}
	if err := owned.Replaceable(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".gorocm-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(old.Mode().Perm()), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// saveModule writes cells as a program in a module of its own, which go build takes.
func (c *Call) saveModule(dir, rest string, text []string, force bool) *Error {
	s := c.session
	files, missing, replaced, err := s.current().Program(filepath.Base(filepath.Clean(dir)), text)
	if err != nil {
		e := c.failed(err)
		e.Notes = []string{"%save FILE.go writes the cells as they are; CELLS behind the folder choose some of them"}
		return e
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return c.failed(openError(err))
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil && !force {
			e := c.failed(fmt.Errorf("%s already exists", filepath.Join(dir, name)))
			e.Notes = []string{"%save -f " + rest + " replaces it"}
			return e
		}
	}
	for _, name := range names {
		if e := c.writeSaved(filepath.Join(dir, name), rest, files[name], force); e != nil {
			return e
		}
	}
	s.print("%s: %s of %s\n", filepath.Clean(dir), strings.Join(names, ", "), count(len(text), "cell"))
	if len(replaced) > 0 {
		s.sink.event(Event{Kind: Notice, Text: "declared again after statements have run; the program has the last of it from " +
			"its beginning: " + strings.Join(replaced, ", ")})
	}
	if len(missing) > 0 {
		s.sink.event(Event{Kind: Notice, Text: "go mod tidy, in that folder, adds the checksums of " +
			strings.Join(missing, ", ")})
	}
	return nil
}

// unsaved are the commands that say something of the session's cells, or look at them: a cell that is one of them alone
// is not saved.
var unsaved = map[string]bool{"save": true, "edit": true, "load": true, "history": true, "break": true, "debug": true,
	"trace": true}

// succeeded lists the chosen cells that have run without an error since the last reset, as they were typed, and those
// that %replay has run for it.
func (s *Local) succeeded(chosen func(cell int) bool) (list []cells.Cell) {
	s.mu.Lock()
	past := s.history.Values()
	s.mu.Unlock()
	add := func(text string) {
		list = append(list, cells.Cell{Kind: cells.Code, Source: strings.Trim(text, "\n")})
	}
	at := map[int]int{}
	for i, p := range past {
		at[p.Number] = i
	}
	for _, r := range s.ran.Values() {
		i, known := at[r.Number]
		switch {
		case !chosen(r.Number) || r.Number > 0 && !(r.Cell && known):
		case r.Number == 0:
			if !r.Failed {
				add(r.Code)
			}
		default:
			for _, p := range withoutReplay(s, past[:i], past[i]) {
				add(p.Code)
			}
		}
	}
	return list
}

// withoutReplay is a cell as it is saved: nothing for a command that looks at cells, and for %replay the cells that it
// has run.
func withoutReplay(s *Local, past []Past, p Past) (list []Past) {
	parts := s.parts(p.Code)
	if len(parts) != 1 || parts[0].command == "" {
		return []Past{p}
	}
	c := commandNames[parts[0].command]
	switch {
	case c == nil:
	case unsaved[c.Name]:
		return nil
	case c.Name == "replay":
		numbers, err := spans(parts[0].args)
		if err != nil {
			return nil
		}
		for _, old := range replayed(past, numbers, p.Life) {
			i := slices.IndexFunc(past, func(p Past) bool { return p.Number == old.Number })
			list = append(list, withoutReplay(s, past[:i], old)...)
		}
		return list
	}
	return []Past{p}
}

// succeededGo lists the Go of the chosen cells that have run without an error since the last reset.
func (s *Local) succeededGo(chosen func(cell int) bool) (list []string) {
	failed := map[int]bool{}
	for _, r := range s.ran.Values() {
		failed[r.Number] = failed[r.Number] || r.Failed && r.Number > 0
	}
	for _, r := range s.ran.Values() {
		if !r.Failed && !r.Cell && !failed[r.Number] && chosen(r.Number) {
			list = append(list, r.Code)
		}
	}
	return list
}

func cellLabel(n int) string { return fmt.Sprintf("cell[%d]", n) }
