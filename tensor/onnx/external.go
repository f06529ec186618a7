package onnx

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// folder is where the external data of a model are: files below the folder of the model. Those outside of it are
// refused, also by way of symbolic links.
type folder struct {
	root *os.Root // nil for a model that was not opened by its path
	open map[string]*os.File
}

func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folder{root, map[string]*os.File{}}, nil
}

func (f *folder) close() {
	if f == nil {
		return
	}
	for _, file := range f.open {
		file.Close()
	}
	f.root.Close()
}

// read returns the bytes of a tensor: entries are location, offset and length of its data.
func (f *folder) read(entries map[string]string, size int) ([]byte, error) {
	name := entries["location"]
	if f == nil {
		return nil, fmt.Errorf("its data are in the file %q: give Open the path of the model, so that it can be found", name)
	}
	file := f.open[name]
	if file == nil {
		var err error
		if file, err = f.root.Open(name); err != nil {
			return nil, fmt.Errorf("its data are not in the folder of the model: %w", err)
		}
		f.open[name] = file
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("its data: %w", &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid})
	}
	offset, err := number(entries, "offset", 0)
	if err != nil {
		return nil, err
	}
	length, err := number(entries, "length", int64(size))
	if err != nil {
		return nil, err
	}
	if length != int64(size) {
		return nil, fmt.Errorf("it takes %d bytes, and %q is said to have %d of it", size, name, length)
	}
	if offset > info.Size() || length > info.Size()-offset {
		return nil, fmt.Errorf("it is said to be at bytes %d to %d of %q, which has %d", offset, offset+length, name, info.Size())
	}
	out := make([]byte, length)
	if _, err := file.ReadAt(out, offset); err != nil {
		return nil, err
	}
	return out, nil
}

// number returns one of the entries of external data.
func number(entries map[string]string, key string, other int64) (int64, error) {
	text, ok := entries[key]
	if !ok {
		return other, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxElements {
		return 0, fmt.Errorf("its data have the %s %q", key, text)
	}
	return n, nil
}
