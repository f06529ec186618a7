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
	saved := s.succeeded(func(cell int) bool { return len(numbers) == 0 || within(numbers, cell) })
	if len(saved) == 0 {
		return c.failed(errNothingToSave)
	}
	path := expand(name)
	_, force := set['f']
	if st, err := os.Stat(path); strings.HasSuffix(path, "/") || err == nil && st.IsDir() {
		chosen := s.succeededGo(func(cell int) bool { return len(numbers) == 0 || within(numbers, cell) })
		return c.saveModule(path, rest, chosen, force)
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
	default:
		return c.wrong("%s is neither a .go nor an .ipynb file", path)
	}
	if e := c.writeSaved(path, rest, data, force); e != nil {
		return e
	}
	s.print("%s: %s, %d lines\n", path, count(len(saved), "cell"), bytes.Count(data, []byte("\n")))
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

// succeeded lists the chosen cells that have run Go without an error since the last reset, as they were typed.
func (s *Local) succeeded(chosen func(cell int) bool) (list []cells.Cell) {
	typed := map[int]string{}
	s.mu.Lock()
	for _, h := range s.history.Values() {
		typed[h.Number] = h.Code
	}
	s.mu.Unlock()
	skip := map[int]bool{} // cells that failed or that are in the list
	for _, r := range s.ran.Values() {
		skip[r.Number] = skip[r.Number] || r.Failed && r.Number > 0
	}
	for _, r := range s.ran.Values() {
		if r.Failed || r.Aside || skip[r.Number] || !chosen(r.Number) {
			continue
		}
		text := r.Code
		if r.Number > 0 {
			skip[r.Number], text = true, typed[r.Number]
		}
		list = append(list, cells.Cell{Kind: cells.Code, Source: strings.Trim(text, "\n")})
	}
	return list
}

// succeededGo lists the Go of the chosen cells that have run without an error since the last reset.
func (s *Local) succeededGo(chosen func(cell int) bool) (list []string) {
	failed := map[int]bool{}
	for _, r := range s.ran.Values() {
		failed[r.Number] = failed[r.Number] || r.Failed && r.Number > 0
	}
	for _, r := range s.ran.Values() {
		if !r.Failed && !failed[r.Number] && chosen(r.Number) {
			list = append(list, r.Code)
		}
	}
	return list
}

func cellLabel(n int) string { return fmt.Sprintf("cell[%d]", n) }
