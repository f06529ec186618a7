package spatial_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/spatial"
)

func ExampleCDist() {
	a, b := tensor.Of(0, 0, 1, 1).Reshape(2, 2), tensor.Of(3, 4).Reshape(1, 2)
	fmt.Println(spatial.CDist(a, b, spatial.Euclidean).ToVec2(), spatial.CDist(a, b, spatial.CityBlock).ToVec2())
	// Output: [[5] [3.605551242828369]] [[7] [5]]
}

func ExampleKDTree_Query() {
	tree := spatial.NewKDTree(tensor.Of(0, 0, 1, 0, 5, 5).Reshape(3, 2))
	distances, ids := tree.Query(tensor.Of(0.75, 0), 2)
	fmt.Println(distances.ToVec1(), ids.ToVec1(), tree.QueryBall(tensor.Of(0.75, 0), 0.5))
	// Output: [0.25 0.75] [1 0] [[1]]
}

func ExampleDelaunay() {
	t := spatial.Delaunay(tensor.Of(0, 0, 2, 0, 0, 2, 3, 3).Reshape(4, 2))
	fmt.Println(t)
	fmt.Println(t.Find(tensor.Of(0.5, 0.5, -1, 0).Reshape(2, 2)).ToVec1()[1])
	// Output:
	// triangulation of 4 points: 2 triangles
	// -1
}

func ExampleConvexHull() {
	fmt.Println(spatial.ConvexHull(tensor.Of(0, 0, 2, 0, 1, 1, 0, 2, 2, 2).Reshape(5, 2)))
	// Output: convex hull of 4 corners, area 4, perimeter 8
}
