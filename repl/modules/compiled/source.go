package compiled

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"
)

// Where gorocm's source is, and the hash of what the running program was built from. The linker sets these variables:
//   - install.sh sets the folder, and the sum of the files in it that the program is built from;
//   - in releases there is the version instead of the folder: the go command downloads that;
//   - what "go install" has built from a version is told by its build information. The sum is that of the module then,
//     as go.sum has it.
var sourceFolder, sourceVersion, sourceSum string

func init() {
	if sourceSum != "" {
		return
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Path == modulePath {
		useModule(b.Main)
	}
}

// useModule takes a module for the source, if it is a version of which there is a sum.
func useModule(m debug.Module) {
	if m.Replace == nil && strings.HasPrefix(m.Sum, moduleSum) {
		sourceVersion, sourceSum = m.Version, m.Sum
	}
}

// Use says where gorocm's source is, and its hash, for tests.
func Use(folder, sum string) { sourceFolder, sourceVersion, sourceSum = folder, "", sum }

// mainPackage is the program that modules are compiled into.
const mainPackage = "./cmd/gorocm"

// errNoSource says why nothing is compiled where the program does not know its source.
var errNoSource = errors.New("this gorocm does not know its source: releases do, and what ./install.sh or " +
	"go install builds")

// SourceSum is the hash of the files of gorocm's own module that the program in a folder is built from, and of its
// go.mod and go.sum. Target is "linux/amd64", or "" for this machine's.
func SourceSum(ctx context.Context, folder, target string) (string, error) {
	t, err := newTool(ctx, folder, io.Discard)
	if err != nil {
		return "", err
	}
	if system, processor, ok := strings.Cut(target, "/"); ok {
		t.env = append(t.env, "GOOS="+system, "GOARCH="+processor)
	}
	pkgs, err := t.list(ctx, folder, mainPackage)
	if err != nil {
		return "", err
	}
	return sumOf(folder, pkgs)
}

// LinkerFlags are flags of the linker by which a program knows that its source is in a folder, or, with a version, that
// it is that version of gorocm's module, whose files are the same. Target is "linux/amd64", or "" for this machine's.
func LinkerFlags(ctx context.Context, folder, version, target string) (string, error) {
	sum, err := SourceSum(ctx, folder, target)
	if version != "" {
		folder = ""
	}
	return linkerFlags(folder, version, sum), err
}

func linkerFlags(folder, version, sum string) string {
	const variable = modulePath + "/repl/modules/compiled.source"
	return fmt.Sprintf("-X '%sFolder=%s' -X %sVersion=%s -X %sSum=%s", variable, folder, variable, version,
		variable, sum)
}

// source is gorocm's source.
type source struct {
	folder string
	host   []*listed // the packages of its program
}

// source finds gorocm's source, and makes sure that it is what this program was built from.
func (t *tool) source(ctx context.Context, dir string) (*source, error) {
	s := &source{folder: sourceFolder}
	if s.folder == "" {
		out, err := t.run(ctx, dir, "mod", "download", "-json", modulePath+"@"+sourceVersion)
		var m struct{ Dir, Error string }
		if json.Unmarshal(out, &m) == nil && m.Error != "" {
			err = errors.New(m.Error)
		}
		if err != nil {
			return nil, fmt.Errorf("the source of gorocm %s cannot be downloaded: %w", sourceVersion, err)
		}
		s.folder = m.Dir
	}
	var err error
	if s.host, err = t.list(ctx, s.folder, mainPackage); err != nil {
		return nil, err
	}
	advice := ": ./install.sh there builds one of it"
	if sourceFolder == "" {
		advice = ""
	}
	return s, s.check("is not what this program was built from" + advice)
}

// check makes sure that nothing has changed.
func (s *source) check(otherwise string) error {
	sum, err := "", error(nil)
	if strings.HasPrefix(sourceSum, moduleSum) {
		sum, err = dirhash.HashDir(s.folder, modulePath+"@"+sourceVersion, dirhash.Hash1)
	} else {
		sum, err = sumOf(s.folder, s.host)
	}
	if err == nil && sum != sourceSum {
		err = fmt.Errorf("the source of gorocm in %s %s", s.folder, otherwise)
	}
	return err
}

// moduleSum begins the sum of a module, as the go command writes it to go.sum.
const moduleSum = "h1:"

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
