package modules

import (
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// onDisk is a package whose variables are initialised in an order that the bodies of its functions decide.
func onDisk(t *testing.T, dir, first string) Package {
	t.Helper()
	file := filepath.Join(dir, "p.go")
	src := `package p

var first = f()
var second = g()
var third = 1

func f() int { return ` + first + ` }
func g() int { return third }

type T struct{}

func (t *T) M() int { return f() + g() }
`
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	return Package{Path: "example.com/p", Name: "p", Dir: dir, Module: "example.com/p", Version: "v1.0.0",
		GoVersion: "go1.26", Files: []string{file}}
}

// TestRecords: a package is checked whole once, and again where its content, or its record, is not what it was. The
// order of its variables is the same each time.
func TestRecords(t *testing.T) {
	src, dir := t.TempDir(), filepath.Join(t.TempDir(), "checked")
	check := func(first string, whole int64, order string) *Checked {
		t.Helper()
		r := &records{store: store{dir: dir}}
		c, err := checkAll(token.NewFileSet(), []Package{onDisk(t, src, first)}, importer.Default(), r)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, i := range c[0].Info.InitOrder {
			names = append(names, i.Lhs[0].Name())
		}
		if got := strings.Join(names, " "); got != order || r.work.whole.Load() != whole {
			t.Errorf("order %s, want %s; %d checked whole, want %d", got, order, r.work.whole.Load(), whole)
		}
		for _, d := range c[0].Syntax[0].Decls {
			if fd, ok := isDeferred(d); ok {
				t.Errorf("%s has its body", fd.Name.Name)
			}
		}
		return c[0]
	}
	check("second", 1, "third second first")
	c := check("second", 0, "third second first")
	for fd := range c.left.funcs {
		fn, info, err := c.Body(fd)
		if err != nil || len(fn.Body.List) != 1 || info.Defs[fn.Name].(*types.Func).Signature().Results().Len() != 1 {
			t.Error(fd.Name.Name, err)
		}
	}
	damaged := filepath.Join(dir, string(c.key))
	intact := filepath.Join(dir, string(check("1", 1, "first third second").key)) // other content
	check("1", 0, "first third second")
	one, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(intact)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range [][]byte{nil, one[:len(one)-1], append(slices.Clone(one), 'x'), []byte("0 1 2\n"), other} {
		if err := os.WriteFile(damaged, damage, 0o644); err != nil {
			t.Fatal(err)
		}
		if (&store{dir: dir}).read(c.key, recordHeader) != nil {
			t.Errorf("%q is taken for a record", damage)
		}
	}
	check("second", 1, "third second first") // the record of one content is damaged
	check("1", 0, "first third second")
	check("second", 0, "third second first")
}

// TestRecordOfAnother: a record whose order does not fit is not used, whatever it says of itself.
func TestRecordOfAnother(t *testing.T) {
	src, dir := t.TempDir(), filepath.Join(t.TempDir(), "checked")
	for _, order := range [][]int{{0, 1}, {0, 1, 2, 3}, {0, 0, 1}, {0, 1, 5}, {0, 1, 1 << 20}} {
		r := &records{store: store{dir: dir}}
		p := onDisk(t, src, "second")
		c, err := checkAll(token.NewFileSet(), []Package{p}, importer.Default(), r)
		if err != nil {
			t.Fatal(err)
		}
		rec := r.known(c[0].key, c[0].sources)
		rec.order = order
		r.write(c[0].key, recordHeader, recordData(rec))
		c, err = checkAll(token.NewFileSet(), []Package{p}, importer.Default(), r)
		if err != nil || c[0].Info.InitOrder[0].Lhs[0].Name() != "third" || len(c[0].Info.InitOrder) != 3 {
			t.Error(order, c, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBrokenIsNotRecorded: a package that does not compile is refused each time.
func TestBrokenIsNotRecorded(t *testing.T) {
	src, r := t.TempDir(), &records{store: store{dir: filepath.Join(t.TempDir(), "checked")}}
	for range 2 {
		_, err := checkAll(token.NewFileSet(), []Package{onDisk(t, src, `"text"`)}, importer.Default(), r)
		if err == nil || !strings.Contains(err.Error(), "cannot use") {
			t.Error(err)
		}
	}
}

func FuzzRecord(f *testing.F) {
	k, text := key(strings.Repeat("a1", 32)), []byte("{ } { } { 1, 2 }")
	for _, r := range []*record{{order: []int{}}, {order: []int{2, 0, 1}, files: []outlined{{}}},
		{order: []int{}, files: []outlined{{bodies: []body{{0, span{0, 3}}, {2, span{4, 7}}},
			tables: []table{{"t", span{9, 15}, "1:0", []byte{TableRaw, 1, 2}}}}}}} {
		f.Add(entry(k, recordHeader, recordData(r)))
		f.Add(recordData(r))
	}
	f.Add(entry("b", recordHeader, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if content := parseEntry(k, recordHeader, data); content != nil && string(entry(k, recordHeader, content)) != string(data) {
			t.Errorf("%q is taken for an entry", data)
		}
		r := parseRecord(data)
		if r == nil {
			return
		}
		if again := parseRecord(recordData(r)); !reflect.DeepEqual(again, r) {
			t.Errorf("%q is the record %v, which is written as %v", data, r, again)
		}
		for _, o := range r.files {
			if !o.fits(text) {
				continue
			}
			s := &source{file: "p.go", text: text}
			_, _ = s.parse(token.NewFileSet(), &Package{}, 0, &o) // an error at most
		}
	})
}
