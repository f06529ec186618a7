package modules

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A record tells that a package has been checked with all its bodies, and in which order its variables are initialised,
// which depends on them. It is a file beside the folders of sessions, named after its key: a hash of the package's
// source and settings, of the keys of all that it imports, and of the program that has checked it. A file that is not
// whole, or of another key, is never used.

// key names a package's content; empty where it cannot be told.
type key string

// records are those of a folder. Without one there are none.
type records struct {
	dir   string
	whole atomic.Int64 // how many packages were checked with their bodies
}

// recordHeader begins a record: its number changes with what a record means.
const recordHeader = "gorocm checked 1\n"

// program is what tells this program from others, as far as checking goes.
var program = sync.OnceValue(func() string {
	s := runtime.Version() + " " + runtime.GOARCH
	if b, ok := debug.ReadBuildInfo(); ok {
		s += "\n" + b.String()
	}
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s\n%d %d", s, st.Size(), st.ModTime().UnixNano())
})

// startKey begins the key of a package with what is not in its files.
func startKey(p *Package) hash.Hash {
	h := sha256.New()
	fmt.Fprintf(h, "%s%s\n%q %q %q %q %v\n%q\n", recordHeader, program(), p.Path, p.Module, p.Version, p.GoVersion,
		p.Portable, p.Embedded)
	for _, o := range p.Obstacles {
		fmt.Fprintf(h, "%q %q %d %q %v\n", o.Name, o.File, o.Line, o.Why, o.StandIn)
	}
	return h
}

// addFile adds a file to a key.
func addFile(h hash.Hash, name string, src []byte) {
	fmt.Fprintf(h, "%q %d\n", name, len(src))
	h.Write(src)
}

// endKey completes a key by those of the imports, one of which may be unknown.
func endKey(h hash.Hash, imports []string, keyOf func(path string) key) key {
	if program() == "" {
		return ""
	}
	for _, path := range imports {
		k := keyOf(path)
		if k == "" {
			return ""
		}
		fmt.Fprintf(h, "%q %s\n", path, k)
	}
	return key(hex.EncodeToString(h.Sum(nil)))
}

func (r *records) file(k key) string { return filepath.Join(r.dir, string(k)) }

// read returns what the record of a key tells, false where there is no such record.
func (r *records) read(k key) ([]int, bool) {
	if r.dir == "" || k == "" {
		return nil, false
	}
	f, err := os.Open(r.file(k))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err != nil {
		return nil, false
	}
	if st, err := f.Stat(); err == nil && time.Since(st.ModTime()) > keep/2 {
		now := time.Now()
		_ = os.Chtimes(f.Name(), now, now) // a record that is used stays
	}
	return parseRecord(k, data)
}

// maxRecord is more than any package's record has.
const maxRecord = 1 << 20

// parseRecord reads the record of a key.
func parseRecord(k key, data []byte) ([]int, bool) {
	text, ok := bytes.CutPrefix(data, []byte(recordHeader))
	if !ok {
		return nil, false
	}
	numbers, sum, ok := bytes.Cut(text, []byte("\n"))
	if !ok || string(sum) != recordSum(k, string(numbers)) {
		return nil, false
	}
	order := []int{}
	for _, w := range strings.Fields(string(numbers)) {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, false
		}
		order = append(order, n)
	}
	return order, true
}

func recordSum(k key, numbers string) string {
	s := sha256.Sum256([]byte(recordHeader + string(k) + "\n" + numbers))
	return hex.EncodeToString(s[:]) + "\n"
}

// recordText is a record.
func recordText(k key, order []int) string {
	var words []string
	for _, n := range order {
		words = append(words, strconv.Itoa(n))
	}
	numbers := strings.Join(words, " ")
	return recordHeader + numbers + "\n" + recordSum(k, numbers)
}

// write makes a record. It serves later sessions only, so an error is not one of this session.
func (r *records) write(k key, order []int) {
	if r.dir == "" || k == "" || os.MkdirAll(r.dir, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(r.dir, "new-*")
	if err != nil {
		return
	}
	_, err = f.WriteString(recordText(k, order))
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), r.file(k)) != nil {
		_ = os.Remove(f.Name())
	}
}
