// Package edits counts by how many edits two texts differ.
package edits

// Distance is how many insertions, deletions and replacements of elements make b of a (Levenshtein's distance).
func Distance[T comparable](a, b []T) int { return distance(a, b, false) }

// DistanceSwapping is Distance where a swap of neighbours is one edit, too, as in misspelt names (Damerau's distance
// without edits between swapped elements).
func DistanceSwapping[T comparable](a, b []T) int { return distance(a, b, true) }

func distance[T comparable](a, b []T, swaps bool) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before, above, row = above, row, before
		row[0] = i + 1
		for j, y := range b {
			replaced := above[j]
			if x != y {
				replaced++
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, replaced)
			if swaps && i > 0 && j > 0 && x == b[j-1] && a[i-1] == y {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
