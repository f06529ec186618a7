package repl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// checkpointFile is the file of %checkpoint and %restore without an argument.
const checkpointFile = "gorocm.checkpoint"

// checkpoint writes the session to a file.
func (c *Call) checkpoint() *Error {
	s := c.session
	set, rest, wrong := c.options("a")
	if wrong != nil {
		return wrong
	}
	if rest == "off" {
		s.checkpoints.end()
		s.sink.event(Event{Kind: Notice, Text: "no checkpoints are written by themselves any more"})
		return nil
	}
	path := checkpointFile
	if rest != "" {
		path = expand(rest)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return c.failed(err)
	}
	start := time.Now()
	header, finish, err := s.checkpoints.write(path)
	if err == nil {
		err = finish()
	}
	if err != nil {
		return c.failed(err)
	}
	text := fmt.Sprintf("%s: %s", path, names(header.Vars))
	if st, err := os.Stat(path); err == nil {
		text += fmt.Sprintf(", %s in %v", size(st.Size()), time.Since(start).Round(time.Millisecond))
	}
	if _, ok := set['a']; ok {
		s.checkpoints.file, s.checkpoints.last, s.checkpoints.fresh = path, time.Now(), true
		text += "; from now on it is written again after cells, at most every " + autoEvery.String()
	}
	s.print("%s\n", text)
	s.checkpoints.tellLost(header)
	return nil
}

// names lists variables.
func names(vars []checkpoint.Variable) string {
	if len(vars) == 0 {
		return "no variables"
	}
	const most = 20
	var list []string
	for _, v := range vars[:min(len(vars), most)] {
		list = append(list, v.Name)
	}
	if more := len(vars) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// tellLost tells what is not kept.
func (a *checkpoints) tellLost(h checkpoint.Header) {
	for _, l := range h.Lost {
		text := fmt.Sprintf("%s (%s) is not kept: %s", l.Name, l.Type, l.Why)
		if l.Cell != "" {
			text += "; " + l.Cell + " has made it"
		}
		a.notice(text)
	}
	for _, l := range h.Left {
		a.notice(l.Name + " is not kept: " + l.Why)
	}
}

// write writes the session to a new file. finish brings it to the disk and gives it its name; it may be
// called while cells run.
func (a *checkpoints) write(path string) (h checkpoint.Header, finish func() error, err error) {
	e := a.session.current()
	defer e.Goroutines().Hold()()
	h = checkpoint.Header{Version: a.session.opt.Version, Random: a.generators()}
	w, err := fill(e, &h)
	if err != nil {
		return h, nil, err
	}
	originsOf(a.session, e, h.Lost)
	if err := owned.Replaceable(path); err != nil {
		return h, nil, err
	}
	f, err := checkpointBeside(path)
	if err != nil {
		return h, nil, openError(err)
	}
	if err := w.Write(f, h); err != nil {
		return h, nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return h, func() error {
		defer f.Close() // another session takes it for its own from then on, unless it has its name
		if err := f.Sync(); err != nil {
			return errors.Join(err, os.Remove(f.Name()))
		}
		return os.Rename(f.Name(), path)
	}, nil
}

// checkpointBeside makes a file, for its owner only, that is to be renamed to path. It is locked while it is open.
// Files like it that nobody has open are removed: sessions have left them that were killed.
func checkpointBeside(path string) (*os.File, error) {
	folder, begin := filepath.Dir(path), "."+filepath.Base(path)+"."
	entries, _ := os.ReadDir(folder) // what is wrong with it is told below
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), begin)
		if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
			continue
		}
		if f, err := os.OpenFile(filepath.Join(folder, e.Name()), os.O_RDWR, 0); err == nil {
			st, err := f.Stat()
			if err == nil && time.Since(st.ModTime()) > leftAfter && lock(f) == nil {
				_ = os.Remove(f.Name()) // if it cannot be removed it stays
			}
			f.Close()
		}
	}
	f, err := os.CreateTemp(folder, begin+"*")
	if err == nil {
		_ = lock(f) // on a file system without locks it counts as left after a while
	}
	return f, err
}

// leftAfter is how long nobody must have written to a file that is removed: locks come a moment after files.
const leftAfter = time.Minute
