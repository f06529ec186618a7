package spatial_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// suite compares with SciPy on a device.
type suite struct{ *testutil.Suite }

func newSuite(t *testing.T, dev *tensor.Device, dt tensor.DType) *suite {
	s := &suite{testutil.NewSuite(t, dev, dt, 2e-5, 1e-10)}
	s.Huge = math.Inf(1)
	return s
}

// TestSciPy compares all functions with SciPy's.
func TestSciPy(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		newSuite(t, dev, tensor.F32).metrics()
		s := newSuite(t, dev, tensor.F64)
		s.metrics()
		s.neighbours()
		s.plane()
		s.All()
	})
}

func (s *suite) metrics() {
	a, b, p, q, m, n := s.Input("a"), s.Input("b"), s.Input("p"), s.Input("q"), s.Input("m"), s.Input("n")
	for name, metric := range map[string]spatial.Metric{
		"euclidean": spatial.Euclidean, "sqeuclidean": spatial.SqEuclidean, "cityblock": spatial.CityBlock,
		"chebyshev": spatial.Chebyshev, "cosine": spatial.Cosine, "correlation": spatial.Correlation,
		"canberra": spatial.Canberra, "braycurtis": spatial.BrayCurtis,
	} {
		s.Check("cdist "+name, spatial.CDist(a, b, metric))
		s.Check("pdist "+name, spatial.PDist(a, metric))
	}
	s.Check("cdist positive canberra", spatial.CDist(p, q, spatial.Canberra))
	s.Check("cdist positive jensenshannon", spatial.CDist(p, q, spatial.JensenShannon))
	s.Check("cdist sets hamming", spatial.CDist(m, n, spatial.Hamming))
	s.Check("cdist sets jaccard", spatial.CDist(m, n, spatial.Jaccard))
	for name, metric := range map[string]spatial.Metric{
		"dice": spatial.Dice, "yule": spatial.Yule, "rogerstanimoto": spatial.RogersTanimoto,
		"russellrao": spatial.RussellRao, "sokalsneath": spatial.SokalSneath,
	} {
		s.Check("cdist sets "+name, spatial.CDist(m.Narrow(0, 1, 5), n.Narrow(0, 1, 3), metric))
	}
	for _, power := range []float64{0.5, 1, 2, 3, 1.5} {
		s.Check(fmt.Sprintf("cdist minkowski %g", power), spatial.CDist(a, b, spatial.Minkowski(power)))
	}
	s.Check("cdist seuclidean", spatial.CDist(a, b, spatial.SEuclidean(s.Input("variances"))))
	s.Check("cdist mahalanobis", spatial.CDist(a, b, spatial.Mahalanobis(s.Input("inverse"))))
	square := spatial.SquareForm(spatial.PDist(a, spatial.Euclidean))
	s.Check("squareform", square)
	s.Check("pdist euclidean", spatial.SquareForm(square))
}

func (s *suite) neighbours() {
	for _, d := range []int{1, 2, 3, 6} {
		tree := spatial.NewKDTree(s.Input(fmt.Sprint("points ", d)))
		x := s.Input(fmt.Sprint("x ", d))
		for name, p := range map[string]float64{"1": 1, "2": 2, "3": 3, "inf": math.Inf(1)} {
			distances, ids := tree.Query(x, 5, spatial.Near{P: p})
			s.Check(fmt.Sprintf("distances %d %s", d, name), distances)
			s.Check(fmt.Sprintf("ids %d %s", d, name), ids)
			counts := []float64{}
			for _, list := range tree.QueryBall(x, 0.3, spatial.Near{P: p}) {
				counts = append(counts, float64(len(list)))
			}
			s.Numbers(fmt.Sprintf("counts %d %s", d, name), counts)
		}
		distances, ids := tree.Query(x, 5, spatial.Near{Within: 0.1})
		s.Check(fmt.Sprint("bound distances ", d), distances)
		s.Check(fmt.Sprint("bound ids ", d), ids)
		pairs := []float64{}
		for _, p := range tree.QueryPairs(0.01) {
			pairs = append(pairs, float64(p[0]), float64(p[1]))
		}
		s.Numbers(fmt.Sprint("pairs ", d), pairs)
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
		points := s.Input(fmt.Sprint("plane ", n))
		d := spatial.Delaunay(points)
		triangles := d.Triangles.ToVec2()
		s.Numbers(fmt.Sprint("triangles ", n), flatten(sortedTriangles(triangles)))
		x := s.Input(fmt.Sprint("at ", n))
		found := []float64{}
		for _, id := range d.Find(x).ToVec1() {
			if id < 0 {
				found = append(found, -1, -1, -1)
			} else {
				found = append(found, sortedTriangles([][]float64{triangles[int(id)]})[0]...)
			}
		}
		s.Numbers(fmt.Sprint("found ", n), found)
		hull := spatial.ConvexHull(points)
		s.Numbers(fmt.Sprint("hull ", n), sortedTriangles([][]float64{hull.Vertices.ToVec1()})[0])
		s.Numbers(fmt.Sprint("sizes ", n), []float64{hull.Area, hull.Perimeter})
		cells := spatial.Voronoi(points)
		ridges := cells.RidgePoints.ToVec2()
		for _, r := range ridges {
			slices.Sort(r)
		}
		slices.SortFunc(ridges, slices.Compare)
		s.Numbers(fmt.Sprint("ridges ", n), flatten(ridges))
		vertices := cells.Vertices.ToVec2()
		slices.SortFunc(vertices, slices.Compare)
		s.Numbers(fmt.Sprint("vertices ", n), flatten(vertices))
		sizes := []float64{}
		for _, r := range cells.Regions {
			sizes = append(sizes, float64(len(r)))
		}
		s.Numbers(fmt.Sprint("regions ", n), sizes)
	}
}
