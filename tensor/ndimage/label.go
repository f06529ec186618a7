package ndimage

import (
	"bytes"
	"runtime"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// Label numbers the connected parts of what is not 0 in x, as scipy.ndimage.label: the labels, of the shape of x and
// I64, are 0 elsewhere and from 1 on in the order in which row-major order meets the parts, n of them. structure, 3
// elements along each dim and the same from both sides, is not 0 at the neighbours of its middle; nil is
// BinaryStructure(rank, 1). It panics with ErrShape for another shape of it, and with ErrValue for one that is not the
// same from both sides.
//
//	labels, n := ndimage.Label(x.Gt(0.5), nil)
//	labels, n = ndimage.Label(x.Gt(0.5), ndimage.BinaryStructure(2, 2)) // with diagonals
func Label(x, structure *tensor.Tensor) (labels *tensor.Tensor, n int) {
	const op = "label"
	Border{}.check(op, x)
	if structure == nil {
		structure = BinaryStructure(x.Rank(), 1)
	}
	before, dims := earlier(op, x, structure), x.Dims()
	inside := x.Detach()
	if inside.DType() != tensor.Bool {
		inside = inside.Ne(0)
	}
	inside = inside.To(tensor.CPU()).Contiguous()
	labels, numbers := extend.OnHost[int64](op, tensor.I64, dims...)
	n = numbered(extend.Elements[byte](op, inside), dims, before, numbers)
	runtime.KeepAlive(inside)
	return labels.To(x.Device()), n
}

// run is a part of a row of elements that are inside, up to before end, and the number of its part of the image.
type run struct {
	start, end int
	parent     int // an earlier run of the same part, or itself; later the number of the part
}

// numbered sets the labels of elements, which are 1 inside, and returns how many there are. before are the offsets of
// earlier neighbours.
func numbered(inside []byte, dims []int, before [][]int, labels []int64) (n int) {
	last := len(dims) - 1
	width := dims[last]
	if len(inside) == 0 {
		return 0
	}
	around, along := rowsBefore(before)
	runs, firsts := []run{}, make([]int, 0, len(inside)/width+1) // firsts are those of rows
	at := make([]int, last)
	for row := range len(inside) / width {
		firsts = append(firsts, len(runs))
		runs = appendRuns(runs, inside[row*width:(row+1)*width], along)
		these := runs[firsts[row]:]
		for _, o := range around {
			if other, ok := o.from(at, dims[:last]); ok {
				end := firsts[other+1]
				joinRuns(runs, firsts[row], these, runs[firsts[other]:end], firsts[other], o)
			}
		}
		step(at, dims[:last])
	}
	firsts = append(firsts, len(runs))
	for i := range runs {
		if p := runs[i].parent; p == i {
			n++
			runs[i].parent = n
		} else {
			runs[i].parent = runs[p].parent
		}
	}
	team.Run(len(firsts)-1, width, func(lo, hi int) {
		clear(labels[lo*width : hi*width])
		for row := lo; row < hi; row++ {
			to := labels[row*width:]
			for _, r := range runs[firsts[row]:firsts[row+1]] {
				part := to[r.start:r.end]
				for i := range part {
					part[i] = int64(r.parent)
				}
			}
		}
	})
	return n
}

// neighbours are the offsets of an earlier row, and of elements in it: from low to high, or only the two.
type neighbours struct {
	row       []int
	low, high int
}

// rowsBefore groups offsets by rows, and reports whether the element before in the same row is a neighbour.
func rowsBefore(offsets [][]int) (list []neighbours, along bool) {
	for _, o := range offsets {
		last := len(o) - 1
		if !slices.ContainsFunc(o[:last], func(v int) bool { return v != 0 }) {
			along = true
			continue
		}
		if k := len(list) - 1; k >= 0 && slices.Equal(list[k].row, o[:last]) && list[k].high+1 == o[last] {
			list[k].high = o[last]
			continue
		}
		list = append(list, neighbours{o[:last], o[last], o[last]})
	}
	return list, along
}

// from returns the row before the one at a position, unless that is outside.
func (o neighbours) from(at, dims []int) (row int, ok bool) {
	for d, v := range o.row {
		i := at[d] + v
		if i < 0 || i >= dims[d] {
			return 0, false
		}
		row = row*dims[d] + i
	}
	return row, true
}

// appendRuns appends the runs of a row: of one element each, if neighbours along it do not count.
func appendRuns(runs []run, row []byte, along bool) []run {
	for at := 0; ; {
		start := bytes.IndexByte(row[at:], 1)
		if start < 0 {
			return runs
		}
		start += at
		end := start + 1
		if along {
			end = len(row)
			if n := bytes.IndexByte(row[start:], 0); n >= 0 {
				end = start + n
			}
		}
		runs, at = append(runs, run{start, end, len(runs)}), end
	}
}

// joinRuns joins runs of a row, whose numbers begin at first, with those of an earlier one that touch them.
func joinRuns(all []run, first int, these, others []run, firstOther int, o neighbours) {
	k := 0
	for i, r := range these {
		for k < len(others) && others[k].end <= r.start+o.low {
			k++
		}
		for j := k; j < len(others) && others[j].start < r.end+o.high; j++ {
			a, b := rootOf(all, first+i), rootOf(all, firstOther+j)
			all[max(a, b)].parent = min(a, b)
		}
	}
}

func rootOf(runs []run, i int) int {
	for runs[i].parent != i {
		runs[i].parent = runs[runs[i].parent].parent
		i = runs[i].parent
	}
	return i
}

// earlier returns the offsets of neighbours that come before the middle in row-major order.
func earlier(op string, x, structure *tensor.Tensor) [][]int {
	offsets := footprint(op, x, structure, false)
	has := map[string]bool{}
	key := func(o []int, sign int) string {
		k := make([]byte, len(o))
		for d, v := range o {
			k[d] = byte(1 + sign*v)
		}
		return string(k)
	}
	for _, n := range structure.Dims() {
		if n != 3 {
			extend.Shape(op, []*tensor.Tensor{x, structure}, "want a structure of 3 elements along each dim, not %v",
				structure.Dims())
		}
	}
	for _, o := range offsets {
		has[key(o, 1)] = true
	}
	out := [][]int{}
	for _, o := range offsets {
		if !has[key(o, -1)] {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x, structure}, "ndimage.BinaryStructure(rank, 1) is one",
				"the structure is not the same from both sides")
		}
		for _, v := range o {
			if v != 0 {
				if v < 0 {
					out = append(out, o)
				}
				break
			}
		}
	}
	return out
}

// step goes on to the next position in row-major order.
func step(at, dims []int) {
	for d := len(dims) - 1; d >= 0; d-- {
		if at[d]++; at[d] < dims[d] {
			return
		}
		at[d] = 0
	}
}

func stridesOf(dims []int) []int { return backend.Dense(dims).Strides }

// Box is a part of an image: from Start to before Stop along each dim.
type Box struct{ Start, Stop []int }

// Of returns the view of x in the box. It panics with ErrShape for an image that does not have it.
func (b Box) Of(x *tensor.Tensor) *tensor.Tensor {
	if len(b.Start) != x.Rank() {
		extend.Shape("box", []*tensor.Tensor{x}, "want an image of %d dims, not %v", len(b.Start), x.Dims())
	}
	for d := range b.Start {
		x = x.Narrow(d, b.Start[d], b.Stop[d]-b.Start[d])
	}
	return x
}

// FindObjects returns the least box around each of the labels 1 to n, as scipy.ndimage.find_objects. The box of a label
// that there is not is empty. It panics with ErrDType for labels that are not integers.
func FindObjects(labels *tensor.Tensor, n int) []Box {
	ids := whole("find objects", labels)
	dims := labels.Dims()
	boxes := make([]Box, n)
	at := make([]int, len(dims))
	for _, id := range ids {
		if id >= 1 && id <= int64(n) {
			b := &boxes[id-1]
			if b.Start == nil {
				b.Start, b.Stop = append([]int{}, at...), make([]int, len(dims))
			}
			for d, v := range at {
				b.Start[d], b.Stop[d] = min(b.Start[d], v), max(b.Stop[d], v+1)
			}
		}
		step(at, dims)
	}
	for i := range boxes {
		if boxes[i].Start == nil {
			boxes[i] = Box{make([]int, len(dims)), make([]int, len(dims))}
		}
	}
	return boxes
}

// whole returns labels, which are integers.
func whole(op string, labels *tensor.Tensor) []int64 {
	Border{}.check(op, labels)
	if dt := labels.DType(); dt.IsFloat() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{labels}, "ndimage.Label(x, nil) returns them",
			"want labels of an integer type, not %v", dt)
	}
	return labels.ToDType(tensor.I64).To(tensor.CPU()).Contiguous().Data().([]int64)
}
