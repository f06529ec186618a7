package modules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/internal/self"
)

// A record tells that a package has been checked with all its bodies, in which order its variables are initialised,
// which depends on them, where the bodies are, and the values of tables. It is named after its key: a hash of the
// package's source and settings, of the keys of all that it imports, and of the program that has checked it.

// key names a package's content; empty where it cannot be told.
type key string

// records are those of a folder. Without one there are none.
type records struct {
	store
	work work
}

// work counts what was done.
type work struct {
	listed   atomic.Int64 // runs of the go command to list packages
	whole    atomic.Int64 // packages that were parsed and checked whole
	outlined atomic.Int64 // and those without what their records tell
}

// record is what is known of a package that was checked as a whole.
type record struct {
	order []int      // of initialisers: see orderOf
	sizes [3]int     // of the maps of types.Info: Types, Defs, Uses
	files []outlined // in the order of Package.Files
}

// outlined is what is left out of a file.
type outlined struct {
	bodies []body
	tables []table
}

// recordHeader begins a record: its number changes with what a record means.
const recordHeader = "gorocm checked 2\n"

// program is what tells this program from others, as far as checking goes.
var program = sync.OnceValue(func() string {
	s := runtime.Version() + " " + runtime.GOARCH
	if b, ok := debug.ReadBuildInfo(); ok {
		s += "\n" + b.String()
	}
	exe, err := self.File()
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

// known returns the record of a package's key, nil where there is none that fits the files.
func (r *records) known(k key, sources []*source) *record {
	data := r.read(k, recordHeader)
	if data == nil {
		return nil
	}
	rec := parseRecord(data)
	if rec == nil || len(rec.files) != len(sources) {
		return nil
	}
	for i, f := range rec.files {
		if !f.fits(sources[i].text) {
			return nil
		}
	}
	return rec
}

// fits reports whether what is left out lies between braces of the text, one after the other.
func (f *outlined) fits(text []byte) bool {
	for _, b := range f.bodies {
		if b.end > len(text) || b.end-b.start < 2 || text[b.start] != '{' || text[b.end-1] != '}' {
			return false
		}
	}
	for _, t := range f.tables {
		if t.start < 1 || t.end >= len(text) || text[t.start-1] != '{' || text[t.end] != '}' ||
			t.room(text) < 0 {
			return false
		}
	}
	return true
}

// recordData is a record as a file has it.
func recordData(r *record) []byte {
	var w writer
	w.ints(r.order)
	for _, n := range r.sizes {
		w.number(n)
	}
	w.number(len(r.files))
	for _, f := range r.files {
		w.number(len(f.bodies))
		for _, b := range f.bodies {
			w.number(b.function)
			w.span(b.span)
		}
		w.number(len(f.tables))
		for _, t := range f.tables {
			w.text(t.name)
			w.span(t.span)
			w.text(t.length)
			w.text(string(t.data))
		}
	}
	return w.data
}

// parseRecord reads what recordData has written, nil for anything else.
func parseRecord(data []byte) *record {
	r := reader{data: data}
	rec := &record{order: r.ints(), sizes: [3]int{r.number(), r.number(), r.number()}}
	for range r.count() {
		var f outlined
		for range r.count() {
			f.bodies = append(f.bodies, body{r.number(), r.span()})
		}
		for range r.count() {
			f.tables = append(f.tables, table{name: r.text(), span: r.span(), length: r.text(), data: r.bytes()})
		}
		rec.files = append(rec.files, f)
	}
	if !r.done() {
		return nil
	}
	return rec
}
