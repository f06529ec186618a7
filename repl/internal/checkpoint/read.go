package checkpoint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// Reader reads a file.
type Reader struct {
	Header Header
	Notes  []string // what is not as it was
	Left   []int    // variables that Read has left out: they lead to values of types that the session lacks
	Other  []string // types of compiled packages that have other parts than in the session that has written the file
	in     *bufio.Reader
	left   int64
}

// Open checks the sum of a file, and reads what it says of the session. The reader goes on reading it.
func Open(f io.ReadSeeker) (*Reader, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	body := size - sha256.Size
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(f, begin); err != nil || string(begin) != magic || body < int64(len(magic)) {
		return nil, errors.New("this is not a checkpoint of this version of gorocm")
	}
	sum := sha256.New()
	sum.Write(begin)
	if _, err := io.CopyN(sum, f, body-int64(len(magic))); err != nil {
		return nil, err
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(f, want); err != nil {
		return nil, err
	}
	if !bytes.Equal(want, sum.Sum(nil)) {
		return nil, errors.New("the checkpoint is damaged: its sum differs")
	}
	if _, err := f.Seek(int64(len(magic)), io.SeekStart); err != nil {
		return nil, err
	}
	return open(f, body-int64(len(magic)))
}

func open(f io.Reader, body int64) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(io.LimitReader(f, body), 1<<20), left: body}
	d := decoder{Reader: r}
	head := d.bytes()
	if d.err != nil {
		return nil, d.err
	}
	if err := json.Unmarshal(head, &r.Header); err != nil {
		return nil, fmt.Errorf("the checkpoint's header: %w", err)
	}
	return r, nil
}

// Read reads the values into variables, given as pointers in the order of Header.Vars. Boxed are the types of
// Header.Boxed. Of types that the session lacks they are invalid and nil; r.Left are the variables that are not set
// because of that. Nothing is changed unless all could be read.
func (r *Reader) Read(vars []reflect.Value, boxed []reflect.Type) error {
	d := &decoder{Reader: r, vars: vars, boxed: boxed, types: table{index: map[reflect.Type]int{}},
		devices: map[string]*tensor.Device{"cpu": tensor.CPU()}, broken: map[int]bool{}, refers: map[int][]int{},
		void: map[reflect.Type]bool{}}
	if err := d.find(); err != nil {
		return err
	}
	d.allocate()
	d.fill()
	if d.err != nil {
		return d.err
	}
	r.Left = d.spread()
	for i, o := range d.objects {
		if o.variable.IsValid() && !d.broken[i] {
			o.variable.Elem().Set(as(o.row.Index(0), o.variable.Type().Elem()))
		}
	}
	for _, g := range r.Header.Random {
		d.generator(g)
	}
	return nil
}

// find finds the types of the file.
func (d *decoder) find() error {
	if d.Header.Roots != nil {
		return d.assign()
	}
	for _, v := range d.vars { // an older version has written the file
		if !v.IsValid() {
			return errOtherParts
		}
		d.types.add(v.Type().Elem())
	}
	for _, t := range d.boxed {
		if t == nil {
			return errOtherParts
		}
		d.types.add(t)
	}
	if forms := d.types.forms(); !slices.Equal(forms, d.Header.Forms) {
		return errOtherParts
	}
	return nil
}

// generator has the generator of a device go on where it was.
func (d *decoder) generator(g Generator) {
	dev := d.devices[g.Device]
	if dev == nil {
		var err error
		if dev, err = tensor.NewDevice(g.Device); err != nil {
			d.Notes = append(d.Notes, fmt.Sprintf("the random numbers of %s do not go on: %v", g.Device, err))
			return
		}
	}
	if dev.Location() == g.Device { // another one stands in for it
		random.Default(dev).SetState(g.Seed, g.Counter)
	}
}

// maxObject bounds the bytes that an object may have.
const maxObject = 1 << 46

// decoder reads values. Its first error stays.
type decoder struct {
	*Reader
	vars    []reflect.Value
	boxed   []reflect.Type
	types   table  // with nil for a type that the session lacks
	forms   []form // of all types
	objects []read
	maps    []reflect.Value // invalid for one of a type that the session lacks
	lacking []int           // the types of those
	tensors []*tensor.Tensor
	devices map[string]*tensor.Device
	depth   int
	idle    int                   // parts that were passed over since a byte was read last
	passed  int64                 // left, when that was
	at      int                   // the object that is read, or the map, counted after the objects
	refers  map[int][]int         // what is read refers to these
	void    map[reflect.Type]bool // nothing is written of them
	damaged bool                  // types of the session itself have other parts
	within  int                   // structs of compiled packages that are compared with those of the file
	broken  map[int]bool          // what has a value of a type that the session lacks
	err     error
}

// read is an object that is read: count values of a type. A variable is read beside its memory, which it takes in the
// end.
type read struct {
	row      reflect.Value // a slice
	base     unsafe.Pointer
	variable reflect.Value // pointer, invalid for other objects
	number   int           // of the variable, -1 for other objects
	lacking  *row          // of a type that the session lacks
}

// row is so many values of a type of the file.
type row struct{ kind, count int }

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("the checkpoint is damaged: "+format, args...)
	}
}

// ReadByte reads for package binary.
func (d *decoder) ReadByte() (byte, error) {
	d.left--
	return d.in.ReadByte()
}

func (d *decoder) number() uint64 {
	if d.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(d)
	if err != nil {
		d.fail("%v", err)
	}
	return n
}

func (d *decoder) signed() int64 {
	if d.err != nil {
		return 0
	}
	n, err := binary.ReadVarint(d)
	if err != nil {
		d.fail("%v", err)
	}
	return n
}

// count reads how many things follow, each of which takes a byte or more.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(max(d.left, 0)) {
		d.fail("%d things are announced, the file has %d bytes", n, d.left)
		return 0
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) float() float64 {
	var b [8]byte
	if d.err == nil {
		if _, err := io.ReadFull(d.in, b[:]); err != nil {
			d.fail("%v", err)
		}
		d.left -= 8
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
}

func (d *decoder) typeAt() (reflect.Type, int) {
	n := d.number()
	if d.err == nil && n >= uint64(len(d.types.list)) {
		d.fail("there is no type %d", n)
	}
	if d.err != nil {
		return reflect.TypeFor[byte](), 0
	}
	return d.types.list[n], int(n)
}

// allocate makes all objects and maps, and reads the tensors.
func (d *decoder) allocate() {
	known := map[int64]bool{}
	for range d.count() {
		variable := d.signed()
		t, kind := d.typeAt()
		n := d.count()
		if d.err != nil {
			return
		}
		if variable >= int64(len(d.vars)) || variable >= 0 && known[variable] {
			d.fail("there is no variable %d", variable)
			return
		}
		if t == nil || variable >= 0 && !d.vars[variable].IsValid() {
			known[variable] = true
			d.broken[len(d.objects)] = true
			d.objects = append(d.objects, read{number: int(max(variable, -1)), lacking: &row{kind, n}})
			continue
		}
		if t.Size() == 0 || uint64(n) > maxObject/uint64(t.Size()) {
			d.fail("an object has %d values of type %v", n, t)
			return
		}
		o := read{row: reflect.MakeSlice(reflect.SliceOf(t), n, n), number: int(max(variable, -1))}
		o.base = o.row.UnsafePointer()
		if variable >= 0 {
			if n != 1 || !alike(d.vars[variable].Type().Elem(), t) {
				d.fail("there is no variable %d of such a type", variable)
				return
			}
			known[variable] = true
			o.variable = d.vars[variable]
			o.base = o.variable.UnsafePointer()
		}
		d.objects = append(d.objects, o)
	}
	for range d.count() {
		t, kind := d.typeAt()
		if d.err == nil && t == nil && d.forms[kind].kind == "map" {
			d.broken[len(d.objects)+len(d.maps)] = true
			d.maps, d.lacking = append(d.maps, reflect.Value{}), append(d.lacking, kind)
			continue
		}
		if d.err == nil && (t == nil || t.Kind() != reflect.Map) {
			d.fail("%v is no map", t)
		}
		if d.err != nil {
			return
		}
		d.maps = append(d.maps, reflect.MakeMap(t))
	}
	for range d.count() {
		if d.err == nil {
			d.tensors = append(d.tensors, d.tensor())
		}
	}
}

// fill reads what is in objects and maps.
func (d *decoder) fill() {
	for i, o := range d.objects {
		d.at = i
		if o.lacking != nil {
			d.passRow(o.lacking.kind, o.lacking.count)
		} else {
			d.values(o.row)
		}
	}
	for i, m := range d.maps {
		d.at = len(d.objects) + i
		if !m.IsValid() {
			kind := d.lacking[0]
			d.lacking = d.lacking[1:]
			for range d.count() {
				d.pass(d.forms[kind].parts[0])
				d.pass(d.forms[kind].parts[1])
				if d.err != nil {
					return
				}
			}
			continue
		}
		for range d.count() {
			key, value := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
			d.value(key)
			d.value(value)
			if d.err == nil && !key.Comparable() {
				d.fail("a map has a key that cannot be compared")
			}
			if d.err != nil {
				return
			}
			m.SetMapIndex(key, value)
		}
	}
	if d.err == nil && d.left != 0 {
		d.fail("%d bytes follow", d.left)
	}
}
