package spatial_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// onDevices runs f on every device of this machine: an AMD GPU may be the emulated one.
func onDevices(t *testing.T, f func(t *testing.T, dev *tensor.Device)) {
	for _, name := range []string{"cpu", "rocm", "cuda"} {
		t.Run(name, func(t *testing.T) {
			dev, err := tensor.NewDevice(name)
			if err != nil {
				t.Skip(err)
			}
			f(t, dev)
		})
	}
}

// array is an array that SciPy computed.
type array struct {
	Shape  []int
	Values []float64
}

// suite runs cases on a device.
type suite struct {
	*testing.T
	dev  *tensor.Device
	dt   tensor.DType
	want map[string]array
	seen map[string]bool
}

func newSuite(t *testing.T, dev *tensor.Device, dt tensor.DType) *suite {
	text, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{T: t, dev: dev, dt: dt, seen: map[string]bool{}}
	if err := json.Unmarshal(text, &s.want); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *suite) input(name string) *tensor.Tensor {
	s.seen[name] = true
	a, ok := s.want[name]
	if !ok {
		s.Fatalf("%s is not recorded", name)
	}
	return s.dev.FromSlice(a.Values, a.Shape...).ToDType(s.dt)
}

// check compares a result with SciPy's, with a tolerance relative to the larger of the element and 1.
func (s *suite) check(name string, got *tensor.Tensor) {
	s.Helper()
	want, ok := s.want[name]
	s.seen[name] = true
	if !ok || !slices.Equal(got.Dims(), want.Shape) || got.DType() != s.dt && got.DType() != tensor.I64 {
		s.Errorf("%s: %v of %v, want shape %v of %v", name, got.Dims(), got.DType(), want.Shape, s.dt)
		return
	}
	s.numbers(name, got.Float64s())
}

func (s *suite) numbers(name string, values []float64) {
	s.Helper()
	want := s.want[name]
	s.seen[name] = true
	if len(values) != len(want.Values) {
		s.Errorf("%s: %d numbers, want %d", name, len(values), len(want.Values))
		return
	}
	tol := map[tensor.DType]float64{tensor.F64: 1e-10, tensor.F32: 2e-5}[s.dt]
	for i, w := range want.Values {
		if w == 1e300 {
			w = math.Inf(1)
		}
		if !(values[i] == w || math.Abs(values[i]-w) <= tol*max(1, math.Abs(w))) {
			s.Errorf("%s: element %d is %.12g, want %.12g", name, i, values[i], w)
			return
		}
	}
}

// TestSciPy compares all functions with SciPy's.
func TestSciPy(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *tensor.Device) {
		newSuite(t, dev, tensor.F32).metrics()
		s := newSuite(t, dev, tensor.F64)
		s.metrics()
		s.neighbours()
		s.plane()
		for name := range s.want {
			if !s.seen[name] {
				t.Errorf("%s is not compared", name)
			}
		}
	})
}

func (s *suite) metrics() {
	a, b, p, q, m, n := s.input("a"), s.input("b"), s.input("p"), s.input("q"), s.input("m"), s.input("n")
	for name, metric := range map[string]spatial.Metric{
		"euclidean": spatial.Euclidean, "sqeuclidean": spatial.SqEuclidean, "cityblock": spatial.CityBlock,
		"chebyshev": spatial.Chebyshev, "cosine": spatial.Cosine, "correlation": spatial.Correlation,
		"canberra": spatial.Canberra, "braycurtis": spatial.BrayCurtis,
	} {
		s.check("cdist "+name, spatial.CDist(a, b, metric))
		s.check("pdist "+name, spatial.PDist(a, metric))
	}
	s.check("cdist positive canberra", spatial.CDist(p, q, spatial.Canberra))
	s.check("cdist positive jensenshannon", spatial.CDist(p, q, spatial.JensenShannon))
	s.check("cdist sets hamming", spatial.CDist(m, n, spatial.Hamming))
	s.check("cdist sets jaccard", spatial.CDist(m, n, spatial.Jaccard))
	for name, metric := range map[string]spatial.Metric{
		"dice": spatial.Dice, "yule": spatial.Yule, "rogerstanimoto": spatial.RogersTanimoto,
		"russellrao": spatial.RussellRao, "sokalsneath": spatial.SokalSneath,
	} {
		s.check("cdist sets "+name, spatial.CDist(m.Narrow(0, 1, 5), n.Narrow(0, 1, 3), metric))
	}
	for _, power := range []float64{0.5, 1, 2, 3, 1.5} {
		s.check(fmt.Sprintf("cdist minkowski %g", power), spatial.CDist(a, b, spatial.Minkowski(power)))
	}
	s.check("cdist seuclidean", spatial.CDist(a, b, spatial.SEuclidean(s.input("variances"))))
	s.check("cdist mahalanobis", spatial.CDist(a, b, spatial.Mahalanobis(s.input("inverse"))))
	square := spatial.SquareForm(spatial.PDist(a, spatial.Euclidean))
	s.check("squareform", square)
	s.check("pdist euclidean", spatial.SquareForm(square))
}

func (s *suite) neighbours() {
	for _, d := range []int{1, 2, 3, 6} {
		tree := spatial.NewKDTree(s.input(fmt.Sprint("points ", d)))
		x := s.input(fmt.Sprint("x ", d))
		for name, p := range map[string]float64{"1": 1, "2": 2, "3": 3, "inf": math.Inf(1)} {
			distances, ids := tree.Query(x, 5, spatial.Near{P: p})
			s.check(fmt.Sprintf("distances %d %s", d, name), distances)
			s.check(fmt.Sprintf("ids %d %s", d, name), ids)
			counts := []float64{}
			for _, list := range tree.QueryBall(x, 0.3, spatial.Near{P: p}) {
				counts = append(counts, float64(len(list)))
			}
			s.numbers(fmt.Sprintf("counts %d %s", d, name), counts)
		}
		distances, ids := tree.Query(x, 5, spatial.Near{Within: 0.1})
		s.check(fmt.Sprint("bound distances ", d), distances)
		s.check(fmt.Sprint("bound ids ", d), ids)
		pairs := []float64{}
		for _, p := range tree.QueryPairs(0.01) {
			pairs = append(pairs, float64(p[0]), float64(p[1]))
		}
		s.numbers(fmt.Sprint("pairs ", d), pairs)
	}
}

// sortedTriangles has the least corner of each triangle first.
func sortedTriangles(rows [][]float64) [][]float64 {
	out := [][]float64{}
	for _, r := range rows {
		at := slices.Index(r, slices.Min(r))
		out = append(out, append(slices.Clone(r[at:]), r[:at]...))
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

func flatten(rows [][]float64) []float64 { return slices.Concat(rows...) }

// plane compares triangulations, hulls and cells with Qhull's.
func (s *suite) plane() {
	for _, n := range []int{3, 5, 60} {
		points := s.input(fmt.Sprint("plane ", n))
		d := spatial.Delaunay(points)
		triangles := d.Triangles.ToVec2()
		s.numbers(fmt.Sprint("triangles ", n), flatten(sortedTriangles(triangles)))
		x := s.input(fmt.Sprint("at ", n))
		found := []float64{}
		for _, id := range d.Find(x).ToVec1() {
			if id < 0 {
				found = append(found, -1, -1, -1)
			} else {
				found = append(found, sortedTriangles([][]float64{triangles[int(id)]})[0]...)
			}
		}
		s.numbers(fmt.Sprint("found ", n), found)
		hull := spatial.ConvexHull(points)
		s.numbers(fmt.Sprint("hull ", n), sortedTriangles([][]float64{hull.Vertices.ToVec1()})[0])
		s.numbers(fmt.Sprint("sizes ", n), []float64{hull.Area, hull.Perimeter})
		cells := spatial.Voronoi(points)
		ridges := cells.RidgePoints.ToVec2()
		for _, r := range ridges {
			slices.Sort(r)
		}
		slices.SortFunc(ridges, slices.Compare)
		s.numbers(fmt.Sprint("ridges ", n), flatten(ridges))
		vertices := cells.Vertices.ToVec2()
		slices.SortFunc(vertices, slices.Compare)
		s.numbers(fmt.Sprint("vertices ", n), flatten(vertices))
		sizes := []float64{}
		for _, r := range cells.Regions {
			sizes = append(sizes, float64(len(r)))
		}
		s.numbers(fmt.Sprint("regions ", n), sizes)
	}
}
