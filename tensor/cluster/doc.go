// Package cluster groups points: k-means, and hierarchies of clusters, under the names of scipy.cluster.
//
//	r := cluster.KMeans(x, 3, cluster.KMeansOptions{})  // x [n d]
//	r.Centroids, r.Labels, r.Inertia                    // [3 d], [n], the sum of squares
//	z := cluster.Linkage(x, cluster.Ward)               // [n-1 4], as in SciPy
//	cluster.FCluster(z, 3, cluster.ByCount)             // [n], from 1 on
//
// KMeans and VQ compute on the device of the points, in their type: F16, BF16 and F8E4M3 as F32, integers as F64.
// Hierarchies are computed on the host in F64. Mistakes panic with a *tensor.Error, as the methods of package tensor
// do. Nothing here has gradients.
//
// # Files
//
//	kmeans.go    KMeans, VQ, Whiten
//	seeds.go     the first centroids
//	linkage.go   Linkage
//	chain.go     nearest-neighbour chains and the minimum spanning tree
//	fcluster.go  FCluster, Cophenet, Leaves
package cluster
