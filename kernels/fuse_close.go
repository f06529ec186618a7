package kernels

import (
	"fmt"
	"strings"
)

// FusedClose is a reduction that closes a chain: it computes the elements of the last step where its kernel alone would read them from memory,
// and makes of them what that would make. The zero value stands for none: the elements are the result.
type FusedClose struct {
	Op    string // the row of Reduce, or sum_wide
	Rows  FusedRows
	Along bool // rows lie along the last of Rank dims: strided inputs have one step in each
}

// FusedRows says how the rows of a reduction lie in the chain's result, as enum Rows of reduce.h does.
type FusedRows uint8

// The ways of rows to lie.
const (
	DenseRows     FusedRows = iota // one after the other
	PackedRows                     // so, and in packs of RowPack elements
	Columns                        // side by side, as the columns of a matrix
	PackedColumns                  // so, RowPack of them in a pack
)

func (r FusedRows) String() string {
	return [...]string{"DENSE_ROWS", "PACKED_ROWS", "COLUMNS", "PACKED_COLUMNS"}[r]
}

// Packed reports whether a reduction takes packs.
func (r FusedRows) Packed() bool { return r == PackedRows || r == PackedColumns }

// RowPack is how many neighbouring elements a reduction takes at once, as RowPack of rows.h.
func RowPack(t DType) int { return min(8, 16/t.Size()) }

func (f *Fused) closed() bool { return f.Close.Op != "" }

// name is what the reduction is called in the kernel's name.
func (c *FusedClose) name() string { return strings.TrimSuffix(c.Op, "_wide") }

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

// closing is the source of elements, as InMemory is one in reduce.h, and the kernel.
func (f *Fused) closing() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	strided := f.Strided()
	index := f.index()
	add("%s_OP(%s, %v)", strings.ToUpper(f.Close.Op), f.Close.Op, f.Out())
	add("struct Elements {")
	add("  typedef %v T;", f.Out())
	add("  static const Rows ROWS = %v;", f.Close.Rows)
	add("  static const u32 UNDER_WAY = %d;", f.closeUnderWay())
	add("  template <int V> struct Fetched {")
	add("    static const int P = V < %d ? V : %d;  // elements that inputs have side by side", f.pack(), f.pack())
	for i, in := range f.Inputs {
		add("    Pack<%v, P> x%d[V / P];", in.Type, i)
	}
	add("  };")
	add("  Chain chain;")
	for i, in := range f.Inputs {
		add("  const %v* p%d;", in.Type, i)
	}
	if strided > 0 {
		add("  %s w;", f.walk())
		add("  %s at[%d];  // of the first element, in strided inputs", index, strided)
		add("  %s first;", index)
	}
	add("  DEV Elements from(i64 i) const {")
	add("    Elements e = *this;")
	for i, in := range f.Inputs {
		if in.Walk == FusedDense {
			add("    e.p%d += i;", i)
		}
	}
	switch {
	case strided > 0 && f.Close.Along:
		add("    w.places((%s)i, e.at);", index)
	case strided > 0:
		add("    e.first = (%s)i;", index)
	}
	add("    return e;")
	add("  }")
	add("  template <int V> DEV Fetched<V> fetch(i64 pack) const {")
	add("    const int P = Fetched<V>::P;")
	add("    Fetched<V> x;")
	add("#pragma unroll")
	add("    for (int k = 0; k < V / P; k++) {")
	add("      const i64 i = pack * V + k * P;")
	if strided > 0 && !f.Close.Along {
		add("      %s at[%d];", index, strided)
		add("      w.places(first + (%s)i, at);", index)
	}
	k := 0
	for i, in := range f.Inputs {
		place, packing := "i", "DENSE"
		if in.Walk != FusedDense {
			place = fmt.Sprintf("at[%d]", k)
			if f.Close.Along && in.Walk == FusedStrided {
				place += fmt.Sprintf(" + (%s)i * w.strides[%d][%d]", index, k, f.Rank-1)
			}
			k++
		}
		if in.Walk == FusedRepeated {
			packing = "ONE_VALUE"
		}
		add("      x.x%d[k] = pack_of<P>(p%d + (%s), %s);", i, i, place, packing)
	}
	add("    }")
	add("    return x;")
	add("  }")
	add("  template <int V> DEV Pack<T, V> value(const Fetched<V>& x) const {")
	add("    const int P = Fetched<V>::P;")
	add("    Pack<T, V> y;")
	add("#pragma unroll")
	add("    for (int j = 0; j < V; j++) y.at[j] = chain(%s);", f.each("x.x%d[j / P].at[j %% P]"))
	add("    return y;")
	add("  }")
	add("  template <int V> DEV bool in_packs() const { return ROWS == PACKED_ROWS || ROWS == PACKED_COLUMNS; }")
	add("};")
	op := symbol(f.Close.Op, f.Out()) + "_op"
	numbers, names := f.numberParams()
	add("%s%s, Layout1 l, u64 rows, u64 cols, u64 part) {", f.head(op+"::Out"), numbers)
	values := []string{"{" + names + "}"}
	for i := range f.Inputs {
		values = append(values, fmt.Sprintf("p%d", i))
	}
	if strided > 0 {
		values = append(values, "w")
	}
	add("  const Elements elements = {%s};", strings.Join(values, ", "))
	add("  reduce<%s>(elements, out, l, rows, cols, part);", op)
	add("}")
	return lines
}

// pack is Pack, at least 1.
func (f *Fused) pack() int { return max(f.Pack, 1) }

// closeUnderWay is how many packs, or elements where there are no packs, a thread fetches before it computes with the first: enough to keep the
// memory busy, and no more where the code would grow for nothing.
func (f *Fused) closeUnderWay() int {
	each := max(2, 8/max(len(f.Inputs), 1))
	if f.long() {
		each = 2
	}
	if !f.Close.Rows.Packed() {
		each *= 4
	}
	return min(each, 8)
}
