package tokenizers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"
)

// kind is a tokenizer of Hugging Face, and what it makes of texts: see testdata/kinds.py.
type kind struct {
	Name      string
	Tokenizer json.RawMessage
	Results   []struct {
		Text, Decoded string
		IDs           []int
	}
	Pairs []struct {
		Text, Second string
		IDs, Types   []int
	}
}

// TestKinds: tokens, texts and pairs are those of Hugging Face's tokenizers.
func TestKinds(t *testing.T) { checkKinds(t, filepath.Join("testdata", "kinds.json")) }

// TestBegins: so they are where normalizers change the begins and ends of texts and lines.
func TestBegins(t *testing.T) { checkKinds(t, filepath.Join("testdata", "begins.json")) }

// TestThousands: so they are for thousands of texts, in a folder that testdata/kinds.py was given.
func TestThousands(t *testing.T) {
	folder := os.Getenv("GOROCM_TOKENIZERS")
	if folder == "" {
		t.Skip("no folder of tokenizers: GOROCM_TOKENIZERS names one, for which testdata/kinds.py was run")
	}
	checkKinds(t, filepath.Join(folder, "kinds.json"))
}

func checkKinds(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []kind
	if err := json.Unmarshal(data, &kinds); err != nil || len(kinds) < 30 {
		t.Fatal(err, len(kinds))
	}
	for _, k := range kinds {
		t.Run(k.Name, func(t *testing.T) {
			tok, err := ParseJSON(k.Tokenizer)
			if err != nil {
				t.Fatal(err)
			}
			wrong := 0
			for _, r := range k.Results {
				ids, text := tok.Encode(r.Text), tok.Decode(r.IDs)
				if slices.Equal(ids, r.IDs) && text == r.Decoded {
					continue
				}
				if wrong++; wrong < 6 {
					t.Errorf("%q:\nis   %v %q\nwant %v %q", r.Text, ids, text, r.IDs, r.Decoded)
				}
			}
			for _, p := range k.Pairs {
				if ids, types := tok.EncodePair(p.Text, p.Second); !slices.Equal(ids, p.IDs) || !slices.Equal(types, p.Types) {
					t.Errorf("%q and %q:\n%v %v\n%v %v", p.Text, p.Second, ids, types, p.IDs, p.Types)
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d texts", wrong, len(k.Results))
			}
			streamed(t, tok, k)
		})
	}
}

// streamed: a text that comes token by token is that of Decode, where no step changes what has come before.
func streamed(t *testing.T, tok *Tokenizer, k kind) {
	for _, r := range k.Results[:min(len(k.Results), 200)] {
		s := tok.Stream()
		got := ""
		for _, id := range r.IDs {
			part := s.Next(id)
			if !utf8.ValidString(part) {
				t.Errorf("%q: part %q", r.Text, part)
			}
			got += part
		}
		if got += s.Flush(); got != r.Decoded && tok.chain == nil {
			t.Errorf("%q: streamed %q, want %q", r.Text, got, r.Decoded)
		}
	}
}
