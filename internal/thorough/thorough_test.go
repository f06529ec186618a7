package thorough

import (
	"slices"
	"testing"
)

func TestSample(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6}
	t.Setenv("GOROCM_TEST", "")
	for offset, want := range [][]int{{0, 3, 6}, {2, 5}, {1, 4}} {
		if got := Sample(list, 3, offset); !slices.Equal(got, want) {
			t.Errorf("offset %d: %v, want %v", offset, got, want)
		}
	}
	t.Setenv("GOROCM_TEST", "thorough")
	if got := Sample(list, 3, 1); !slices.Equal(got, list) {
		t.Errorf("thorough: %v", got)
	}
}
