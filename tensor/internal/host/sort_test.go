package host

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortLong compares with sortItems: random keys, few different ones, and keys that differ in high or low bits alone.
func TestSortLong(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for name, key := range map[string]func() uint64{
		"random": random.Uint64, "few": func() uint64 { return random.Uint64() % 7 },
		"high": func() uint64 { return random.Uint64() << 60 }, "same": func() uint64 { return 9 },
		"skewed": func() uint64 { return 1 << (random.Uint64() % 64) }, "low": func() uint64 { return random.Uint64() >> 40 },
	} {
		for _, n := range []int{1, 2, 49, 5000, longRow, 300_000} {
			keys, short := make([]uint64, n), make([]uint32, n)
			items, halves := make([]sortItem, n), make([]sortItem, n)
			for i := range keys {
				keys[i] = key()
				short[i] = uint32(keys[i]>>32 ^ keys[i])
				items[i], halves[i] = sortItem{keys[i], uint32(i)}, sortItem{uint64(short[i]), uint32(i)}
			}
			if !slices.Equal(sortLong(keys), sortItems(items, make([]sortItem, n), 8)) {
				t.Errorf("%d %s keys of 8 bytes", n, name)
			}
			if !slices.Equal(sortLong(short), sortItems(halves, make([]sortItem, n), 4)) {
				t.Errorf("%d %s keys of 4 bytes", n, name)
			}
		}
	}
}

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
