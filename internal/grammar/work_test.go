package grammar

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// large is a vocabulary of 150,000 tokens: words with and without a space before, punctuation, parts of characters.
var large = func() []string {
	random := rand.New(rand.NewPCG(1, 2))
	words := slices.Clone(pieces)
	others := []rune("éßабвгд日本語的一是😀,.;:!?-_()<>/\n\t0123456789")
	for len(words) < 150_000 {
		var w strings.Builder
		if random.IntN(2) == 0 {
			w.WriteByte(' ')
		}
		for range 1 + random.IntN(9) {
			w.WriteByte('a' + byte(random.IntN(26)))
		}
		if random.IntN(10) == 0 {
			w.WriteRune(others[random.IntN(len(others))])
		}
		text := w.String()
		words = append(words, text[:len(text)-random.IntN(10)/9]) // some end within a character
	}
	return words
}()

// TestWork: with a large vocabulary, states in a repetition of a class look at the few tokens that are not of the class
// alone, others at those that can follow, and a state that was there before at none.
func TestWork(t *testing.T) {
	thorough.Slow(t)
	bytes := func(id int) []byte { return []byte(large[id]) }
	v := NewVocabulary(len(large), bytes)
	for _, c := range []struct {
		grammar, text string
		most          int
	}{
		{`{"type": "object", "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string", "maxLength": 20}}, "n": {"type": "integer"}}, "required": ["name", "tags", "n"]}`,
			`{"name": "a long name\n and more", "tags": ["some", "others"], "n": 123}`, 40_000},
		{jsonGBNF, `{"name": "a long name\n and more", "tags": ["some", "others"], "n": 123}`, 40_000},
		{"root ::= (\"- \" [^\\n]{1,40} \"\\n\")+", "- the first of some\n- the second\n", 30_000},
		{"root ::= .*", "any text\n", 20_000},
		{"root ::= \"<\" [a-z]{1,12} [ ] [a-z ]{0,200} \">\"", "<ab some words>", 110_000},
		{"root ::= [a-z]{1,9} [a-z0-9 ]{1,9}", "abcdefghi 12 ab", 200_000}, // where what follows may begin like the class
	} {
		g, err := ParseGBNF(c.grammar)
		if c.grammar[0] == '{' {
			g, err = ParseSchema([]byte(c.grammar))
		}
		if err != nil {
			t.Fatal(err)
		}
		m := begin(t, g, v, bytes)
		most := 0
		for i, b := range []byte(c.text) {
			first := allowed(t, m)
			most = max(most, m.machine.work)
			if m.machine.work = 0; allowed(t, m) != first || m.machine.work != 0 {
				t.Fatal("allowed twice")
			}
			if err := m.Add(1 + int(b)); err != nil {
				t.Fatal(c.text[:i], err)
			}
			m.machine.work = 0
		}
		if !m.MayEnd() || most > c.most {
			t.Errorf("%s: %d bytes and frames looked at for one state, of %d tokens", c.grammar, most, len(large))
		}
	}
}
