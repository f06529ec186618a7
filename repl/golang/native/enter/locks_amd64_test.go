//go:build linux || windows

package enter

import "testing"

// TestLocks: the word of a thread that pins is found, and it is the same one every time.
func TestLocks(t *testing.T) {
	if Locks() == 0 {
		t.Fatal("the word that Pin changes is not known")
	}
	for range 1000 {
		if at := findLocks(); at != Locks() {
			t.Fatalf("found at %d, then at %d", Locks(), at)
		}
	}
}
