package formats

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/npy"
)

const npyMagic = "\x93NUMPY"

// npyTypes are NumPy's names of the element types, without the byte order.
var npyTypes = map[string]tensor.DType{
	"b1": tensor.Bool, "u1": tensor.U8, "i1": tensor.I8, "u2": tensor.U16, "i2": tensor.I16, "u4": tensor.U32,
	"i4": tensor.I32, "u8": tensor.U64, "i8": tensor.I64, "f2": tensor.F16, "f4": tensor.F32, "f8": tensor.F64,
	"c8": tensor.C64, "c16": tensor.C128,
}

// ReadNpy reads an array that NumPy saved, onto a device. Element types are b1, the integers i1 to i8 and u1 to u8,
// the floats f2, f4 and f8, and the complex types c8 and c16, of either byte order. Arrays in Fortran order are put in
// row-major order. Texts, times and structured arrays are tables: frame.ReadNpy reads them.
func ReadNpy(path string, dev *tensor.Device) (*tensor.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := DecodeNpy(bufio.NewReader(f), dev)
	return t, named(path, err)
}

// DecodeNpy is ReadNpy from a stream.
func DecodeNpy(r io.Reader, dev *tensor.Device) (*tensor.Tensor, error) {
	header, _, end, err := npy.Read(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	dt, shape, order, err := parseNpyHeader(header)
	if err != nil {
		return nil, err
	}
	n, ok := count(shape, math.MaxInt/2/dt.Size())
	if !ok {
		return nil, fmt.Errorf("npy: the shape %v is not possible", shape)
	}
	data, err := readExactly(r, n*dt.Size())
	if err != nil {
		return nil, fmt.Errorf("npy: elements of shape %v, from byte %d on: %w", shape, end, err)
	}
	if order.bigEndian {
		size := dt.Size()
		if dt.IsComplex() {
			size /= 2 // of each part
		}
		swapBytes(data, size)
	}
	if order.fortran {
		slices.Reverse(shape)
	}
	t := dev.FromBytes(dt, data, shape...)
	if order.fortran && len(shape) > 1 {
		back := make([]int, len(shape))
		for i := range back {
			back[i] = len(shape) - 1 - i
		}
		t = t.Permute(back...).Contiguous()
	}
	return t, nil
}

// npyOrder is the order of bytes in an element, and of elements.
type npyOrder struct{ bigEndian, fortran bool }

// swapBytes reverses the bytes of every element.
func swapBytes(data []byte, size int) {
	for i := 0; i < len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

func parseNpyHeader(text string) (dt tensor.DType, shape []int, order npyOrder, err error) {
	h, err := npy.Parse(text)
	if err != nil {
		return dt, nil, order, fmt.Errorf("npy: the header %.200q has no element type, order and shape of a plain array: %w",
			text, err)
	}
	code := h.Type.Code
	dt, ok := npyTypes[strings.TrimLeft(code, "<>|=")]
	switch kind := strings.TrimLeft(code, "<>|=") + " "; {
	case ok:
	case h.Type.Fields != nil:
		return dt, nil, order, fmt.Errorf("npy: a structured array, whose elements have fields, is no plain array: " +
			"frame.ReadNpy reads it as a table")
	case strings.ContainsAny(kind[:1], "USM"):
		return dt, nil, order, fmt.Errorf("npy: elements of type %q are not read as a tensor: frame.ReadNpy reads texts and "+
			"times as a table", code)
	case kind[0] == 'O':
		return dt, nil, order, fmt.Errorf("npy: elements of type %q are not read: they are objects that Python has pickled",
			code)
	default:
		return dt, nil, order, fmt.Errorf("npy: elements of type %q are not read; f2, f4, f8, c8, c16, u1, u2, u4, "+
			"u8, i1, i2, i4, i8 and b1 are", code)
	}
	return dt, h.Shape, npyOrder{strings.HasPrefix(code, ">"), h.Fortran}, nil
}

// WriteNpy writes a tensor as NumPy reads it. BF16 and F8E4M3, which NumPy has not, are an error.
func WriteNpy(path string, t *tensor.Tensor) error {
	return named(path, writeFile(path, func(w io.Writer) error { return EncodeNpy(w, t) }))
}

// EncodeNpy is WriteNpy to a stream.
func EncodeNpy(w io.Writer, t *tensor.Tensor) error {
	var descr string
	for name, dt := range npyTypes {
		if dt == t.DType() {
			descr = "<" + name
		}
	}
	if descr == "" {
		return fmt.Errorf("npy: NumPy has no %v; convert the tensor first, as in x.ToDType(tensor.F32)", t.DType())
	}
	if t.DType().Size() == 1 {
		descr = "|" + descr[1:]
	}
	dims := ""
	for _, d := range t.Dims() {
		dims += fmt.Sprintf("%d, ", d)
	}
	if t.Rank() > 1 {
		dims = strings.TrimSuffix(dims, ", ")
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr,
		strings.TrimSuffix(dims, " "))
	const fixed = len(npyMagic) + 4 + 1 // and the newline
	header += strings.Repeat(" ", (64-(fixed+len(header))%64)%64) + "\n"
	start := append([]byte(npyMagic), 1, 0, byte(len(header)), byte(len(header)>>8))
	if _, err := w.Write(append(start, header...)); err != nil {
		return err
	}
	_, err := w.Write(t.ToBytes())
	return err
}
