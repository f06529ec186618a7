package edits

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b            string
		plain, swapping int
	}{
		{"", "", 0, 0}, {"", "ab", 2, 2}, {"kitten", "sitting", 3, 3}, {"Adda", "Add", 1, 1}, {"abcd", "acbd", 2, 1},
		{"ca", "abc", 3, 3}, {"Raehsape", "Reshape", 3, 2}, {"flaw", "lawn", 2, 2}, {"ab", "ba", 2, 1}, {"größe", "große", 1, 1},
	} {
		for _, s := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			a, b := []rune(s[0]), []rune(s[1])
			if plain, swapping := Distance(a, b), DistanceSwapping(a, b); plain != c.plain || swapping != c.swapping {
				t.Errorf("%q, %q: %d, %d, want %d, %d", s[0], s[1], plain, swapping, c.plain, c.swapping)
			}
		}
	}
}
