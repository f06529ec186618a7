package grammar

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pieces is a small vocabulary: all bytes, and what tokenizers make of JSON and of words. The first adds no text.
var pieces = func() (all []string) {
	all = append(all, "")
	for b := range 256 {
		all = append(all, string([]byte{byte(b)}))
	}
	return append(all, strings.Split(`{"|":|": "|","|", "|"}|"]|[]|{}|, |,"|true|false|null|12|007|-1|.5|e1|`+
		`name|name"|the|there|é|日本|\n|\u00|\ud|\"|a"b|"a|red"|  |:[|}}|]}|["`, "|")...)
}()

func piece(id int) []byte { return []byte(pieces[id]) }

var vocabulary = NewVocabulary(len(pieces), piece)

// begin matches an empty text. The names of tokens are their texts.
func begin(t *testing.T, g *Grammar, v *Vocabulary, bytes func(int) []byte) *Matcher {
	t.Helper()
	m, err := g.Match(v, bytes, func(name string) (int, bool) {
		i := slices.Index(pieces, strings.Trim(name, "<>"))
		return i, i >= 0
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func allowed(t *testing.T, m *Matcher) *Set {
	t.Helper()
	s, err := m.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// matches reports whether a text, given by bytes, is one that can come, and checks that the beginning of it can.
func matches(t *testing.T, s *Grammar, text string) bool {
	m := begin(t, s, vocabulary, piece)
	for _, b := range []byte(text) {
		if m.Add(1+int(b)) != nil {
			return false
		}
	}
	return m.MayEnd()
}

// generate makes a text of random tokens, and reports whether it has come to an end.
func generate(t *testing.T, s *Grammar, random *rand.Rand, most int) (text string, whole bool) {
	m := begin(t, s, vocabulary, piece)
	for n := range most {
		if m.MustEnd() || m.MayEnd() && (random.IntN(3) == 0 || n > most/2) {
			return text, true
		}
		allowed, err := m.Allowed()
		if err != nil && strings.Contains(err.Error(), "too many ways") { // see TestAmbiguous
			return text, false
		} else if err != nil {
			t.Fatal(err)
		}
		var ids, ends []int
		for id := range pieces {
			if allowed.Has(id) {
				if ids = append(ids, id); strings.ContainsAny(pieces[id], `"]}`) {
					ends = append(ends, id)
				}
			}
		}
		want := byHand(m)
		if !slices.Equal(ids, want) {
			t.Fatalf("%s: allowed %v, want %v", text, ids, want)
		}
		if len(ids) == 0 {
			t.Fatalf("%q has no end", text)
		}
		if len(ends) > 0 && random.IntN(3) == 0 { // texts come to their ends sooner
			ids = ends
		}
		id := ids[random.IntN(len(ids))]
		if err := m.Add(id); err != nil {
			t.Fatal(err)
		}
		text += pieces[id]
	}
	return text, m.MayEnd()
}

// byHand are the tokens that a state allows, one by one.
func byHand(m *Matcher) (ids []int) {
	for id, p := range pieces {
		s := m.now
		for i := 0; i < len(p) && s != nil; i++ {
			s = m.machine.after(s, p[i])
		}
		if s != nil && p != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestAgain: a machine that begins anew goes on from where it is.
func TestAgain(t *testing.T) {
	s, _ := ParseSchema([]byte(`{"type": "array", "items": {"type": "array", "items": {"type": "integer"}, "maxItems": 2}}`))
	m := begin(t, s, vocabulary, piece)
	for _, b := range []byte("[[1,2],[3") {
		m.Add(1 + int(b))
	}
	before := byHand(m)
	m.now = m.machine.again(m.now)
	if !slices.Equal(byHand(m), before) || m.Add(1+',') != nil || m.Add(1+'4') != nil || m.Add(1+',') == nil {
		t.Error(before, byHand(m))
	}
}
