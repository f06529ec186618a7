package compiled

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Where gorocm's source is, and the hash of what the running program was built from: set by
// -ldflags "-X github.com/gorocm/gorocm/repl/modules/compiled.sourceFolder=… -X ….sourceSum=…", which install.sh does.
var sourceFolder, sourceSum string

// Use says where gorocm's source is, and its hash, for tests.
func Use(folder, sum string) { sourceFolder, sourceSum = folder, sum }

// mainPackage is the program that modules are compiled into.
const mainPackage = "./cmd/gorocm"

// errNoSource says why nothing is compiled where the program does not know its source.
var errNoSource = errors.New("this gorocm does not know the folder of its source: " +
	"./install.sh there builds one that does")

// SourceSum is the hash of the files of gorocm's own module that the program in a folder is built from, and of its
// go.mod and go.sum.
func SourceSum(ctx context.Context, folder string) (string, error) {
	t, err := newTool(ctx, folder, io.Discard)
	if err != nil {
		return "", err
	}
	pkgs, err := t.list(ctx, folder, mainPackage)
	if err != nil {
		return "", err
	}
	return sumOf(folder, pkgs)
}

// LinkerFlags are flags of the linker by which a program knows that its source is in a folder.
func LinkerFlags(ctx context.Context, folder string) (string, error) {
	sum, err := SourceSum(ctx, folder)
	return linkerFlags(folder, sum), err
}

func linkerFlags(folder, sum string) string {
	const variable = modulePath + "/repl/modules/compiled.source"
	return fmt.Sprintf("-X '%sFolder=%s' -X %sSum=%s", variable, folder, variable, sum)
}

func sumOf(folder string, pkgs []*listed) (string, error) {
	h := sha256.New()
	files := []string{filepath.Join(folder, "go.mod"), filepath.Join(folder, "go.sum")}
	for _, p := range pkgs {
		if p.Module != nil && p.Module.Main {
			for _, f := range p.files() {
				files = append(files, filepath.Join(p.Dir, f))
			}
		}
	}
	slices.Sort(files)
	for _, f := range files {
		rel, err := filepath.Rel(folder, f)
		if err != nil {
			return "", err
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %d\n", filepath.ToSlash(rel), len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
