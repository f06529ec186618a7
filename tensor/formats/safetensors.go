package formats

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/limits"
	"github.com/gorocm/gorocm/tensor/quant"
)

// Safetensors is an open safetensors file, or several that belong together. They are mapped, so that only what is asked
// for is read.
type Safetensors struct {
	Metadata map[string]string // what the writer noted, may be nil
	files    []*safetensorsFile
	byName   map[string]place
	names    []string
}

// place is where a tensor is: in which file, and which one of it.
type place struct{ file, entry int }

// safetensorsFile is one file.
type safetensorsFile struct {
	path     string
	metadata map[string]string
	mapping  *mapping
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

// OpenSafetensors opens a safetensors file and checks its header. An index (model.safetensors.index.json), which says
// in which of several files each tensor is, opens all of those.
func OpenSafetensors(path string) (*Safetensors, error) {
	s := &Safetensors{byName: map[string]place{}}
	if strings.HasSuffix(path, ".json") {
		if err := s.openIndex(path); err != nil {
			return nil, named(path, err)
		}
		return s, nil
	}
	if err := s.open(path); err != nil {
		return nil, err
	}
	s.Metadata = s.files[0].metadata
	return s, nil
}

// open adds a file.
func (s *Safetensors) open(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // a mapping needs it no longer
	m, err := mapFile(f)
	if err != nil {
		return named(path, err)
	}
	file := &safetensorsFile{path: path, mapping: m}
	if err := file.readHeader(); err != nil {
		return named(path, err)
	}
	for i, e := range file.entries {
		if other, ok := s.byName[e.name]; ok {
			return fmt.Errorf("%s: tensor %q is in %s too", path, e.name, s.files[other.file].path)
		}
		s.byName[e.name] = place{len(s.files), i}
		s.names = append(s.names, e.name)
	}
	s.files = append(s.files, file)
	return nil
}

// Close forgets the files. Tensors that were read stay.
func (s *Safetensors) Close() error {
	s.files, s.byName, s.names = nil, nil, nil
	return nil
}

func (s *safetensorsFile) readHeader() error {
	size := int64(len(s.mapping.data))
	raw, err := s.mapping.part(0, 8)
	if err != nil {
		return fmt.Errorf("safetensors: length of the header: %w", err)
	}
	n := binary.LittleEndian.Uint64(raw)
	if n > uint64(size-8) {
		return fmt.Errorf("safetensors: at byte 0: a header of %d bytes is not possible in a file of %d", n, size)
	}
	if err := limits.SafetensorsHeader.Check(int(n), fmt.Sprintf("safetensors: a header of %d bytes", n)); err != nil {
		return err
	}
	text, err := s.mapping.part(8, int64(n))
	if err != nil {
		return fmt.Errorf("safetensors: header: %w", err)
	}
	s.start = 8 + int64(n)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("safetensors: header: %w", atByte(err, 8))
	}
	for name, field := range fields {
		if name == "__metadata__" {
			if err := json.Unmarshal(field, &s.metadata); err != nil {
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
	return s.checkOffsets(size - s.start)
}

// checkOffsets sorts the tensors as they lie in the file, and checks that they fill it without overlapping.
func (s *safetensorsFile) checkOffsets(size int64) error {
	slices.SortFunc(s.entries, func(a, b safetensor) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]),
			cmp.Compare(a.name, b.name))
	})
	end := int64(0)
	for _, e := range s.entries {
		if e.Offsets[0] != end || e.Offsets[1] < end || e.Offsets[1] > size {
			return fmt.Errorf("safetensors: tensor %q is at bytes %d to %d of %d, and the one before it ends at %d",
				e.name, e.Offsets[0], e.Offsets[1], size, end)
		}
		end = e.Offsets[1]
	}
	if end != size {
		return fmt.Errorf("safetensors: %d bytes of elements, and %d that belong to no tensor", end, size-end)
	}
	return nil
}

// Names lists the tensors in the order of the files.
func (s *Safetensors) Names() []string { return slices.Clone(s.names) }

// Tensor reads a tensor onto a device, straight from the mapped file. F8_E5M2 becomes F16, which holds its values. The
// error says so when there is none of that name, or when its element type is none of ours.
func (s *Safetensors) Tensor(name string, dev *tensor.Device) (*tensor.Tensor, error) {
	at, ok := s.byName[name]
	if !ok {
		return nil, fmt.Errorf("safetensors: there is no tensor %q; there are %s", name, listed(s.names))
	}
	f := s.files[at.file]
	t, err := f.read(f.entries[at.entry], dev)
	return t, named(f.path, err)
}

// Stored returns a tensor of F16, BF16 or F32 on the host, whose elements stay in the mapped file: they are read when
// they are used. It is nil for other types. The error says so when there is none of that name.
func (s *Safetensors) Stored(name string) (*quant.QTensor, error) {
	at, ok := s.byName[name]
	if !ok {
		return nil, fmt.Errorf("safetensors: there is no tensor %q; there are %s", name, listed(s.names))
	}
	f := s.files[at.file]
	e := f.entries[at.entry]
	format, ok := map[string]quant.Type{"F16": quant.F16, "BF16": quant.BF16, "F32": quant.F32}[e.DType]
	if !ok {
		return nil, nil
	}
	_, data, err := f.elements(e)
	if err != nil {
		return nil, named(f.path, err)
	}
	q, err := quant.NewOwned(format, e.Shape, data, f.mapping)
	return q, named(f.path, err)
}

// e5m2 is a type that no dtype equals: the upper half of an F16, as which its tensors are read.
const e5m2 = "F8_E5M2"

func (s *safetensorsFile) read(e safetensor, dev *tensor.Device) (*tensor.Tensor, error) {
	if e.DType == e5m2 {
		return s.readE5M2(e, dev)
	}
	dt, data, err := s.elements(e)
	if err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(s.mapping)
	return dev.FromBytes(dt, data, e.Shape...), nil
}

// readE5M2 makes an F16 of each byte, with the same value.
func (s *safetensorsFile) readE5M2(e safetensor, dev *tensor.Device) (*tensor.Tensor, error) {
	e.DType = tensor.U8.Safetensors()
	_, data, err := s.elements(e)
	if err != nil {
		return nil, err
	}
	defer runtime.KeepAlive(s.mapping)
	wide := make([]byte, 2*len(data))
	for i, b := range data {
		wide[2*i+1] = b
	}
	return dev.FromBytes(tensor.F16, wide, e.Shape...), nil
}

// elements returns the type of a tensor and its bytes in the mapped file.
func (s *safetensorsFile) elements(e safetensor) (tensor.DType, []byte, error) {
	dt, err := safetensorsType(e.DType)
	if err != nil {
		return dt, nil, fmt.Errorf("safetensors: tensor %q: %w", e.name, err)
	}
	length := e.Offsets[1] - e.Offsets[0]
	if n, ok := count(e.Shape, int(length)); !ok || int64(n)*int64(dt.Size()) != length {
		return dt, nil, fmt.Errorf("safetensors: tensor %q: %d bytes do not fit shape %v of %s", e.name, length, e.Shape,
			e.DType)
	}
	data, err := s.mapping.part(s.start+e.Offsets[0], length)
	if err != nil {
		return dt, nil, fmt.Errorf("safetensors: tensor %q: %w", e.name, err)
	}
	return dt, data, nil
}

// safetensorsType returns the element type of a name.
func safetensorsType(name string) (tensor.DType, error) {
	for _, dt := range slices.Concat(kernels.All, kernels.Complex) {
		if name != "" && dt.Safetensors() == name {
			return dt, nil
		}
	}
	return 0, fmt.Errorf("elements of type %s are not read", name)
}

// ReadSafetensors reads all tensors of a file, or of the files of an index, onto a device, in their order.
func ReadSafetensors(path string, dev *tensor.Device) ([]Named, error) {
	s, err := OpenSafetensors(path)
	if err != nil {
		return nil, err
	}
	list := make([]Named, 0, len(s.names))
	for _, name := range s.names {
		t, err := s.Tensor(name, dev)
		if err != nil {
			return nil, err
		}
		list = append(list, Named{name, t})
	}
	return list, nil
}

// WriteSafetensors writes tensors, and notes about them that may be nil. The file is complete or not there.
func WriteSafetensors(path string, tensors []Named, metadata map[string]string) (err error) {
	if err := allThere(tensors); err != nil {
		return named(path, err)
	}
	header := map[string]any{}
	if metadata != nil {
		header["__metadata__"] = metadata
	}
	end := int64(0)
	for _, n := range tensors {
		if header[n.Name] != nil || n.Name == "__metadata__" {
			return fmt.Errorf("%s: two tensors cannot have the name %q", path, n.Name)
		}
		if n.Tensor.DType().Safetensors() == "" {
			return fmt.Errorf("%s: tensor %q: safetensors files hold no %v; x.ViewAsReal() is a tensor of f64", path, n.Name,
				n.Tensor.DType())
		}
		start := end
		end += int64(n.Tensor.Bytes())
		header[n.Name] = safetensor{DType: n.Tensor.DType().Safetensors(), Shape: append([]int{}, n.Tensor.Dims()...),
			Offsets: [2]int64{start, end}}
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
