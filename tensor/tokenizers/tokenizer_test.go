package tokenizers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// goldenText is what a tokenizer in testdata makes of a text, as Hugging Face's tokenizers and SentencePiece have it:
// see golden.py.
type goldenText struct {
	Tokenizer, Text, Decoded string
	IDs                      []int
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func open(t testing.TB, name string) *Tokenizer {
	t.Helper()
	data := readFile(t, name+".json")
	var tok *Tokenizer
	var err error
	if name == "sentencepiece" {
		var meta map[string]any
		if err := json.Unmarshal(data, &meta); err != nil {
			t.Fatal(err)
		}
		tok, err = FromGGUF(meta)
	} else {
		tok, err = ParseJSON(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestGolden(t *testing.T) {
	var golden []goldenText
	if err := json.Unmarshal(readFile(t, "golden.json"), &golden); err != nil {
		t.Fatal(err)
	}
	toks := map[string]*Tokenizer{}
	for _, g := range golden {
		if toks[g.Tokenizer] == nil {
			toks[g.Tokenizer] = open(t, g.Tokenizer)
		}
		tok := toks[g.Tokenizer]
		ids := tok.Encode(g.Text)
		if !slices.Equal(ids, g.IDs) {
			t.Errorf("%s: %q is %v, want %v", g.Tokenizer, g.Text, ids, g.IDs)
		}
		if got := tok.Decode(g.IDs); got != g.Decoded {
			t.Errorf("%s: %v is %q, want %q", g.Tokenizer, g.IDs, got, g.Decoded)
		}
		var streamed strings.Builder
		s := tok.Stream()
		for _, id := range g.IDs {
			streamed.WriteString(s.Next(id))
		}
		if got := streamed.String() + s.Flush(); got != g.Decoded {
			t.Errorf("%s: %v streams as %q, want %q", g.Tokenizer, g.IDs, got, g.Decoded)
		}
	}
}

func TestStreamHoldsCharacters(t *testing.T) {
	tok := open(t, "gpt2")
	ids := tok.Encode("a🙂b")
	s := tok.Stream()
	var parts []string
	for _, id := range ids {
		parts = append(parts, s.Next(id))
	}
	if got := strings.Join(parts, "|"); got != "a||||🙂|b" {
		t.Errorf("streamed as %q", got)
	}
	s = tok.Stream()
	s.Next(ids[1])
	if got := s.Flush(); got != "\uFFFD" {
		t.Errorf("the begin of a character is %q", got)
	}
}

// TestDecodeBytes: what is not UTF-8 becomes U+FFFD as in Hugging Face's tokenizers: the longest begin of a character
// one, and of a run of tokens for single bytes each, if one of them is wrong.
func TestDecodeBytes(t *testing.T) {
	for _, c := range []struct{ tokenizer, bytes, want string }{
		{"llama2", "\xe2\x82\xac", "€"},
		{"llama2", "\xe2\x82\xac\xff", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"gpt2", "\xe2\x82\xac\xff", "€\uFFFD"},
		{"gpt2", "\xff\xff", "\uFFFD\uFFFD"},
		{"gpt2", "\xe2\x82A", "\uFFFDA"},
		{"gpt2", "\xe2\x28\xa1", "\uFFFD(\uFFFD"},
		{"gpt2", "\xf0\x9f\x98", "\uFFFD"},
		{"gpt2", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"}, // half of a pair of UTF-16
	} {
		tok := open(t, c.tokenizer)
		var ids []int
		for _, b := range []byte(c.bytes) {
			piece := string(byteRunes[b])
			if c.tokenizer == "llama2" {
				piece = fmt.Sprintf("<0x%02X>", b)
			}
			id, ok := tok.ID(piece)
			if !ok {
				t.Fatalf("%s has no token %q", c.tokenizer, piece)
			}
			ids = append(ids, id)
		}
		if got := tok.Decode(ids); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.tokenizer, c.bytes, got, c.want)
		}
	}
}

func TestSpecial(t *testing.T) {
	tok := open(t, "llama3")
	id, ok := tok.ID("<|end|>")
	if !ok || !tok.Special(id) || tok.Piece(id) != "<|end|>" || tok.Piece(-1) != "" || tok.BOS != 0 || !tok.AddBOS {
		t.Errorf("end is %d, begin %d", id, tok.BOS)
	}
	if ids := tok.Encode("<|end|>"); !slices.Equal(ids, []int{tok.BOS, id}) {
		t.Errorf("encoded as %v", ids)
	}
	plain := tok.EncodePlain("<|end|>")
	if slices.Contains(plain, id) || tok.Decode(plain) != "<|end|>" {
		t.Errorf("plain text is %v, %q", plain, tok.Decode(plain))
	}
}

// file makes a tokenizer of llama2.c of the pieces, each with a score that falls.
func file(pieces ...string) []byte {
	data := make([]byte, 4)
	for i, piece := range pieces {
		score := []byte{0, 0, byte(i), 0xC1} // about -8 and below
		data = append(data, score...)
		data = append(data, byte(len(piece)), 0, 0, 0)
		data = append(data, piece...)
	}
	return data
}

func TestLlama2c(t *testing.T) {
	tok, err := ParseLlama2c(file("<unk>", "\n<s>\n", "\n</s>\n", "<0xC3>", "<0xA9>", " ", "a", "b", "ab", " a", "bb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		ids  []int
	}{
		{"", []int{1}},
		{"ab", []int{1, 5, 8}}, // ab before " a", whose score is lower
		{"bbab", []int{1, 5, 10, 8}},
		{"é", []int{1, 5, 3, 4}},
		{"x", []int{1, 5, 0}},
		{"<s>", []int{1, 5, 0, 0, 0}}, // which is not a token in a text
	} {
		if got := tok.Encode(c.text); !slices.Equal(got, c.ids) {
			t.Errorf("%q is %v, want %v", c.text, got, c.ids)
		}
	}
	if got := tok.Decode([]int{1, 9, 7, 5, 3, 4, 2, 99, -1}); got != "ab é" {
		t.Errorf("decoded %q", got)
	}
}

func TestBadFiles(t *testing.T) {
	good := string(readFile(t, "llama3.json"))
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", "JSON"},
		"no model":      {"{}", `models of type ""`},
		"model":         {`{"model":{"type":"Morphemes"}}`, "Morphemes"},
		"no unknown":    {`{"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"a":0}}}`, "no token for unknown words"},
		"class":         {strings.Replace(good, `[^\\s\\p{L}\\p{N}]`, `[^\\S]`, 1), "is not supported"},
		"edge":          {strings.Replace(good, `\\p{N}{1,3}`, `\\b`, 1), "\\b is not supported"},
		"charsmap":      {`{"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"},"model":{"type":"BPE","vocab":{"a":0}}}`, "Precompiled"},
		"pre-tokenizer": {`{"pre_tokenizer":{"type":"Own"},"model":{"type":"BPE","vocab":{"a":0}}}`, "Own"},
		"length":        {`{"pre_tokenizer":{"type":"FixedLength","length":0},"model":{"type":"BPE","vocab":{"a":0}}}`, "the length of FixedLength is 0"},
		"after bytes":   {`{"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},{"type":"UnicodeScripts"}]},"model":{"type":"BPE","vocab":{"a":0}}}`, "UnicodeScripts after ByteLevel"},
		"dropout":       {`{"model":{"type":"BPE","dropout":0.1,"vocab":{"a":0}}}`, "BPE with dropout"},
		"decoder":       {`{"decoder":{"type":"Own"},"model":{"type":"BPE","vocab":{"a":0}}}`, "Own"},
		"template":      {`{"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"no"}},{"Sequence":{"id":"A"}}]},"model":{"type":"BPE","vocab":{"a":0}}}`, `"no"`},
		"no text":       {`{"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"a"}}]},"model":{"type":"BPE","vocab":{"a":0}}}`, "0 times"},
		"far template":  {`{"post_processor":{"type":"TemplateProcessing","special_tokens":{"a":{"ids":[7]}},"single":[{"SpecialToken":{"id":"a"}},{"Sequence":{"id":"A"}}]},"model":{"type":"BPE","vocab":{"a":0}}}`, "token 7"},
		"merge":         {strings.Replace(good, `"merges":[[`, `"merges":[["no","where"],[`, 1), "merge 0"},
		"far token":     {`{"model":{"type":"BPE","vocab":{"a":2000000000}}}`, "2000000000"},
		"far added": {`{"added_tokens":[{"id":1999999999,"content":"x"}],"model":{"type":"BPE","vocab":{"a":0}}}`,
			"1999999999"},
		"pattern":    {strings.Replace(good, `(?!\\S)`, `(?!x)`, 1), "look-ahead"},
		"step":       {strings.Replace(good, `"type":"ByteLevel"`, `"type":"Bert"`, 1), "Bert"},
		"short list": {`{"model":{"type":"Unigram","vocab":[["a"]]}}`, "token 0"},
		"two ids": {`{"added_tokens":[{"id":1,"content":"a"}],"model":{"type":"BPE","vocab":{"a":0,"b":1}}}`,
			`"a" has the number 1, and 0`},
		"unknown": {`{"model":{"type":"Unigram","unk_id":7,"vocab":[["a",1]]}}`, "unk_id is 7"},
	} {
		if _, err := ParseJSON([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	whole := file("<unk>", "<s>", "</s>", "a")
	for n := range len(whole) {
		if _, err := ParseLlama2c(whole[:n]); err == nil && n != len(whole)-9 { // without the last token it is whole
			t.Errorf("%d of %d bytes are read", n, len(whole))
		}
	}
	for key, value := range map[string]any{
		"tokenizer.ggml.model": "rwkv", "tokenizer.ggml.tokens": []any{1.0}, "tokenizer.ggml.scores": []any{"x"},
		"tokenizer.ggml.bos_token_id": uint64(1 << 40), "tokenizer.ggml.token_type": 5,
	} {
		var meta map[string]any
		if err := json.Unmarshal(readFile(t, "sentencepiece.json"), &meta); err != nil {
			t.Fatal(err)
		}
		meta[key] = value
		if _, err := FromGGUF(meta); err == nil ||
			!strings.Contains(err.Error(), strings.TrimPrefix(key, "tokenizer.ggml.")) {
			t.Errorf("%s %v: %v", key, value, err)
		}
	}
}

// FuzzText: byte-level and byte-fallback tokenizers give a text back.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", " a  b\n", "naïve 🙂 \x80\xff", "<|end|>", "'ll 12345 \t\r\n x"} {
		f.Add(s)
	}
	whole := []*Tokenizer{open(f, "gpt2"), open(f, "llama3")}
	rest := []*Tokenizer{open(f, "qwen"), open(f, "llama2"), open(f, "unigram"), open(f, "sentencepiece")}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tok := range whole {
			if got := tok.Decode(tok.EncodePlain(text)); got != text && utf8.ValidString(text) {
				t.Errorf("%q comes back as %q", text, got)
			}
		}
		for _, tok := range append(rest, whole...) {
			for _, id := range tok.Encode(text) {
				if id < 0 || id >= tok.Size() {
					t.Fatalf("%q has the token %d of %d", text, id, tok.Size())
				}
			}
		}
	})
}

// FuzzFiles: a file is an error, or a tokenizer that works.
func FuzzFiles(f *testing.F) {
	for _, name := range []string{"gpt2", "llama3", "qwen", "llama2", "unigram", "sentencepiece"} {
		f.Add(readFile(f, name+".json"))
	}
	f.Add(file("<unk>", "<s>", "</s>", "a", "b", "ab"))
	var kinds []kind
	if err := json.Unmarshal(readFile(f, "kinds.json"), &kinds); err != nil {
		f.Fatal(err)
	}
	for _, k := range kinds {
		f.Add([]byte(k.Tokenizer))
	}
	var models []spm
	if err := json.Unmarshal(readFile(f, "spm.json"), &models); err != nil {
		f.Fatal(err)
	}
	for _, m := range models[:6] {
		f.Add(m.Model)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		use := func(tok *Tokenizer, err error) {
			if err != nil {
				return
			}
			ids := tok.Encode("The <s>ab🙂\xff  12 ")
			for _, id := range ids {
				if id < 0 || id >= tok.Size() {
					t.Fatalf("token %d of %d", id, tok.Size())
				}
			}
			tok.Decode(ids)
			tok.EncodePlain("The <s>ab🙂\xff  12 ")
			if tok.HasPairs() {
				tok.EncodePair("a", "b")
			}
			tok.Decode(tok.Shorten(ids, 3))
		}
		use(ParseJSON(data))
		use(ParseLlama2c(data))
		use(ParseSentencePiece(data))
		var meta map[string]any
		if json.Unmarshal(data, &meta) == nil {
			use(FromGGUF(meta))
		}
	})
}

// TestCharactersWithoutTokens: a text of which no character has a token has no tokens.
func TestCharactersWithoutTokens(t *testing.T) {
	tok := Characters("ab")
	for text, want := range map[string]int{"": 0, "x": 0, "xyz\n": 0, "xay": 1} {
		if ids, plain := tok.Encode(text), tok.EncodePlain(text); len(ids) != want || len(plain) != want {
			t.Errorf("%q: %v, %v", text, ids, plain)
		}
	}
}
