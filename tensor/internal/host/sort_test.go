package host

import (
	"math/rand/v2"
	"testing"
)

// TestSortItems sorts keys of both lengths, with many equal ones, whose order must stay.
func TestSortItems(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, bytes := range []int{4, 8} {
		for _, n := range []int{0, 1, 63, 64, 1000} {
			items := make([]sortItem, n)
			for i := range items {
				items[i] = sortItem{random.Uint64() >> (64 - 8*bytes) &^ 0xff00, uint32(i)}
				if i%3 == 0 {
					items[i].key %= 5
				}
			}
			sorted := sortItems(items, make([]sortItem, n), bytes)
			seen := map[uint32]bool{}
			for i, x := range sorted {
				seen[x.at] = true
				if i > 0 && (sorted[i-1].key > x.key || sorted[i-1].key == x.key && sorted[i-1].at > x.at) {
					t.Fatalf("%d keys of %d bytes: %v comes before %v", n, bytes, sorted[i-1], x)
				}
			}
			if len(seen) != n {
				t.Fatalf("%d keys of %d bytes: %d are left", n, bytes, len(seen))
			}
		}
	}
}
