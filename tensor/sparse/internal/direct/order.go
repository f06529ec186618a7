package direct

import "slices"

// Order returns an order of the columns of a square matrix that keeps its factors sparse: that of minimum degree in
// the graph of A + Aᵀ, with the bounds of degrees of Amestoy, Davis and Duff ("An approximate minimum degree ordering
// algorithm", 1996). The graph after the elimination of columns is kept as cliques: those of eliminated columns.
func Order(n int, offsets []int64, rows []uint32) []int32 {
	g := newGraph(n, offsets, rows)
	order := make([]int32, 0, n)
	for len(order) < n {
		p := g.least()
		order = append(order, p)
		g.eliminate(p)
	}
	return order
}

// graph is what is left of the graph. A node is a column, or the clique of an eliminated column.
type graph struct {
	n        int
	columns  [][]int32 // of each column: its neighbours that no clique has
	cliques  [][]int32 // of each column: the cliques that it is in
	members  [][]int32 // of each clique, which has the number of its column
	degree   []int32   // at least the number of neighbours of a column, -1 when it is eliminated
	absorbed []bool    // cliques that are part of another one

	first, next, before []int32 // lists of columns of each degree, -1 at their ends
	lowest              int     // no column has a lower degree

	mark  []int32 // of columns, by round
	outer []int32 // of cliques: members that are not in the new clique
	seen  []int32 // the round of outer
	round int32
}

func newGraph(n int, offsets []int64, rows []uint32) *graph {
	g := &graph{n: n, columns: make([][]int32, n), cliques: make([][]int32, n), members: make([][]int32, n),
		degree: make([]int32, n), absorbed: make([]bool, n), first: make([]int32, n+1), next: make([]int32, n),
		before: make([]int32, n), mark: make([]int32, n), outer: make([]int32, n), seen: make([]int32, n)}
	for col := range n {
		for _, row := range rows[offsets[col]:offsets[col+1]] {
			if int(row) != col {
				g.columns[col] = append(g.columns[col], int32(row))
				g.columns[row] = append(g.columns[row], int32(col))
			}
		}
	}
	for i := range g.first {
		g.first[i] = -1
	}
	for i := range n {
		slices.Sort(g.columns[i])
		g.columns[i] = slices.Compact(g.columns[i])
	}
	for i := n - 1; i >= 0; i-- {
		g.insert(int32(i), len(g.columns[i]))
	}
	return g
}

func (g *graph) insert(i int32, degree int) {
	degree = min(degree, g.n)
	head := g.first[degree]
	g.degree[i], g.next[i], g.before[i], g.first[degree] = int32(degree), head, -1, i
	if head >= 0 {
		g.before[head] = i
	}
	g.lowest = min(g.lowest, degree)
}

func (g *graph) remove(i int32) {
	if g.before[i] >= 0 {
		g.next[g.before[i]] = g.next[i]
	} else {
		g.first[g.degree[i]] = g.next[i]
	}
	if g.next[i] >= 0 {
		g.before[g.next[i]] = g.before[i]
	}
}

// least removes a column of the lowest degree from the lists.
func (g *graph) least() int32 {
	for g.first[g.lowest] < 0 {
		g.lowest++
	}
	p := g.first[g.lowest]
	g.remove(p)
	g.degree[p] = -1
	return p
}

// eliminate makes the neighbours of a column a clique, which takes in those that the column was in.
func (g *graph) eliminate(p int32) {
	g.round++
	g.mark[p] = g.round
	var clique []int32
	add := func(list []int32) {
		for _, i := range list {
			if g.degree[i] >= 0 && g.mark[i] != g.round {
				g.mark[i] = g.round
				clique = append(clique, i)
			}
		}
	}
	add(g.columns[p])
	for _, c := range g.cliques[p] {
		if !g.absorbed[c] {
			add(g.members[c])
			g.absorbed[c], g.members[c] = true, nil
		}
	}
	g.columns[p], g.cliques[p], g.members[p] = nil, nil, clique
	for _, i := range clique { // how many members of other cliques are not in this one
		for _, c := range g.cliques[i] {
			if g.absorbed[c] {
				continue
			}
			if g.seen[c] != g.round {
				g.seen[c] = g.round
				g.members[c] = slices.DeleteFunc(g.members[c], func(j int32) bool { return g.degree[j] < 0 })
				g.outer[c] = int32(len(g.members[c]))
			}
			g.outer[c]--
		}
	}
	for _, i := range clique {
		g.remove(i)
		g.columns[i] = slices.DeleteFunc(g.columns[i], func(j int32) bool {
			return g.degree[j] < 0 || g.mark[j] == g.round // the clique has those
		})
		degree, kept := len(clique)-1+len(g.columns[i]), g.cliques[i][:0]
		for _, c := range g.cliques[i] {
			switch {
			case g.absorbed[c]:
			case g.outer[c] == 0: // all of its members are in this one
				g.absorbed[c], g.members[c] = true, nil
			default:
				kept, degree = append(kept, c), degree+int(g.outer[c])
			}
		}
		g.cliques[i] = append(kept, p)
		g.insert(i, degree)
	}
}
