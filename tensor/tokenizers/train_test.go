package tokenizers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trainings are what testdata/train.py has recorded.
func trainings(t *testing.T) (runs []struct {
	BPETraining
	Texts  []string
	Vocab  map[string]int
	Merges [][2]string
}) {
	data, err := os.ReadFile(filepath.Join("testdata", "train.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &runs); err != nil || len(runs) != 4 {
		t.Fatal(err, len(runs))
	}
	return runs
}

// TestTrainBPE: vocabularies and merges are those of Hugging Face's BpeTrainer, in their order.
func TestTrainBPE(t *testing.T) {
	for i, r := range trainings(t) {
		tok, err := TrainBPE(r.Texts, r.BPETraining)
		if err != nil {
			t.Fatal(err)
		}
		b := tok.model.(*bpe)
		if tok.Size() != len(r.Vocab) || len(b.merges) != len(r.Merges) {
			t.Fatalf("run %d: %d tokens and %d merges, want %d and %d", i, tok.Size(), len(b.merges), len(r.Vocab), len(r.Merges))
		}
		for piece, id := range r.Vocab {
			if tok.Piece(id) != piece {
				t.Errorf("run %d: token %d is %q, want %q", i, id, tok.Piece(id), piece)
			}
		}
		for rank, both := range r.Merges {
			if m, ok := b.merges[pair{r.Vocab[both[0]], r.Vocab[both[1]]}]; !ok || int(m.rank) != rank {
				t.Errorf("run %d: merge %d, of %q, has rank %v", i, rank, both, m.rank)
			}
		}
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		if err := tok.WriteJSON(path); err != nil {
			t.Fatal(err)
		}
		again, err := ReadJSON(path)
		if err != nil {
			t.Fatal(err)
		}
		if inside, err := TrainBPE(append([]string{"<|im_end|><|im_end|>"}, r.Texts...), r.BPETraining); err != nil ||
			len(r.Special) == 2 && inside.Size() != tok.Size() {
			t.Errorf("run %d: with special tokens in texts: %v", i, err)
		}
		text := "sunstars<|im_end|> 猫's\n\n🙂 12"
		ids := tok.Encode(text)
		if want := strings.Replace(text, "<|im_end|>", "", len(r.Special)/2); again.Decode(ids) != want || len(again.Encode(text)) != len(ids) {
			t.Errorf("run %d: %q from %v", i, again.Decode(ids), ids)
		}
	}
}

// TestTrainBPEMistakes: what cannot be trained is an error that says why.
func TestTrainBPEMistakes(t *testing.T) {
	for _, c := range []struct {
		o    BPETraining
		want string
	}{
		{BPETraining{Size: 200}, "want a Size of 256 or more"},
		{BPETraining{Size: 300, Special: []string{"<s>", "<s>"}}, `"<s>" is empty, a byte, or occurs twice`},
		{BPETraining{Size: 300, Special: []string{""}}, "is empty"},
		{BPETraining{Size: 300, Special: []string{"a"}}, `"a" is empty, a byte`},
		{BPETraining{Size: 300, Pattern: `(?<=a)b`}, "look-ahead"},
	} {
		if _, err := TrainBPE([]string{"a"}, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	if err := Characters("ab").WriteJSON("no"); err == nil || !strings.Contains(err.Error(), "only tokenizers of TrainBPE") {
		t.Error(err)
	}
}
