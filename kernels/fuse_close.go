package kernels

import (
	"fmt"
	"strings"
)

// FusedClose is a reduction that closes a chain. It takes its input from the fused chain instead of from memory; the
// result is bit-identical to that of the reduction's own kernel. The zero value means no reduction.
type FusedClose struct {
	Op    string // the row of Reduce
	Rows  FusedRows
	Along bool // rows lie along the last of Rank dims: strided inputs have one stride in each row
}

// FusedRows is the layout of a reduction's rows in the chain's result, like enum Rows of reduce.h.
type FusedRows uint8

// The layouts of rows.
const (
	DenseRows     FusedRows = iota // contiguous rows
	PackedRows                     // contiguous rows, read in packs of RowPack elements
	Columns                        // the columns of a row-major matrix
	PackedColumns                  // such columns, RowPack of them in a pack
)

func (r FusedRows) String() string {
	return [...]string{"DENSE_ROWS", "PACKED_ROWS", "COLUMNS", "PACKED_COLUMNS"}[r]
}

// Packed reports whether a reduction reads packs.
func (r FusedRows) Packed() bool { return r == PackedRows || r == PackedColumns }

// Dense reports whether rows are contiguous.
func (r FusedRows) Dense() bool { return r == DenseRows || r == PackedRows }

// RowPack is the number of adjacent elements that a reduction loads at once, like RowPack of rows.h.
func RowPack(t DType) int { return min(8, 16/t.Size()) }

func (f *Fused) closed() bool { return f.Close.Op != "" }

// out is the result type of the reduction for elements of type t.
func (c *FusedClose) out(t DType) DType {
	return rowOf(Reduce, c.Op, func(r *ReduceOp) string { return r.Name }).Out(t)
}

func (c *FusedClose) appendKey(key []byte) []byte {
	if c.Op == "" {
		return key
	}
	along := byte(0)
	if c.Along {
		along = 1
	}
	return append(append(key, byte(c.Rows), along), c.Op...)
}

// lineWriter collects lines.
type lineWriter []string

func (w *lineWriter) add(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// closing renders the functor of the reduction, the elements that it reduces, and the kernel.
func (f *Fused) closing() []string {
	var w lineWriter
	w.add("%s_OP(%s, %v, %v)", strings.ToUpper(f.Close.Op), f.Close.Op, f.Out(), f.Close.out(f.Out()))
	w = append(w, f.elements()...)
	op := symbol(f.Close.Op, f.Out()) + "_op"
	numbers, names := f.numberParams()
	values := "{" + names + "}"
	for i := range f.Inputs {
		values += fmt.Sprintf(", p%d", i)
	}
	if f.Strided() > 0 {
		values += ", w"
	}
	w.add("%s%s, %s::State* parts, u32* counters, Layout1 l, u64 rows, u64 cols, u64 part) {", f.head(op+"::Out"),
		numbers, op)
	w.add("  const Elements elements = {%s};", values)
	w.add("  const Parts<%s> made = {parts, counters};", op)
	w.add("  reduce(elements, out, made, l, rows, cols, part);")
	w.add("}")
	return w
}

// elements renders the struct through which the reduction reads the chain's result, with the interface of InMemory of
// reduce.h.
func (f *Fused) elements() []string {
	var w lineWriter
	strided, index := f.Strided(), f.index()
	w.add("struct Elements {")
	w.add("  typedef %v T;", f.Out())
	w.add("  static const Rows ROWS = %v;", f.Close.Rows)
	w.add("  static const u32 UNDER_WAY = %d;", f.closeUnderWay())
	w.add("  template <int V> struct Fetched {")
	w.add("    static const int P = V < %d ? V : %[1]d;  // elements that inputs have side by side", max(f.Pack, 1))
	for i, in := range f.Inputs {
		w.add("    Pack<%v, P> x%d[V / P];", in.Type, i)
	}
	w.add("  };")
	w.add("  Chain chain;")
	for i, in := range f.Inputs {
		w.add("  const %v* p%d;", in.Type, i)
	}
	if strided > 0 {
		w.add("  %s w;", f.walk())
		w.add("  %s at[%d];  // of the first element, in strided inputs", index, strided)
		w.add("  %s first;", index)
	}
	w.add("  DEV Elements from(i64 i) const {")
	w.add("    Elements e = *this;")
	for i, in := range f.Inputs {
		if in.Walk == FusedDense {
			w.add("    e.p%d += i;", i)
		}
	}
	switch {
	case strided > 0 && f.Close.Along:
		w.add("    w.places((%s)i, e.at);", index)
	case strided > 0:
		w.add("    e.first = (%s)i;", index)
	}
	w.add("    return e;")
	w.add("  }")
	w = append(w, f.fetch()...)
	w.add("  template <int V> DEV Pack<T, V> value(const Fetched<V>& x) const {")
	w.add("    const int P = Fetched<V>::P;")
	w.add("    Pack<T, V> y;")
	w.add("#pragma unroll")
	w.add("    for (int j = 0; j < V; j++) y.at[j] = chain(%s);", f.each("x.x%d[j / P].at[j %% P]"))
	w.add("    return y;")
	w.add("  }")
	w.add("  template <int V> DEV bool in_packs() const { return %v; }", f.Close.Rows.Packed())
	w.add("};")
	return w
}

// fetch renders the loads of the inputs of a pack of V elements, in packs where inputs have them.
func (f *Fused) fetch() []string {
	var w lineWriter
	w.add("  template <int V> DEV Fetched<V> fetch(i64 pack) const {")
	w.add("    const int P = Fetched<V>::P;")
	w.add("    Fetched<V> x;")
	w.add("#pragma unroll")
	w.add("    for (int k = 0; k < V / P; k++) {")
	w.add("      const i64 i = pack * V + k * P;")
	if n := f.Strided(); n > 0 && !f.Close.Along {
		w.add("      %s at[%d];", f.index(), n)
		w.add("      w.places(first + (%s)i, at);", f.index())
	}
	k := 0
	for i, in := range f.Inputs {
		place, packing := "i", "DENSE"
		if in.Walk != FusedDense {
			if place = fmt.Sprintf("at[%d]", k); f.Close.Along && in.Walk == FusedStrided {
				place += fmt.Sprintf(" + (%s)i * w.strides[%d][%d]", f.index(), k, f.Rank-1)
			}
			k++
		}
		if in.Walk == FusedRepeated {
			packing = "ONE_VALUE"
		}
		w.add("      x.x%d[k] = pack_of<P>(p%d + (%s), %s);", i, i, place, packing)
	}
	w.add("    }")
	w.add("    return x;")
	w.add("  }")
	return w
}

// closeUnderWay is the number of packs, or of elements without packs, that a thread fetches before it computes with the
// first: enough loads in flight to keep the memory busy, without needless code.
func (f *Fused) closeUnderWay() int {
	each := max(2, 8/max(len(f.Inputs), 1))
	if f.Long() {
		each = 2
	}
	if !f.Close.Rows.Packed() {
		each *= 4
	}
	return min(each, 8)
}
