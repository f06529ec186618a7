// Package spatial has distances, nearest neighbours, triangulations and hulls of points, under the names of
// scipy.spatial.
//
//	d := spatial.CDist(a, b, spatial.Euclidean)  // a [n d], b [m d]: [n m]
//	tree := spatial.NewKDTree(points)            // [n d]
//	distances, ids := tree.Query(x, 3)           // x [… d]: [… 3] each
//	near := tree.QueryBall(x, 0.5)               // the points within 0.5 of each position
//	t := spatial.Delaunay(points)                // t.Triangles [m 3]
//	hull := spatial.ConvexHull(points)           // hull.Vertices, hull.Area
//
// Distances are tensor operations on the device of the points, with gradients, in their type: F16, BF16 and F8E4M3 are
// computed as F32 and rounded, integers in F64 with results of DefaultDType. Trees, triangulations and hulls are
// computed on the host in F64, from points of any device. They decide on which side of a line or of a circle a point
// is without rounding errors (exact.go), so that no input misleads them. Mistakes panic with a *tensor.Error, as the
// methods of package tensor do.
//
// # Files
//
//	distance.go  CDist, PDist, SquareForm
//	metric.go    the metrics; host.go: those that loops compute on the host
//	kdtree.go    KDTree: how it is built; query.go: its nearest neighbours and balls
//	exact.go     points of a plane, their orientations and circles, exactly
//	delaunay.go  Delaunay; mesh.go: its triangles while points are added
//	locate.go    the triangle of a position
//	hull.go      ConvexHull
//	voronoi.go   Voronoi
package spatial
