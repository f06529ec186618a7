package selftest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

// matrixSource multiplies matrices of f16, of 16×16 elements or, on gfx950 and gfx1250, of 16×32 and 32×16, by one
// instruction of the matrix cores, which has one element that differs from the others: block b sets values b%LANE_K of
// the lanes with l%LANES == b/LANE_K. It has the instruction only, and none of gorocm's layouts.
const matrixSource = `
#if defined(__GFX11__)
#define LANE_K 16
#define LANE_ROWS 8
#define LANES 16 // lanes 16 apart must have the same values
#define PRODUCT __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c)
#elif defined(__gfx1200__) || defined(__gfx1201__)
#define LANE_K 8
#define LANE_ROWS 8
#define LANES 32
#define PRODUCT __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c)
#elif defined(__gfx1250__)
#define LANE_K 16
#define LANE_ROWS 8
#define LANES 32
#define PRODUCT __builtin_amdgcn_wmma_f32_16x16x32_f16(false, a, false, b, 0, c, false, false)
#elif defined(__gfx950__)
#define LANE_K 8
#define LANE_ROWS 4
#define LANES 64
#define PRODUCT __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0)
#else
#define LANE_K 4
#define LANE_ROWS 4
#define LANES 64
#define PRODUCT __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)
#endif
typedef _Float16 Values __attribute__((ext_vector_type(LANE_K)));
typedef float Results __attribute__((ext_vector_type(LANE_ROWS)));
extern "C" __global__ void lanes(float *out, unsigned which) {
  unsigned lane = threadIdx.x, block = blockIdx.x;
  Values a, b;
  Results c;
  for (int i = 0; i < LANE_K; i++) {
    _Float16 one = lane % LANES == block / LANE_K && i == block % LANE_K ? 1 : 0;
    a[i] = which == 1 ? (_Float16)1 : one;
    b[i] = which == 0 ? (_Float16)1 : which == 1 ? one : (_Float16)(1 + lane / 16 % (LANES / 16) * LANE_K + i);
  }
  for (int i = 0; i < LANE_ROWS; i++) c[i] = 0;
  c = PRODUCT;
  for (int i = 0; i < LANE_ROWS; i++) out[(block * blockDim.x + lane) * LANE_ROWS + i] = c[i];
}`

// matrixForm is what gorocm's kernels (matrix.h) take a matrix instruction for.
type matrixForm struct {
	name                   string
	wave, each, rows, span int // lanes, values of a lane, results of a lane, lanes with values of their own
	row                    func(lane, i int) int
}

var (
	wmma11  = &matrixForm{"v_wmma_f32_16x16x16_f16", 32, 16, 8, 16, func(l, i int) int { return 2*i + l/16 }}
	wmma12  = &matrixForm{"v_wmma_f32_16x16x16_f16", 32, 8, 8, 32, func(l, i int) int { return i + l/16*8 }}
	wmma125 = &matrixForm{"v_wmma_f32_16x16x32_f16", 32, 16, 8, 32, wmma12.row}
	mfma    = &matrixForm{"v_mfma_f32_16x16x16_f16", 64, 4, 4, 64, func(l, i int) int { return i + l/16*4 }}
	mfma950 = &matrixForm{"v_mfma_f32_16x16x32_f16", 64, 8, 4, 64, mfma.row}
)

// matrixFormOf is nil where kernels use no matrix instruction of AMD's.
func matrixFormOf(i rocm.Info) *matrixForm {
	arch, _, _ := strings.Cut(i.Arch, ":")
	switch {
	case strings.HasPrefix(arch, "gfx11") && i.Wave == 32:
		return wmma11
	case arch == "gfx1200" || arch == "gfx1201":
		return wmma12
	case arch == "gfx1250":
		return wmma125
	case slices.Contains([]string{"gfx908", "gfx90a", "gfx942"}, arch):
		return mfma
	case arch == "gfx950":
		return mfma950
	}
	return nil
}

// checkMatrix finds out from the results of single instructions where in the lanes the elements of matrices lie, and
// compares that with what the kernels take for granted.
func checkMatrix(t devicetest.T, d *rocm.Device, tell func(event)) {
	form := matrixFormOf(d.Info())
	if form == nil {
		t.Skip("gorocm uses no matrix instruction of AMD's on ", d.Info().Arch)
	}
	m, err := d.Compile("matrix.hip", matrixSource)
	if d.Emulated() && errors.Is(err, rocm.ErrNoLibrary) {
		t.Skip("no compiler for kernels of one's own: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var results [3][]float32
	for which := range results {
		if results[which], err = form.run(d, m, which); err != nil {
			t.Fatal(err)
		}
	}
	found := form.found(results)
	tell(event{Fact: &Fact{"matrix cores", form.name + ": " + found.text(form)}})
	found.compare(t, form)
}

// run launches the kernel and returns the results of all blocks.
func (f *matrixForm) run(d *rocm.Device, m *rocm.Module, which int) ([]float32, error) {
	lanes, err := m.Function("lanes")
	if err != nil {
		return nil, err
	}
	blocks := f.span * f.each
	out, err := d.Alloc(4 * blocks * f.wave * f.rows)
	if err != nil {
		return nil, err
	}
	defer out.Free()
	got := make([]byte, out.Len())
	err = d.Launch(lanes, [3]int{blocks, 1, 1}, [3]int{f.wave, 1, 1}, 0,
		rocm.NewArgs().Buffer(out, 0).U32(uint32(which)))
	if err := errors.Join(err, out.Download(got, 0)); err != nil {
		return nil, err
	}
	values := make([]float32, len(got)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:]))
	}
	return values, nil
}

// matrixPlaces is what a probe has found: of each result (lane·rows + i) its row, which is the lane%16 of the values of
// A that are in it, and its column; -1 where they are not of one row or column. ks are the values of k of B that each
// value of A was multiplied by; negative where not all results have the same one.
type matrixPlaces struct{ rows, columns, ks []int }

func (f *matrixForm) found(results [3][]float32) matrixPlaces {
	n := f.wave * f.rows
	from := func(values []float32) []int {
		places := make([]int, n)
		for at := range n {
			places[at] = -1
			times := 0
			for block := range f.span * f.each {
				if values[block*n+at] == 0 {
					continue
				}
				lane := block / f.each % 16
				if times++; times == 1 {
					places[at] = lane
				} else if places[at] != lane {
					times = 17
				}
			}
			if times != f.span*f.each/16 { // each value of k once
				places[at] = -1
			}
		}
		return places
	}
	p := matrixPlaces{from(results[0]), from(results[1]), make([]int, f.span*f.each)}
	for block := range p.ks {
		p.ks[block] = -1
		for _, v := range results[2][block*n : (block+1)*n] {
			switch k := int(v) - 1; {
			case v == 0: // another row
			case p.ks[block] == -1 || p.ks[block] == k:
				p.ks[block] = k
			default:
				p.ks[block] = -2
			}
		}
	}
	return p
}

// text describes the results of the first lane of each 16.
func (p matrixPlaces) text(f *matrixForm) string {
	var parts []string
	for lane := 0; lane < f.wave; lane += 16 {
		at := lane * f.rows
		parts = append(parts, fmt.Sprintf("lane %d has rows %v of column %d", lane, p.rows[at:at+f.rows],
			p.columns[at]))
	}
	return strings.Join(parts, ", ")
}

func (p matrixPlaces) compare(t devicetest.T, f *matrixForm) {
	for at := range p.rows {
		lane, i := at/f.rows, at%f.rows
		if row, column := f.row(lane, i), lane%16; p.rows[at] != row || p.columns[at] != column {
			t.Errorf("%s: result %d of lane %d is in row %d, column %d; kernels take it for row %d, column %d", f.name,
				i, lane, p.rows[at], p.columns[at], row, column)
		}
	}
	for block, k := range p.ks {
		if lane, i := block/f.each, block%f.each; k != lane/16*f.each+i {
			t.Errorf("%s: value %d of lane %d of A is multiplied by value %d of B's, not by the same", f.name, i,
				lane, k)
		}
	}
}
