package modules

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gorocm/gorocm/internal/owned"
)

// What sessions leave for later ones is in files of a folder beside theirs. A file is named after its key, and ends
// with a hash of the key and of its content: one that is not whole, or of another key, is never used, nor one that
// another user owns or everybody may write to.

// store is such a folder. Without a name it is empty.
type store struct{ dir string }

// maxEntry is more than any file of a store has.
const maxEntry = 64 << 20

// The files of a store take maxStore bytes at most, up to what the sessions of an hour add: then those that were not
// used for longest are removed until keepStore are left.
const (
	maxStore  = 512 << 20
	keepStore = 384 << 20
)

// touchAfter is how long the time of a file's last use may be out of date.
const touchAfter = time.Hour

func (s *store) file(k key) string { return filepath.Join(s.dir, string(k)) }

// read returns the content of the file of a key, nil where there is none that can be used. The header says what it is.
func (s *store) read(k key, header string) []byte {
	if s.dir == "" || k == "" || owned.Check(s.dir) != nil {
		return nil
	}
	f, err := os.Open(s.file(k))
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxEntry || !owned.IsOurs(f) ||
		st.Mode().Perm()&0o002 != 0 && runtime.GOOS != "windows" { // which has no such permissions
		return nil
	}
	data := make([]byte, st.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil
	}
	if time.Since(st.ModTime()) > touchAfter {
		now := time.Now()
		_ = os.Chtimes(f.Name(), now, now) // a file that is used stays
	}
	return parseEntry(k, header, data)
}

// parseEntry takes the header and the hash away, nil where they are not those of the key.
func parseEntry(k key, header string, data []byte) []byte {
	n := len(data) - 2*sha256.Size - 1
	if n < 0 {
		return nil
	}
	content, ok := bytes.CutPrefix(data[:n], []byte(header))
	if !ok || string(data[n:]) != entrySum(k, header, content) {
		return nil
	}
	return content
}

func entrySum(k key, header string, content []byte) string {
	h := sha256.New()
	h.Write([]byte(header + string(k) + "\n"))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil)) + "\n"
}

// entry is the text of a file.
func entry(k key, header string, content []byte) []byte {
	return slices.Concat([]byte(header), content, []byte(entrySum(k, header, content)))
}

// write makes the file of a key. It serves later sessions only, so an error is not one of this session.
func (s *store) write(k key, header string, content []byte) {
	if s.dir == "" || k == "" || len(content) > maxEntry/2 || os.MkdirAll(s.dir, 0o755) != nil ||
		owned.Check(s.dir) != nil {
		return
	}
	f, err := os.CreateTemp(s.dir, "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(entry(k, header, content))
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), s.file(k)) != nil {
		_ = os.Remove(f.Name())
	}
}

// trim removes the files that were not used for longer than keep, and, of more than most bytes, those that were not
// used for longest until rest are left.
func (s *store) trim(most, rest int64) {
	type used struct {
		name string
		size int64
		at   time.Time
	}
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return // there is none
	}
	var all []used
	sum := int64(0)
	for _, e := range list {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // another session may be doing the same
		}
		u := used{filepath.Join(s.dir, e.Name()), info.Size(), info.ModTime()}
		if time.Since(u.at) > keep {
			_ = os.Remove(u.name)
			continue
		}
		all, sum = append(all, u), sum+u.size
	}
	if sum <= most {
		return
	}
	slices.SortFunc(all, func(a, b used) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.name, b.name)) })
	for _, u := range all {
		if sum <= rest {
			return
		}
		_ = os.Remove(u.name)
		sum -= u.size
	}
}

// writer writes numbers and texts, and reader reads them.
type writer struct{ data []byte }

func (w *writer) number(n int) { w.data = binary.AppendUvarint(w.data, uint64(n)) }

func (w *writer) text(s string) {
	w.number(len(s))
	w.data = append(w.data, s...)
}

func (w *writer) span(s span) {
	w.number(s.start)
	w.number(s.end)
}

func (w *writer) ints(list []int) {
	w.number(len(list))
	for _, n := range list {
		w.number(n)
	}
}

// reader reads what a writer has written. After a failure it reads zeros.
type reader struct {
	data   []byte
	failed bool
}

// done reports whether all has been read without a failure.
func (r *reader) done() bool { return !r.failed && len(r.data) == 0 }

func (r *reader) number() int {
	n, size := binary.Uvarint(r.data)
	if r.failed || size <= 0 || n > maxEntry {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

// count reads a number of things that take a byte each at least.
func (r *reader) count() int {
	n := r.number()
	if n > len(r.data) {
		r.failed, r.data = true, nil
		return 0
	}
	return n
}

func (r *reader) bytes() []byte {
	n := r.count()
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) span() span {
	s := span{r.number(), r.number()}
	if s.start > s.end {
		r.failed = true
	}
	return s
}

func (r *reader) ints() []int {
	list := []int{}
	for range r.count() {
		list = append(list, r.number())
	}
	return list
}
