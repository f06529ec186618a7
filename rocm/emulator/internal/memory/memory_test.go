package memory

import (
	"math/rand/v2"
	"testing"
)

// TestAllocatorKeepsItsBooks allocates and frees at random: live blocks never overlap, and all memory comes back.
func TestAllocatorKeepsItsBooks(t *testing.T) {
	m, err := New(1<<20, Base)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	r := rand.New(rand.NewPCG(1, 1))
	var live []*Allocation
	for range 3000 {
		if len(live) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(live))
			if err := m.Release(live[i].Addr); err != nil {
				t.Fatal(err)
			}
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
			continue
		}
		a, err := m.Alloc(1+r.Uint64N(20000), "buffer")
		if err != nil {
			continue // full
		}
		for _, b := range live {
			if a.Addr < b.Addr+b.Size && b.Addr < a.Addr+a.Size {
				t.Fatalf("%#x+%d overlaps %#x+%d", a.Addr, a.Size, b.Addr, b.Size)
			}
		}
		if m.Find(a.Addr+a.Size-1) != a || m.Find(a.Addr+a.Size) != nil {
			t.Fatal("find does not know the bounds of an allocation")
		}
		live = append(live, a)
	}
	for _, a := range live {
		if err := m.Release(a.Addr); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.free) != 1 || m.free[0].Size != m.Total() || m.inUse != 0 {
		t.Errorf("after all: free spans %v, %d bytes in use", m.free, m.inUse)
	}
}
