package encoder

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Encoder is a model that reads texts as a whole: BERT and its followers. Embed makes a vector of a text, by which
// texts of like meaning are found (models.NewIndex); Logits classifies, where the model was trained to.
type Encoder struct {
	Name      string // of its folder
	Tokenizer *tokenizers.Tokenizer
	Config    Config
	Labels    []string          // of Logits; nil for a model without a classifier
	Pooling   Pooling           // how Embed makes a vector of a text
	Prompts   map[string]string // that go before texts, by name: see EmbedAs

	embed  encoderEmbedding
	layers []*encoderLayer
	final  *nn.LayerNormLayer                               // after the last layer, or nil
	head   func(hidden, keep *tensor.Tensor) *tensor.Tensor // of Logits
	prompt string                                           // of Embed
	small  bool                                             // texts are written in small letters first
	limit  int                                              // tokens of a text, if not 0
}

// Config are the sizes of an Encoder.
type Config struct {
	ModelType           string // bert, roberta, …, as config.json names it
	Dim, Hidden, Layers int    // width, width between the products of a feed-forward part, number of layers
	Heads               int
	Vocab, Context      int // tokens, and positions
	Eps                 float64
	Activation          string // of the feed-forward part, by the names of nn.ParseActivation
}

// Pooling is how the vector of a text comes from those of its tokens, as sentence-transformers has it.
type Pooling struct {
	Mode      string // mean, cls (that of the first token) or max
	Normalize bool   // to a length of 1
}

// families take the weights of a model_type.
var families = map[string]func(e *Encoder, j *jsonEncoder, p *nn.Params) error{
	"bert": bertEncoder, "roberta": robertaEncoder, "xlm-roberta": robertaEncoder, "camembert": robertaEncoder,
	"distilbert": distilEncoder, "modernbert": modernEncoder, "nomic_bert": nomicEncoder,
}

// Knows reports whether there is an encoder of a model_type.
func Knows(modelType string) bool { return families[modelType] != nil }

// Open reads an encoder from a folder of Hugging Face onto a device, to compute in F32: config.json,
// tokenizer.json and the weights, and for sentence embeddings modules.json and what it names. Its model_type is one of
// bert (and so MiniLM, E5, BGE, GTE), roberta, xlm-roberta, camembert, distilbert, modernbert and nomic_bert. Without
// modules.json vectors are means, as sentence-transformers does it.
//
// The error names what is not supported; it is a *nn.ParamsError when weights are missing or are more than the model
// has.
func Open(path string, dev *tensor.Device) (*Encoder, error) {
	return OpenAs(path, tensor.F32, dev)
}

// Is reports whether a folder has an encoder that Open knows, by its config.json.
func Is(path string) bool {
	var j struct {
		ModelType string `json:"model_type"`
	}
	return parts.ReadJSON(filepath.Join(path, "config.json"), &j) == nil && families[j.ModelType] != nil
}

// OpenAs is Open for a model that computes in dtype. Vectors are F32.
func OpenAs(path string, dtype tensor.DType, dev *tensor.Device) (*Encoder, error) {
	e := &Encoder{Name: filepath.Base(filepath.Clean(path)), Pooling: Pooling{Mode: "mean"}}
	err := e.read(path, dtype, dev)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

func (e *Encoder) read(path string, dtype tensor.DType, dev *tensor.Device) error {
	if !dtype.IsFloat() {
		return fmt.Errorf("models: an encoder computes in floats, not in %v", dtype)
	}
	var j jsonEncoder
	if err := parts.ReadJSON(filepath.Join(path, "config.json"), &j); err != nil {
		return err
	}
	take := families[j.ModelType]
	if take == nil {
		return fmt.Errorf("models: the encoder %q is not supported: want a model_type of %s; Open reads language models",
			j.ModelType, strings.Join(slices.Sorted(maps.Keys(families)), ", "))
	}
	if err := j.config(&e.Config); err != nil {
		return err
	}
	if err := e.readSentence(path); err != nil {
		return err
	}
	var err error
	if e.Tokenizer, err = tokenizers.ReadJSON(filepath.Join(path, "tokenizer.json")); err != nil {
		return err
	}
	p, err := parts.OpenParams(path, e.Config.count(), dtype, dev)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := take(e, &j, p); err != nil {
		return err
	}
	if n := e.Tokenizer.Size(); n > e.Config.Vocab {
		return fmt.Errorf("models: the tokenizer has %d tokens, and the model %d", n, e.Config.Vocab)
	}
	return nil
}

// String says what the encoder is, in a line.
func (e *Encoder) String() string {
	c := &e.Config
	text := fmt.Sprintf("%s: %s, %d layers, width %d, %d tokens, %d positions, %v on %s", e.Name, c.ModelType, c.Layers,
		c.Dim, c.Vocab, c.Context, e.embed.words.Weight.DType(), e.Device().Location())
	if e.Labels != nil {
		text += fmt.Sprintf(", labels %q", e.Labels)
	}
	return text
}

// Device returns where the weights are.
func (e *Encoder) Device() *tensor.Device { return e.embed.words.Weight.Device() }

// longest is how many tokens of a text are read.
func (e *Encoder) longest() int {
	if e.limit > 0 {
		return min(e.limit, e.Config.Context)
	}
	return e.Config.Context
}

// Embed returns the vectors of texts, F32 [texts dim] on the device of the model. Texts that are longer than the model
// has positions are cut off. It panics with ErrShape for no texts.
func (e *Encoder) Embed(texts ...string) *tensor.Tensor { return e.embedded(e.prompt, texts) }

// EmbedAs is Embed of texts with one of Prompts before them, such as query or document for models that embed both
// differently. It panics with ErrValue when there is none of that name.
func (e *Encoder) EmbedAs(prompt string, texts ...string) *tensor.Tensor {
	before, ok := e.Prompts[prompt]
	if !ok {
		panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrValue,
			Message: fmt.Sprintf("there is no prompt %q: there are %q", prompt, slices.Sorted(maps.Keys(e.Prompts)))})
	}
	return e.embedded(before, texts)
}

func (e *Encoder) embedded(prompt string, texts []string) *tensor.Tensor {
	return e.inBatches(len(texts), func(i int) (ids, types []int) {
		text := prompt + texts[i]
		if e.small {
			text = strings.ToLower(text)
		}
		return e.Tokenizer.Shorten(e.Tokenizer.Encode(text), e.longest()), nil
	}, func(hidden, keep *tensor.Tensor) *tensor.Tensor {
		x := e.Pooling.pool(hidden.ToDType(tensor.F32), keep)
		if e.Pooling.Normalize {
			x = parts.Unit(x)
		}
		return x
	})
}

// Logits returns the scores of each label, F32 [texts labels]. It panics with ErrValue when the model has no
// classifier.
func (e *Encoder) Logits(texts ...string) *tensor.Tensor {
	return e.classified(len(texts), func(i int) (ids, types []int) {
		return e.Tokenizer.Shorten(e.Tokenizer.Encode(texts[i]), e.longest()), nil
	})
}

// PairLogits is Logits of pairs of texts, such as a question and what may answer it: the model reads both. It panics
// with ErrValue when the tokenizer does not say how, and for pairs that are longer than the model has positions.
func (e *Encoder) PairLogits(pairs ...[2]string) *tensor.Tensor {
	if !e.Tokenizer.HasPairs() {
		panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrValue,
			Message: "the tokenizer has no template for two texts"})
	}
	return e.classified(len(pairs), func(i int) (ids, types []int) {
		ids, types = e.Tokenizer.EncodePair(pairs[i][0], pairs[i][1])
		if len(ids) > e.Config.Context {
			panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrValue,
				Message: fmt.Sprintf("pair %d has %d tokens, of at most %d", i, len(ids), e.Config.Context)})
		}
		return ids, types
	})
}

func (e *Encoder) classified(n int, tokens func(i int) (ids, types []int)) *tensor.Tensor {
	if e.head == nil {
		panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrValue, Message: fmt.Sprintf("%s has no classifier", e.Name)})
	}
	return e.inBatches(n, tokens, func(hidden, keep *tensor.Tensor) *tensor.Tensor {
		return e.head(hidden, keep).ToDType(tensor.F32)
	})
}

// batchTokens bounds how many tokens are read at once, with those that fill texts up.
const batchTokens = 4096

// inBatches reads n texts, those of like length together, and returns the rows that finish makes of each, in order.
func (e *Encoder) inBatches(
	n int, tokens func(i int) (ids, types []int), finish func(hidden, keep *tensor.Tensor) *tensor.Tensor,
) *tensor.Tensor {
	if n == 0 {
		panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrShape, Message: "want at least one text"})
	}
	ids, types, order := make([][]int, n), make([][]int, n), make([]int, n)
	for i := range n {
		ids[i], types[i] = tokens(i)
		order[i] = i
		if len(ids[i]) == 0 {
			panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrValue, Message: fmt.Sprintf("text %d has no tokens", i)})
		}
		parts.CheckTokens(ids[i], e.Config.Vocab)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[a]), len(ids[b])) })
	var rows []*tensor.Tensor
	back := make([]uint32, n)
	for at := 0; at < n; {
		end := at + 1
		for end < n && (end+1-at)*len(ids[order[end]]) <= batchTokens {
			end++
		}
		var b encoderBatch
		for k, i := range order[at:end] {
			b.ids, b.types = append(b.ids, ids[i]), append(b.types, types[i])
			back[i] = uint32(at + k)
		}
		rows = append(rows, tensor.Scoped(func() *tensor.Tensor {
			pass := b.pass(e)
			return finish(e.hidden(pass), pass.keep)
		}))
		at = end
	}
	return tensor.Cat(rows, 0).IndexSelect(e.Device().New(back), 0)
}

// Hidden returns the rows [tokens dim] after the last layer, of a text in tokens, with the types of tokens that BERT
// reads, or nil for zeros. It panics with ErrShape for more tokens than the model has positions.
func (e *Encoder) Hidden(ids, types []int) *tensor.Tensor {
	if len(ids) == 0 || len(ids) > e.Config.Context || types != nil && len(types) != len(ids) {
		panic(&tensor.Error{Op: "encoder", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("%d tokens with %d types, of at most %d", len(ids), len(types), e.Config.Context)})
	}
	parts.CheckTokens(ids, e.Config.Vocab)
	b := encoderBatch{[][]int{ids}, [][]int{types}}
	return e.hidden(b.pass(e)).Squeeze(0)
}

// pool makes one row of those of each text, [texts n dim]; keep is 1 for its tokens, [texts n 1].
func (p Pooling) pool(x, keep *tensor.Tensor) *tensor.Tensor {
	switch p.Mode {
	case "cls":
		return x.Narrow(1, 0, 1).Squeeze(1)
	case "max":
		return x.Add(keep.Affine(1e9, -1e9)).Max(1)
	}
	return x.Mul(keep).Sum(1).Div(keep.Sum(1))
}
