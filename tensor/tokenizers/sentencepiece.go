package tokenizers

import (
	"errors"
	"fmt"
	"math"
	"os"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gorocm/gorocm/tensor/internal/wire"
)

// kindUnused is the kind of pieces that are never tokens. The others have the same numbers as in GGUF files.
const kindUnused = 5

// The kinds of models.
const (
	spUnigramModel = 1
	spBPEModel     = 2
)

// spFile is what a SentencePiece model says.
type spFile struct {
	pieces []string
	scores []float32
	kinds  []int

	model    int
	bos, eos string
	surface  string // text of the unknown token
	fallback bool   // characters without a token are bytes
	suffix   bool   // spaces end words instead of beginning them

	charsmap            []byte
	lead, extra, escape bool // add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces
}

// ReadSentencePiece reads a model of SentencePiece (spiece.model, tokenizer.model): Unigram or BPE. Its Encode gives
// the tokens of Google's sentencepiece, which finds no control pieces in a text: "<s>" is text. Decode gives its texts,
// with " ⁇ ", or what the model has for it, for the unknown token. AddBOS and AddEOS are
// false, as there; ReadFolder sets them as the model of a folder has them. Models of words and of characters, and those
// whose spaces end words, are errors.
func ReadSentencePiece(path string) (*Tokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := ParseSentencePiece(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ParseSentencePiece is ReadSentencePiece of what is in memory.
func ParseSentencePiece(data []byte) (*Tokenizer, error) {
	f := &spFile{model: spUnigramModel, bos: "<s>", eos: "</s>", surface: " ⁇ ",
		lead: true, extra: true, escape: true}
	if err := f.parse(data); err != nil {
		return nil, fmt.Errorf("tokenizers: this is no model of SentencePiece, or a damaged one: %w", err)
	}
	switch {
	case f.model != spUnigramModel && f.model != spBPEModel:
		return nil, fmt.Errorf("tokenizers: SentencePiece models of type %d (3 is words, 4 characters) are not supported: "+
			"want Unigram or BPE", f.model)
	case f.suffix:
		return nil, errors.New("tokenizers: SentencePiece models with treat_whitespace_as_suffix are not supported")
	case !f.escape:
		return nil, errors.New("tokenizers: SentencePiece models without escape_whitespaces are not supported")
	}
	t, err := newTokenizer(f.pieces)
	if err != nil {
		return nil, err
	}
	m, err := f.vocabulary(t)
	if err != nil {
		return nil, err
	}
	norm := spNormalizer{user: m.user, lead: f.lead, extra: f.extra}
	if len(f.charsmap) > 0 {
		if norm.chars, err = newCharsMap(f.charsmap); err != nil {
			return nil, fmt.Errorf("tokenizers: the normalizer of the SentencePiece model: %w", err)
		}
	}
	t.pieced = &norm
	t.prefix = func(text string, _ bool) string { return norm.normalize(text) }
	t.space = spSpace
	t.decode = decoding{bytes: true, space: spSpace, single: true, unknown: f.surface}
	switch {
	case f.extra:
		t.decode.begin = withoutEach
	case f.lead:
		t.decode.begin = withoutOne
	}
	if f.model == spUnigramModel {
		t.model = newSPUnigram(m)
	} else {
		t.model = &spBPE{m}
	}
	return t, nil
}

// vocabulary sorts the pieces by kind.
func (f *spFile) vocabulary(t *Tokenizer) (*spVocabulary, error) {
	m := &spVocabulary{scores: f.scores, kinds: f.kinds, ids: map[string]int{}, reserved: map[string]int{}}
	var user []added
	for id, piece := range f.pieces {
		into := m.ids
		switch f.kinds[id] {
		case kindNormal, kindUnused:
		case kindUser:
			user = append(user, added{text: piece, id: id})
		case kindUnknown:
			if t.unknown >= 0 {
				return nil, fmt.Errorf("tokenizers: tokens %d and %d of the SentencePiece model are both unknown", t.unknown, id)
			}
			t.unknown, t.special[id], into = id, true, m.reserved
		case kindControl:
			t.special[id], into = true, m.reserved
		case kindByte:
			into = m.reserved
		default:
			return nil, fmt.Errorf("tokenizers: token %d of the SentencePiece model is of kind %d, which is unknown", id, f.kinds[id])
		}
		if _, twice := into[piece]; twice || piece == "" {
			return nil, fmt.Errorf("tokenizers: token %d of the SentencePiece model is %q, which is empty or another, too", id, piece)
		}
		into[piece] = id
	}
	if t.unknown < 0 {
		return nil, errors.New("tokenizers: the SentencePiece model has no unknown token")
	}
	for b := range t.bytes {
		id, ok := m.reserved[fmt.Sprintf("<0x%02X>", b)]
		switch {
		case !f.fallback:
			t.bytes[b] = -1
		case !ok || f.kinds[id] != kindByte:
			return nil, fmt.Errorf("tokenizers: the SentencePiece model has no token for the byte 0x%02X, and byte_fallback", b)
		default:
			t.bytes[b] = id
		}
	}
	m.user = newFinder(user)
	for name, to := range map[string]*int{f.bos: &t.BOS, f.eos: &t.EOS} {
		if id, ok := m.reserved[name]; ok && f.kinds[id] == kindControl {
			*to = id
		}
	}
	return m, nil
}

// spFields calls of with each field of a message: v is a varint or fixed number, b what has a length.
func spFields(data []byte, of func(field protowire.Number, v uint64, b []byte) error) error {
	for f, err := range wire.Fields(data) {
		if err != nil {
			return err
		}
		if err := of(f.Num, f.Number, f.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// parse reads a ModelProto of sentencepiece_model.proto.
func (f *spFile) parse(data []byte) error {
	err := spFields(data, func(field protowire.Number, _ uint64, b []byte) error {
		switch field {
		case 1:
			return f.piece(b)
		case 2:
			return spFields(b, f.trained)
		case 3:
			return spFields(b, f.normalized)
		}
		return nil
	})
	if err == nil && len(f.pieces) == 0 {
		err = errors.New("it has no pieces")
	}
	return err
}

func (f *spFile) piece(data []byte) error {
	text, score, kind := "", float32(0), kindNormal
	err := spFields(data, func(field protowire.Number, v uint64, b []byte) error {
		switch field {
		case 1:
			text = string(b)
		case 2:
			score = math.Float32frombits(uint32(v))
		case 3:
			kind = int(int32(v))
		}
		return nil
	})
	if score != score {
		err = errors.Join(err, fmt.Errorf("the score of token %d is NaN", len(f.pieces)))
	}
	f.pieces, f.scores, f.kinds = append(f.pieces, text), append(f.scores, score), append(f.kinds, kind)
	return err
}

// trained reads a field of TrainerSpec.
func (f *spFile) trained(field protowire.Number, v uint64, b []byte) error {
	switch field {
	case 3:
		f.model = int(int32(v))
	case 24:
		f.suffix = v != 0
	case 35:
		f.fallback = v != 0
	case 44:
		f.surface = string(b)
	case 46:
		f.bos = string(b)
	case 47:
		f.eos = string(b)
	}
	return nil
}

// normalized reads a field of NormalizerSpec.
func (f *spFile) normalized(field protowire.Number, v uint64, b []byte) error {
	switch field {
	case 2:
		f.charsmap = b
	case 3:
		f.lead = v != 0
	case 4:
		f.extra = v != 0
	case 5:
		f.escape = v != 0
	}
	return nil
}
