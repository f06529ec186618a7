package kernels_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

var bitTypes = []struct {
	name string
	size int
}{{"b8", 1}, {"b16", 2}, {"b32", 4}, {"b64", 8}}

func randomBytes(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestWhere(t *testing.T) {
	for n, c := range []kernels.DType{kernels.U8, kernels.U32, kernels.I64} {
		for k, b := range bitTypes {
			t.Run(fmt.Sprintf("%s_%s", c, b.name), func(t *testing.T) {
				for _, i := range someViews(n + k) {
					v := views[i]
					d := newDevice(t)
					n := v.a.count()
					third := dense(v.a.dims...)
					cond := integers(c, v.b.size(), uint64(i))
					for j := range cond {
						if j%3 == 0 {
							cond[j] = 0
						}
					}
					yes, no := randomBytes(v.a.size()*b.size, 1), randomBytes(n*b.size, 2)
					out := d.put(make([]byte, n*b.size), 0)
					d.launch(fmt.Sprintf("where_%s_%s", c, b.name), grid,
						d.put(encode(c, cond), 0)+uint64(int(v.b.offset)*c.Size()),
						d.put(yes, 0)+uint64(int(v.a.offset)*b.size), d.put(no, 0), out,
						layout3(v.b, v.a, third, i%2 == 0), uint64(n))
					got := d.get(out, n*b.size)
					ca, ya := v.b.at(), v.a.at()
					for k := range n {
						want := no[k*b.size : (k+1)*b.size]
						if cond[ca[k]] != 0 {
							want = yes[ya[k]*b.size : (ya[k]+1)*b.size]
						}
						if !bytes.Equal(got[k*b.size:(k+1)*b.size], want) {
							t.Fatalf("%s, %s: element %d: cond %d, got %x, want %x", v.b.name, v.a.name, k, cond[ca[k]],
								got[k*b.size:(k+1)*b.size], want)
						}
					}
				}
			})
		}
	}
}

func TestCopy(t *testing.T) {
	for k, b := range bitTypes {
		t.Run(b.name, func(t *testing.T) {
			for _, i := range someViews(k) {
				v := views[i]
				checkCopy(t, b.name, b.size, v.a, dense(v.a.dims...), i%2 == 0)
				if injective(v.a) {
					checkCopy(t, b.name, b.size, dense(v.a.dims...), v.a, i%2 == 1)
				}
			}
			for i, v := range transposedViews {
				checkCopy(t, b.name, b.size, v, dense(v.dims...), i%2 == 0)
			}
		})
	}
}

// transposedViews are matrices whose columns are dense: whole packs of them, and not.
var transposedViews = []view{
	{name: "transposed matrix", dims: []int64{152, 264}, strides: []int64{1, 152}},
	{name: "transposed matrices", dims: []int64{3, 40, 136}, strides: []int64{40 * 136, 1, 40}},
	{name: "transposed matrices, transposed", dims: []int64{2, 16, 3, 24}, strides: []int64{16 * 24, 1, 2 * 16 * 24, 16},
		offset: 16},
	{name: "transposed matrix at an odd place", dims: []int64{64, 72}, strides: []int64{1, 64}, offset: 3},
	{name: "transposed matrix of odd size", dims: []int64{67, 72}, strides: []int64{1, 67}},
}

func checkCopy(t *testing.T, name string, size int, from, to view, index32 bool) {
	t.Helper()
	d := newDevice(t)
	in, want := randomBytes(from.size()*size, 1), randomBytes(to.size()*size, 2)
	out := d.put(want, 0)
	d.launch("copy_"+name, grid, d.put(in, 0)+uint64(int(from.offset)*size), out+uint64(int(to.offset)*size),
		layout2(from, to, index32), uint64(from.count()))
	fa, ta := from.at(), to.at()
	for k := range fa {
		copy(want[ta[k]*size:(ta[k]+1)*size], in[fa[k]*size:(fa[k]+1)*size])
	}
	if got := d.get(out, len(want)); !bytes.Equal(got, want) {
		t.Errorf("%s to %s: differs", from.name, to.name)
	}
	d.reset()
}

func injective(v view) bool {
	seen := map[int]bool{}
	for _, p := range v.at() {
		if seen[p] {
			return false
		}
		seen[p] = true
	}
	return true
}

func TestFill(t *testing.T) {
	for k, b := range bitTypes {
		t.Run(b.name, func(t *testing.T) {
			for _, i := range someViews(k) {
				v := views[i]
				d := newDevice(t)
				before := randomBytes(v.a.size()*b.size, 4)
				out := d.put(before, 0)
				bits := uint64(0x8877665544332211)
				d.launch("fill_"+b.name, grid, out+uint64(int(v.a.offset)*b.size), layout1(v.a, i%2 == 0),
					uint64(v.a.count()), bits)
				want := bytes.Clone(before)
				for _, p := range v.a.at() {
					copy(want[p*b.size:(p+1)*b.size], pack([]any{bits}))
				}
				if got := d.get(out, len(before)); !bytes.Equal(got, want) {
					t.Errorf("%s: differs", v.a.name)
				}
			}
		})
	}
}

func TestArange(t *testing.T) {
	const n = 1500
	for _, dt := range kernels.Numbers {
		t.Run(dt.String(), func(t *testing.T) {
			d := newDevice(t)
			out := d.put(make([]byte, n*dt.Size()), 0)
			if dt.IsFloat() {
				d.launch("arange_"+dt.String(), grid, out, uint64(n), 0.3, -0.1)
				for i, got := range decode[float64](dt, d.get(out, n*dt.Size())) {
					if want := kernels.Round(dt, 0.3+float64(float64(i)*-0.1)); got != want {
						t.Fatalf("element %d: got %v, want %v", i, got, want)
					}
				}
				return
			}
			d.launch("arange_"+dt.String(), grid, out, uint64(n), int64(100), int64(-77))
			for i, got := range decode[int64](dt, d.get(out, n*dt.Size())) {
				if want := wrap(dt, 100-77*int64(i)); got != want {
					t.Fatalf("element %d: got %v, want %v", i, got, want)
				}
			}
		})
	}
}

func TestIndexSelect(t *testing.T) {
	const left, size, right = 3, 10, 5
	for _, index := range []kernels.DType{kernels.U8, kernels.U32, kernels.I64} {
		for _, b := range bitTypes {
			t.Run(fmt.Sprintf("%s_%s", index, b.name), func(t *testing.T) {
				for _, bad := range []bool{false, true} {
					ids := []int64{3, 0, 9, 9, 4, 7, 1}
					if bad {
						ids[5] = size
						if index == kernels.I64 {
							ids[5] = -1
						}
					}
					d := newDevice(t)
					in := randomBytes(left*size*right*b.size, 5)
					out := d.put(make([]byte, left*len(ids)*right*b.size), 0)
					fault := d.put(make([]byte, 8), 0)
					d.launch(fmt.Sprintf("index_select_%s_%s", index, b.name), grid, d.put(encode(index, ids), 0),
						d.put(in, 0), out, int64(1),
						uint64(left), uint64(size), uint64(len(ids)), uint64(right), fault)
					want := []byte{}
					for l := range left {
						for _, id := range ids {
							if id < 0 || id >= size {
								want = append(want, make([]byte, right*b.size)...)
								continue
							}
							p := (l*size + int(id)) * right * b.size
							want = append(want, in[p:p+right*b.size]...)
						}
					}
					if got := d.get(out, len(want)); !bytes.Equal(got, want) {
						t.Errorf("ids %v: got\n%x, want\n%x", ids, got, want)
					}
					if got, want := decode[int64](kernels.I64, d.get(fault, 8))[0], 6*bit(bad); got != want {
						t.Errorf("ids %v: fault is %d, want %d", ids, got, want)
					}
				}
			})
		}
	}
}

func TestRandom(t *testing.T) {
	const seed, counter = 0x123456789abcdef0, 0xfffffffe // the counter carries into its upper half
	for _, dt := range kernels.Floats {
		for _, n := range []int{0, 1, 4, 1027, 4099} {
			d := newDevice(t)
			out := d.put(make([]byte, n*dt.Size()), 0)
			d.launch("rand_"+dt.String(), grid, out, uint64(n), uint64(seed), uint64(counter), uint64(0), -1.5, 2.25)
			for i, got := range decode[float64](dt, d.get(out, n*dt.Size())) {
				if want := kernels.Uniform4(dt, seed, counter+uint64(i/4), -1.5, 2.25)[i%4]; got != want {
					t.Fatalf("rand_%s: element %d: got %v, want %v", dt, i, got, want)
				}
			}
			d.launch("randn_"+dt.String(), grid, out, uint64(n), uint64(seed), uint64(counter), uint64(0), 0.5, 2.0)
			for i, got := range decode[float64](dt, d.get(out, n*dt.Size())) {
				want := kernels.Normal4(dt, seed, counter+uint64(i/4), 0.5, 2)[i%4]
				if math.Abs(got-want) > 6*ulp(dt, max(math.Abs(want), 2)) { // the sum with the mean may cancel
					t.Fatalf("randn_%s: element %d: got %v, want %v", dt, i, got, want)
				}
			}
		}
	}
}
