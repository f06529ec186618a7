package models

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/internal/chat"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Model is a language model that was opened from its files, with all that they say about using it. Its Conversation is
// that of Chat and Ask.
type Model struct {
	*Llama
	*Conversation

	Name      string // of its file or folder
	Tokenizer *tokenizers.Tokenizer
	Template  *ChatTemplate // nil when the files have none: the model was not trained to chat, or they lack it
	Defaults  nn.Sampling   // how generation_config.json samples; new conversations begin with it
	Vision    *vision.Tower // the part that reads images; nil for models that read none

	words    words
	images   imageStore
	noVision string // why the mmproj file of a GGUF file is not read, or ""

	bos string // the token that prompts begin with, if not ""
}

// Open reads a language model onto a device, to compute in DefaultDType:
//
//	m, err := models.Open("Qwen3-0.6B-Q8_0.gguf", dev) // a GGUF file
//	m, err := models.Open("Llama-3.2-1B-Instruct", dev) // a folder of Hugging Face
//	m, err := models.Open("Llama-3.2-1B-Instruct", dev, models.Adapter{Path: "my-lora"}) // with an adapter
//	m.Chat("Which is the longest river of Europe?")
//
// What it reads is what OpenLlama reads, and besides the chat template (chat_template.jinja, chat_template.json,
// tokenizer_config.json, or tokenizer.chat_template of GGUF), the tokens that end a text, how to sample
// (generation_config.json), and of a vision-language model the part that reads images. The error is that of OpenLlama,
// or names what of the template is not supported.
func Open(path string, dev *tensor.Device, adapters ...Adapter) (*Model, error) {
	return OpenAs(path, DefaultDType(dev), dev, adapters...)
}

// OpenAs is Open for a model that computes in dtype.
func OpenAs(path string, dtype tensor.DType, dev *tensor.Device, adapters ...Adapter) (*Model, error) {
	o, err := open(path, dtype, dev, adapters)
	if err != nil {
		return nil, err
	}
	path, name := parts.Snapshot(path)
	if name == "" {
		name = filepath.Base(filepath.Clean(path))
	}
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".gguf") || strings.EqualFold(ext, ".bin") {
		name = strings.TrimSuffix(name, ext)
	}
	m := &Model{Llama: o.llama, Name: name, Tokenizer: o.tok, Vision: o.tower, noVision: o.noTower}
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		err = m.folderExtras(o.base, path)
	} else if o.gguf {
		err = m.ggufExtras(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m.Conversation = m.NewConversation()
	return m, nil
}

// String says what the model is, in a line.
func (m *Model) String() string {
	c := &m.Config
	text := fmt.Sprintf("%s: %d layers, width %d, %d tokens, %d positions, %v on %s", m.Name, c.Layers, c.Dim, c.Vocab,
		c.Context, m.DType(), m.Device().Location())
	if m.Vision != nil {
		c := &m.Vision.Config
		text += fmt.Sprintf(", images: %d layers, width %d, patches of %d", c.Layers, c.Dim, c.Patch)
	}
	if m.Template == nil {
		text += ", no chat template"
	}
	return text
}

// folderExtras reads what a folder has beside the weights. That of an adapter may have a tokenizer and its template;
// the rest is in that of its base.
func (m *Model) folderExtras(base, path string) (err error) {
	from := func(file string) string {
		if base != "" && !fileExists(filepath.Join(path, file)) {
			return base
		}
		return path
	}
	folder := from("tokenizer_config.json")
	if m.Template, err = chat.OfFolder(folder); err != nil {
		return err
	}
	special, err := parts.SpecialTokens(folder)
	if err != nil {
		return err
	}
	m.bos = special["bos_token"]
	if tok := m.Tokenizer; tok != nil && !tok.AddEOS { // else the post-processor has said which it is
		if id, ok := tok.ID(special["eos_token"]); ok {
			tok.EOS = id
		}
	}
	m.Defaults, err = generationConfig(from("generation_config.json"))
	return err
}

// generationConfig is the sampling of generation_config.json. Without do_sample it is greedy, as in transformers.
func generationConfig(folder string) (s nn.Sampling, err error) {
	var j struct {
		Sample      bool     `json:"do_sample"`
		Temperature *float64 `json:"temperature"`
		TopK        *int     `json:"top_k"`
		TopP        float64  `json:"top_p"`
		MinP        float64  `json:"min_p"`
		Typical     float64  `json:"typical_p"`
		Repetition  float64  `json:"repetition_penalty"`
	}
	err = parts.ReadJSON(filepath.Join(folder, "generation_config.json"), &j)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	s.RepeatPenalty = j.Repetition
	if err != nil || !j.Sample {
		return s, err
	}
	s.Temperature, s.TopK = 1, 50 // as transformers without values
	if j.Temperature != nil {
		s.Temperature = *j.Temperature
	}
	if j.TopK != nil {
		s.TopK = *j.TopK
	}
	s.TopP, s.MinP, s.Typical = j.TopP, j.MinP, j.Typical
	return s, tensor.Catch(func() error { nn.NewSampler(s); return nil })
}

// ggufExtras reads what a GGUF file has beside the weights.
func (m *Model) ggufExtras(path string) error {
	f, err := formats.OpenGGUF(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if m.Template, err = chat.OfGGUF(f, m.Tokenizer); err != nil || m.Tokenizer == nil {
		return err
	}
	m.bos = m.Tokenizer.Piece(m.Tokenizer.BOS)
	m.Config.EOS = append(m.Config.EOS, ggufEnds(f, m.Tokenizer)...)
	return nil
}

// turnEnds are special tokens that end a message of an assistant. GGUF files name only one token that ends texts, which
// in many is another.
var turnEnds = []string{"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|end|>", "<|endoftext|>",
	"<|end_of_text|>", "<|END_OF_TURN_TOKEN|>", "<|user|>", "<|return|>", "<|call|>"}

// ggufEnds are the tokens that end a message: those that the metadata name, and those of turnEnds.
func ggufEnds(f *formats.GGUF, tok *tokenizers.Tokenizer) (ends []int) {
	for _, key := range []string{"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"} {
		if id, ok := f.Metadata[key].(uint64); ok && id < uint64(tok.Size()) {
			ends = append(ends, int(id))
		}
	}
	for _, text := range turnEnds {
		if id, ok := tok.ID(text); ok && tok.Special(id) {
			ends = append(ends, id)
		}
	}
	if _, ok := tok.ID("<|return|>"); ok { // of gpt-oss, which goes on after thoughts that end so
		if end, ok := tok.ID("<|end|>"); ok {
			ends = slices.DeleteFunc(ends, func(id int) bool { return id == end })
		}
	}
	return ends
}
