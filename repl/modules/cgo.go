package modules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// A package some of whose files import C is listed without them. What is left may be all of it, in Go, or a part, or a
// stub whose functions say that there is no cgo.

// instead says what to use in place of packages that need cgo, by the beginnings of their import paths.
var instead = []struct{ path, advice string }{
	{"github.com/mattn/go-sqlite3", `SQLite in Go is a part of gorocm: import _ "modernc.org/sqlite", then sql.Open("sqlite", file)`},
	{"gorm.io/driver/sqlite", "github.com/glebarez/sqlite is the same in Go, for gorm"},
	{"github.com/duckdb/duckdb-go", noDuckDB}, {"github.com/marcboeker/go-duckdb", noDuckDB},
	{"github.com/ebitengine/oto", "display.Audio(samples, rate) plays sound in the notebook"},
	{"github.com/hajimehoshi/ebiten", "display.Animate and package widgets show moving pictures and controls"},
	{"github.com/confluentinc/confluent-kafka-go", "github.com/segmentio/kafka-go is a client of Kafka in Go"},
	{"gocv.io/x/gocv", "packages image and golang.org/x/image in Go, and tensors, process images"},
	{"github.com/yalue/onnxruntime_go", "gorocm's package tensor/onnx runs ONNX models"},
	{"github.com/DataDog/zstd", "github.com/klauspost/compress/zstd is the same format in Go"},
	{"github.com/godror/godror", "github.com/sijms/go-ora/v2 is a driver for Oracle in Go"},
	{"github.com/linxGnu/grocksdb", "github.com/cockroachdb/pebble is a store of that kind in Go"},
	{"github.com/google/gopacket/pcap", "github.com/google/gopacket/pcapgo reads and writes such files in Go"},
}

const noDuckDB = `there is no DuckDB in Go: modernc.org/sqlite, a part of gorocm, is SQL without cgo, and gorocm's package frame reads CSV and Parquet files`

// insteadOf says what to use in place of a package that needs cgo, "" where that is not known.
func insteadOf(path string) string {
	for _, i := range instead {
		if path == i.path || strings.HasPrefix(path, i.path+"/") {
			return i.advice
		}
	}
	return ""
}

// needsCgo is the error of a package that needs cgo; subject begins the sentence, and file is one that imports C.
func needsCgo(subject, path, file string, via []string) *Error {
	e := failure(fmt.Sprintf("%s cannot be interpreted because %s imports C (cgo)", subject, file), because(via)...)
	for _, p := range append(slices.Clone(via), path) {
		if advice := insteadOf(p); advice != "" {
			e.Notes = append([]string{advice}, e.Notes...)
			break
		}
	}
	return e
}

// halved reports whether the files of a package that need cgo declare exported names that its other files do not: what
// is left is a part, or a stub.
func halved(dir string, rest, cgo []string) bool {
	have := exported(dir, rest)
	for name := range exported(dir, cgo) {
		if !have[name] {
			return true
		}
	}
	return false
}

// exported are the exported names that files declare, T.M for a method. Files that cannot be parsed have none.
func exported(dir string, files []string) map[string]bool {
	r := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				owner, _, method := strings.Cut(funcName(d), ".")
				r[funcName(d)] = d.Name.IsExported() && (!method || ast.IsExported(owner))
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						r[s.Name.Name] = s.Name.IsExported()
					case *ast.ValueSpec:
						for _, n := range s.Names {
							r[n.Name] = n.IsExported()
						}
					}
				}
			}
		}
	}
	for name, yes := range r {
		if !yes {
			delete(r, name)
		}
	}
	return r
}

// lackOfCgo is the error of a package that does not compile because its files that need cgo are left out, or those of a
// package that it imports; nil where there is another reason.
func (c *Checked) lackOfCgo(mistakes *Error) *Error {
	_, words, _ := strings.Cut(mistakes.Message, " cannot be interpreted: ")
	if !strings.Contains(words, "undefined") {
		return nil
	}
	note := "without that file: " + words
	if len(c.Cgo) > 0 {
		e := needsCgo(c.Path, c.Path, c.Cgo[0], nil)
		e.Notes = append(e.Notes, note)
		return e
	}
	for _, path := range c.Imports {
		p := c.imports.checked(path)
		if p != nil && len(p.Cgo) > 0 && strings.Contains(words, "undefined: "+p.Name+".") {
			e := needsCgo(path+", which "+c.Path+" imports,", path, p.Cgo[0], []string{c.Path})
			e.Notes = append(e.Notes, note)
			return e
		}
	}
	return nil
}
