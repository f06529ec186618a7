package tokenizers

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// spm is a model of testdata/spm.json, and what sentencepiece or transformers makes of texts.
type spm struct {
	Name, File string
	Model      []byte
	Files      map[string]string // of a folder of transformers
	BOS, EOS   int
	Results    []struct {
		Text    string
		IDs     []int
		Decoded string
	}
	Random []struct { // what it makes of tokens
		IDs     []int
		Decoded string
	}
}

// TestSentencePiece: tokens and texts are those of Google's sentencepiece, and of transformers' classes over it.
func TestSentencePiece(t *testing.T) { checkSPM(t, filepath.Join("testdata", "spm.json")) }

// TestThousandsSentencePiece: so they are for thousands of texts, in a folder that testdata/spm.py was given.
func TestThousandsSentencePiece(t *testing.T) {
	folder := os.Getenv("GOROCM_TOKENIZERS")
	if folder == "" {
		t.Skip("no folder of tokenizers: GOROCM_TOKENIZERS names one, for which testdata/spm.py was run")
	}
	checkSPM(t, filepath.Join(folder, "spm.json"))
}

func checkSPM(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var models []spm
	if err := json.Unmarshal(data, &models); err != nil || len(models) < 15 {
		t.Fatal(err, len(models))
	}
	for _, m := range models {
		t.Run(m.Name, func(t *testing.T) {
			tok := m.open(t)
			if tok.BOS != m.BOS || tok.EOS != m.EOS {
				t.Errorf("BOS %d, EOS %d: want %d, %d", tok.BOS, tok.EOS, m.BOS, m.EOS)
			}
			wrong := 0
			for _, r := range m.Results {
				ids := tok.Encode(r.Text)
				text := tok.Decode(r.IDs)
				if slices.Equal(ids, r.IDs) && (text == r.Decoded || m.File != "") {
					continue
				}
				if wrong++; wrong < 6 {
					t.Errorf("%q:\nis   %v %q\nwant %v %q", r.Text, ids, text, r.IDs, r.Decoded)
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d texts differ", wrong, len(m.Results))
			}
			for _, r := range m.Random {
				s := tok.Stream()
				var stream strings.Builder
				for _, id := range r.IDs {
					stream.WriteString(s.Next(id))
				}
				stream.WriteString(s.Flush())
				if text := tok.Decode(r.IDs); text != r.Decoded || stream.String() != r.Decoded {
					t.Errorf("%v are %q, in a stream %q, want %q", r.IDs, text, stream.String(), r.Decoded)
				}
			}
		})
	}
}

func (m *spm) open(t *testing.T) *Tokenizer {
	if m.File == "" {
		tok, err := ParseSentencePiece(m.Model)
		if err != nil {
			t.Fatal(err)
		}
		return tok
	}
	dir := t.TempDir()
	m.Files[m.File] = string(m.Model)
	for name, text := range m.Files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tok, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// TestSentencePieceMistakes: models and folders that are not read say so.
func TestSentencePieceMistakes(t *testing.T) {
	piece := "\x0a\x07\x0a\x05<unk>" // a normal piece
	unknown := "\x0a\x09\x0a\x05<unk>\x18\x02"
	for _, c := range []struct{ data, want string }{
		{"", "it has no pieces"},
		{"\x0a\x10abc", "a damaged one: field 1: unexpected EOF"},
		{piece, "has no unknown token"},
		{unknown + "\x0a\x09\x0a\x05<two>\x18\x02", "tokens 0 and 1 of the SentencePiece model are both unknown"},
		{unknown + "\x0a\x05\x0a\x01a\x18\x09", "token 1 of the SentencePiece model is of kind 9"},
		{unknown + "\x0a\x03\x0a\x01a\x0a\x03\x0a\x01a", "token 2 of the SentencePiece model is \"a\", which is empty or another, too"},
		{unknown + "\x12\x02\x18\x03", "of type 3 (3 is words"},
		{unknown + "\x12\x03\xc0\x01\x01", "treat_whitespace_as_suffix"},
		{unknown + "\x1a\x02\x28\x00", "without escape_whitespaces"},
		{unknown + "\x12\x03\x98\x02\x01", "no token for the byte 0x00"},
		{unknown + "\x1a\x04\x12\x02ab", "the normalizer of the SentencePiece model: a table of 2 bytes"},
	} {
		if _, err := ParseSentencePiece([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.data, err, c.want)
		}
	}
	dir := t.TempDir()
	if _, err := ReadFolder(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tokenizer.model", unknown)
	write("config.json", `{"model_type": "xlm-roberta"}`)
	if _, err := ReadFolder(dir); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), `model_type is "xlm-roberta"`) {
		t.Errorf("another class: %v", err)
	}
	write("tokenizer_config.json", `{"tokenizer_class": "LlamaTokenizer", "bos_token": "<no>"}`)
	if _, err := ReadFolder(dir); err == nil || !strings.Contains(err.Error(), `names the token "<no>", which is not there`) {
		t.Errorf("a token that is not there: %v", err)
	}
}
