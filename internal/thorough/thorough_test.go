package thorough

import (
	"slices"
	"testing"
)

func TestSample(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6}
	for offset, want := range [][]int{{0, 3, 6}, {2, 5}, {1, 4}} {
		if got := sample(list, 3, offset); !slices.Equal(got, want) {
			t.Errorf("offset %d: %v, want %v", offset, got, want)
		}
	}
	if got := sample(list[:2], 9, 3); !slices.Equal(got, []int{1}) {
		t.Errorf("one of two: %v", got)
	}
	if got := sample(list[:0], 9, 3); len(got) != 0 {
		t.Errorf("one of none: %v", got)
	}
	t.Setenv("GOROCM_TEST", "")
	if got := Sample(list, 2, 1); !slices.Equal(got, sample(list, 2*smaller, 1)) {
		t.Errorf("sampled: %v", got)
	}
	t.Setenv("GOROCM_TEST", "thorough")
	if got := Sample(list, 3, 1); !slices.Equal(got, list) {
		t.Errorf("thorough: %v", got)
	}
}

func TestTurn(t *testing.T) {
	for turn, want := range map[string][]bool{"": {true, true, true}, "4": {false, false, true}, "5": {false, true, false}} {
		t.Setenv("GOROCM_TEST_TURN", turn)
		if got := []bool{Turn(0, 3), Turn(1, 3), Turn(2, 3)}; !slices.Equal(got, want) {
			t.Errorf("turn %q: %v, want %v", turn, got, want)
		}
	}
}
