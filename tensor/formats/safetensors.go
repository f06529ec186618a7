package formats

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

const maxSafetensorsHeader = 100 << 20 // as in the reference implementation

// Safetensors is an open safetensors file. Tensors are read when they are asked for.
type Safetensors struct {
	Metadata map[string]string // what the writer noted, may be nil
	file     *os.File
	start    int64 // of the elements
	entries  []safetensor
}

// safetensor is what the header says of a tensor.
type safetensor struct {
	name    string
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// OpenSafetensors opens a safetensors file and checks its header.
func OpenSafetensors(path string) (*Safetensors, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Safetensors{file: f}
	if err := s.readHeader(); err != nil {
		f.Close()
		return nil, named(path, err)
	}
	return s, nil
}

// Close closes the file.
func (s *Safetensors) Close() error { return s.file.Close() }

func (s *Safetensors) readHeader() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	raw, err := readExactly(s.file, 8)
	if err != nil {
		return fmt.Errorf("safetensors: length of the header: %w", err)
	}
	n := binary.LittleEndian.Uint64(raw)
	if n > maxSafetensorsHeader || int64(n) > info.Size()-8 {
		return fmt.Errorf("safetensors: a header of %d bytes is not possible in a file of %d", n, info.Size())
	}
	text, err := readExactly(s.file, int(n))
	if err != nil {
		return fmt.Errorf("safetensors: header: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("safetensors: header: %w", err)
	}
	for name, field := range fields {
		if name == "__metadata__" {
			if err := json.Unmarshal(field, &s.Metadata); err != nil {
				return fmt.Errorf("safetensors: metadata: %w", err)
			}
			continue
		}
		e := safetensor{name: name}
		if err := json.Unmarshal(field, &e); err != nil {
			return fmt.Errorf("safetensors: tensor %q: %w", name, err)
		}
		s.entries = append(s.entries, e)
	}
	s.start = 8 + int64(n)
	return s.checkOffsets(info.Size() - s.start)
}

// checkOffsets sorts the tensors as they lie in the file, and checks that they fill it without overlapping.
func (s *Safetensors) checkOffsets(size int64) error {
	slices.SortFunc(s.entries, func(a, b safetensor) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]), cmp.Compare(a.name, b.name))
	})
	end := int64(0)
	for _, e := range s.entries {
		if e.Offsets[0] != end || e.Offsets[1] < end || e.Offsets[1] > size {
			return fmt.Errorf("safetensors: tensor %q is at bytes %d to %d of %d, and the one before it ends at %d", e.name, e.Offsets[0], e.Offsets[1], size, end)
		}
		end = e.Offsets[1]
	}
	if end != size {
		return fmt.Errorf("safetensors: %d bytes of elements, and %d that belong to no tensor", end, size-end)
	}
	return nil
}

// Names lists the tensors in the order of the file.
func (s *Safetensors) Names() []string {
	names := make([]string, len(s.entries))
	for i, e := range s.entries {
		names[i] = e.name
	}
	return names
}

// Tensor reads a tensor onto a device. U16 becomes U32. The error says so when there is none of that name, or when its element
// type is none of ours.
func (s *Safetensors) Tensor(name string, dev *tensor.Device) (*tensor.Tensor, error) {
	i := slices.IndexFunc(s.entries, func(e safetensor) bool { return e.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: there is no tensor %q; there are %q", s.file.Name(), name, s.Names())
	}
	t, err := s.read(s.entries[i], dev)
	return t, named(s.file.Name(), err)
}

func (s *Safetensors) read(e safetensor, dev *tensor.Device) (*tensor.Tensor, error) {
	dt, size, err := safetensorsType(e.DType)
	if err != nil {
		return nil, fmt.Errorf("safetensors: tensor %q: %w", e.name, err)
	}
	length := e.Offsets[1] - e.Offsets[0]
	if n, ok := count(e.Shape, int(length)); !ok || int64(n)*int64(size) != length {
		return nil, fmt.Errorf("safetensors: tensor %q: %d bytes do not fit shape %v of %s", e.name, length, e.Shape, e.DType)
	}
	data, err := readExactly(io.NewSectionReader(s.file, s.start+e.Offsets[0], length), int(length))
	if err != nil {
		return nil, fmt.Errorf("safetensors: tensor %q: %w", e.name, err)
	}
	if size != dt.Size() { // U16
		wide := make([]uint32, len(data)/2)
		for i := range wide {
			wide[i] = uint32(binary.LittleEndian.Uint16(data[2*i:]))
		}
		return tensor.FromSlice(wide, e.Shape, dev), nil
	}
	return tensor.FromBytes(data, dt, e.Shape, dev), nil
}

// safetensorsType returns the element type that a name stands for, and how many bytes an element takes in the file.
func safetensorsType(name string) (tensor.DType, int, error) {
	for _, dt := range kernels.All {
		if dt.Safetensors() == name {
			return dt, dt.Size(), nil
		}
	}
	if name == "U16" {
		return tensor.U32, 2, nil
	}
	return 0, 0, fmt.Errorf("elements of type %s are not read", name)
}

// ReadSafetensors reads all tensors of a file onto a device, in the order of the file.
func ReadSafetensors(path string, dev *tensor.Device) ([]Named, error) {
	s, err := OpenSafetensors(path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	list := make([]Named, 0, len(s.entries))
	for _, e := range s.entries {
		t, err := s.read(e, dev)
		if err != nil {
			return nil, named(path, err)
		}
		list = append(list, Named{e.name, t})
	}
	return list, nil
}

// WriteSafetensors writes tensors, and notes about them that may be nil. The file is complete or not there.
func WriteSafetensors(path string, tensors []Named, metadata map[string]string) (err error) {
	header := map[string]any{}
	if metadata != nil {
		header["__metadata__"] = metadata
	}
	end := int64(0)
	for _, n := range tensors {
		if header[n.Name] != nil || n.Name == "__metadata__" {
			return fmt.Errorf("%s: two tensors cannot have the name %q", path, n.Name)
		}
		start := end
		end += int64(n.Tensor.Bytes())
		header[n.Name] = safetensor{DType: n.Tensor.DType().Safetensors(), Shape: append([]int{}, n.Tensor.Dims()...), Offsets: [2]int64{start, end}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		return named(path, err)
	}
	for len(text)%8 != 0 { // elements begin at a multiple of 8
		text = append(text, ' ')
	}
	return writeFile(path, func(w io.Writer) error {
		if _, err := w.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)); err != nil {
			return err
		}
		for _, n := range tensors {
			if _, err := w.Write(n.Tensor.ToBytes()); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeFile writes a file beside the one of that name and puts it in its place when it is complete.
func writeFile(path string, write func(io.Writer) error) (err error) {
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
