package formats

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/internal/owned"
	"github.com/gorocm/gorocm/tensor"
)

// Named is a tensor with the name that it has in a file.
type Named struct {
	Name   string
	Tensor *tensor.Tensor
}

// count returns the product of a shape, and false when it is negative or more than limit.
func count(shape []int, limit int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
	}
	for _, d := range shape {
		if d == 0 {
			return 0, true
		}
		if n > math.MaxInt/d {
			return 0, false
		}
		n *= d
	}
	return n, n <= limit
}

// there checks that none of n tensors is nil.
func there(n int, at func(i int) (name string, is bool)) error {
	for i := range n {
		if name, is := at(i); !is {
			return fmt.Errorf("tensor %d, %q, is nil", i, name)
		}
	}
	return nil
}

// allThere is there for tensors.
func allThere(tensors []Named) error {
	return there(len(tensors), func(i int) (string, bool) { return tensors[i].Name, tensors[i].Tensor != nil })
}

// readExactly returns the next n bytes. Memory grows as bytes arrive, so that a false count allocates nothing.
func readExactly(r io.Reader, n int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, err
	}
	if len(data) < n {
		return nil, fmt.Errorf("the file ends after %d of %d bytes: %w", len(data), n, io.ErrUnexpectedEOF)
	}
	return data, nil
}

// named prefixes an error with the name of a file, unless it begins with the operation on that file.
func named(path string, err error) error {
	if e, ok := err.(*fs.PathError); err == nil || ok && e.Path == path {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// atByte says where in a file a JSON text that begins at start is wrong.
func atByte(err error, start int64) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("at byte %d: %w", start+syntax.Offset, err)
	case errors.As(err, &kind):
		return fmt.Errorf("at byte %d: %w", start+kind.Offset, err)
	}
	return err
}

// listed are the first names of a list.
func listed(names []string) string {
	const most = 20
	var b strings.Builder
	for i, name := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d others", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.60q", name)
	}
	return b.String()
}

// writeFile writes a file beside the one of that name and puts it in its place when it is complete.
func writeFile(path string, write func(io.Writer) error) (err error) {
	defer func() { // who called knows of no other file than path
		var of *fs.PathError
		var from *os.LinkError
		switch {
		case errors.As(err, &of):
			err = &fs.PathError{Op: of.Op, Path: path, Err: of.Err}
		case errors.As(err, &from):
			err = &fs.PathError{Op: "write", Path: path, Err: from.Err}
		}
	}()
	if err := owned.Replaceable(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
