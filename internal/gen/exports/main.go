// Command exports writes the type data and the documentation that a session embeds: an archive with the exported types
// of packages that cells see, without positions, and the doc comments of their exported names. The standard library's
// archive changes with the Go toolchain alone. gorocm's own is not compressed (-store), so that git keeps only the
// differences between its versions. Either is the same, byte for byte, whenever the same toolchain writes it.
package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gorocm/gorocm/internal/gen/exports/generic"
	"github.com/gorocm/gorocm/internal/gen/golist"
	"github.com/gorocm/gorocm/internal/tables"
	"github.com/klauspost/compress/zstd"
)

func main() {
	out := flag.String("o", "", "file to write")
	store := flag.Bool("store", false, "do not compress")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: exports [-store] -o file package…")
		os.Exit(2)
	}
	if err := write(*out, *store, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "exports:", err)
		os.Exit(1)
	}
}

// whole are the packages whose source cells need: of generic functions, since compiled code has no such thing, and of
// short functions that call methods of cells, which become machine code with these (container/heap). Single
// generic functions and types of other packages are in the folder generic.
var whole = map[string]bool{"slices": true, "maps": true, "cmp": true, "container/heap": true}

func write(file string, store bool, patterns []string) error {
	pkgs, err := golist.List(patterns)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	z.RegisterCompressor(zstd.ZipMethodWinZip,
		zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1)))
	method := uint16(zstd.ZipMethodWinZip)
	if store {
		method = zip.Store
	}
	add := func(name string, data []byte) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}
	if err := add("VERSION", []byte(runtime.Version())); err != nil {
		return err
	}
	fset, imports := token.NewFileSet(), map[string]*types.Package{}
	for _, p := range pkgs {
		data, err := exports(p, fset, imports)
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if err := add("types/"+p.ImportPath, data); err != nil {
			return err
		}
		docs, err := tables.Docs(p.ImportPath, p.Dir, p.GoFiles)
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if err := add("doc/"+p.ImportPath, docs); err != nil {
			return err
		}
		if !whole[p.ImportPath] {
			continue
		}
		for _, f := range p.GoFiles {
			src, err := os.ReadFile(filepath.Join(p.Dir, f))
			if err != nil {
				return err
			}
			if err := add("src/"+p.ImportPath+"/"+f, src); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(patterns, "std") {
		return finish(z, &buf, file)
	}
	if err := addSystems(add); err != nil {
		return err
	}
	err = fs.WalkDir(generic.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := generic.Source.ReadFile(path)
		if err != nil {
			return err
		}
		return add("src/"+path, src)
	})
	if err != nil {
		return err
	}
	return finish(z, &buf, file)
}

func finish(z *zip.Writer, buf *bytes.Buffer, file string) error {
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(file, buf.Bytes(), 0o644)
}

// exports rewrites the compiler's export data without positions, so that it changes only when the API does.
func exports(p golist.Package, fset *token.FileSet, imports map[string]*types.Package) ([]byte, error) {
	pkg, err := p.Types(fset, imports)
	if err != nil {
		return nil, err
	}
	return tables.Types(pkg)
}
