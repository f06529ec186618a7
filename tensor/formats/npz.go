package formats

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"

	"github.com/gorocm/gorocm/tensor"
)

// ReadNpz reads the arrays that NumPy saved in one file, onto a device, in the order of the file. An entry that is not
// an array is an error: ReadNpzByName reads arrays beside such entries.
func ReadNpz(path string, dev *tensor.Device) ([]Named, error) {
	return readNpz(path, dev, func(string) bool { return true })
}

// ReadNpzByName reads the arrays of these names. The error says which names there are when one is not.
func ReadNpzByName(path string, dev *tensor.Device, names ...string) ([]*tensor.Tensor, error) {
	wanted := map[string]*tensor.Tensor{}
	for _, name := range names {
		wanted[name] = nil
	}
	var there []string
	list, err := readNpz(path, dev, func(name string) bool {
		there = append(there, name)
		_, ok := wanted[name]
		return ok
	})
	if err != nil {
		return nil, err
	}
	for _, n := range list {
		wanted[n.Name] = n.Tensor
	}
	out := make([]*tensor.Tensor, len(names))
	for i, name := range names {
		if out[i] = wanted[name]; out[i] == nil {
			return nil, fmt.Errorf("%s: there is no array %q; there are %q", path, name, there)
		}
	}
	return out, nil
}

func readNpz(path string, dev *tensor.Device, want func(name string) bool) ([]Named, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, named(path, err)
	}
	defer z.Close()
	var list []Named
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok && !f.FileInfo().IsDir() && want(f.Name) {
			return nil, fmt.Errorf("%s: the entry %q is not an array (.npy); ReadNpzByName reads the arrays beside it", path,
				f.Name)
		}
		if !ok || !want(name) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, named(path, err)
		}
		t, err := DecodeNpy(r, dev)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
		list = append(list, Named{name, t})
	}
	return list, nil
}

// WriteNpz writes tensors to one file that NumPy reads, uncompressed.
func WriteNpz(path string, tensors []Named) error {
	if err := allThere(tensors); err != nil {
		return named(path, err)
	}
	names := map[string]bool{}
	for _, n := range tensors {
		if names[n.Name] {
			return named(path, fmt.Errorf("two tensors are named %q", n.Name))
		}
		names[n.Name] = true
	}
	return named(path, writeFile(path, func(to io.Writer) error {
		z := zip.NewWriter(to)
		for _, n := range tensors {
			w, err := z.CreateHeader(&zip.FileHeader{Name: n.Name + ".npy", Method: zip.Store})
			if err != nil {
				return err
			}
			if err := EncodeNpy(w, n.Tensor); err != nil {
				return fmt.Errorf("%s: %w", n.Name, err)
			}
		}
		return z.Close()
	}))
}
