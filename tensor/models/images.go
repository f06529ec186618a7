package models

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// ImageTokens is an image that a vision-language model has read: its rows, and the tokens that stand for them in a
// prompt. These are numbers beyond the vocabulary that no other image of the model has, so that two prompts begin alike
// only if their images are the same.
type ImageTokens struct {
	text  string // that stands for the image, with image tokens in it
	token int    // the image token
	first int    // of the numbers
	rows  *tensor.Tensor
	whole bool   // they see each other, also those that follow
	grid  [2]int // its rows and columns, where the model has positions for them
}

// Len returns how many tokens stand for the image.
func (t *ImageTokens) Len() int { return t.rows.Dim(0) }

// imageOf is the image of which a token is, or nil for other tokens.
func imageOf(images []*ImageTokens, id int) *ImageTokens {
	for _, t := range images {
		if id >= t.first && id < t.first+t.Len() {
			return t
		}
	}
	return nil
}

// plainToken is the token of the vocabulary that a token is: with images the image token.
func plainToken(images []*ImageTokens, id int) int {
	if t := imageOf(images, id); t != nil {
		return t.token
	}
	return id
}

// checkInput panics with ErrIndex for numbers that are neither tokens nor those of the images.
func checkInput(ids []int, vocab int, images []*ImageTokens) {
	for _, id := range ids {
		if id < vocab || imageOf(images, id) == nil {
			parts.CheckTokens([]int{id}, vocab)
		}
	}
}

// inputs are the rows [tokens dim] that the first layer reads: those of the embedding, and those of images in the
// places of their tokens.
func (m *Llama) inputs(ids []int, images []*ImageTokens) *tensor.Tensor {
	vocab := m.Config.Vocab
	ofImage := func(id int) bool { return id >= vocab }
	var all []*tensor.Tensor
	for at := 0; at < len(ids); {
		n := slices.IndexFunc(ids[at:], ofImage)
		if n < 0 {
			n = len(ids) - at
		}
		if n > 0 {
			all = append(all, m.embedded(m.embedding.rows(ids[at:at+n])))
		} else if t := imageOf(images, ids[at]); t != nil {
			for n = 1; at+n < len(ids) && ids[at+n] == ids[at]+n && ids[at+n] < t.first+t.Len(); n++ {
			}
			all = append(all, t.rows.Narrow(0, ids[at]-t.first, n))
		} else {
			parts.CheckTokens(ids[at:at+1], vocab)
		}
		at += n
	}
	if len(all) == 1 {
		return all[0]
	}
	return tensor.Cat(all, 0)
}

// keptImages bounds the bytes of rows that a model keeps of images that it has read, to read them no more.
const keptImages = 256 << 20

// imageStore has the images that a model has read last. Its zero value is empty.
type imageStore struct {
	mu    sync.Mutex
	next  int // numbers that were given
	known map[imageKey]*ImageTokens
	order []imageKey // the one that was used last is the last
	bytes int
	limit int // of bytes; 0 is keptImages
}

type imageKey [sha256.Size]byte

// key says what an image is, and how it is prepared.
func (m *Model) key(image *tensor.Tensor) imageKey {
	h := sha256.New()
	fmt.Fprintf(h, "%v %+v %+v %+v\n", image.Dims(), *m.Vision.Processor, m.Vision.Tiles, m.Vision.Range)
	h.Write(image.ToBytes())
	return imageKey(h.Sum(nil))
}

// get returns an image that is known.
func (s *imageStore) get(key imageKey) *ImageTokens {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.known[key]
	if t != nil {
		s.order = append(slices.DeleteFunc(s.order, func(k imageKey) bool { return k == key }), key)
	}
	return t
}

// put numbers the tokens of an image, after those of the vocabulary, and makes it known. The ones that were used first
// are forgotten when all have too many bytes.
func (s *imageStore) put(key imageKey, t *ImageTokens, vocab int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.first = vocab + s.next
	s.next += t.Len()
	if s.known[key] != nil { // which was read by two goroutines at once
		return
	}
	if s.known == nil {
		s.known = map[imageKey]*ImageTokens{}
	}
	size := func(t *ImageTokens) int { return t.rows.ElemCount() * t.rows.DType().Size() }
	s.known[key], s.order = t, append(s.order, key)
	limit := s.limit
	if limit == 0 {
		limit = keptImages
	}
	for s.bytes += size(t); s.bytes > limit && len(s.order) > 1; s.order = s.order[1:] {
		s.bytes -= size(s.known[s.order[0]])
		delete(s.known, s.order[0])
	}
}

// readImage returns an image as the model reads it.
func (m *Model) readImage(image *tensor.Tensor) *ImageTokens {
	if dt := image.DType(); dt != tensor.U8 {
		m.Vision.Prepare(image) // panics
	}
	key := m.key(image)
	if t := m.images.get(key); t != nil {
		return t
	}
	p := m.Vision.Prepare(image)
	t := &ImageTokens{text: p.Text, token: m.Vision.TokenID, rows: m.Vision.Rows(p).Kept(), grid: p.Grid,
		whole: m.Vision.Whole}
	m.images.put(key, t, m.Config.Vocab)
	return t
}

// EncodeMessages returns the tokens of the prompt that the chat template makes of messages (ChatTemplate.Prompt), and
// the images among them: Request.Images, or LlamaDecoder.UseImages, takes those. Tokens and rows are those of the
// processors of transformers.
//
// The error wraps ErrConversation when the template refuses the messages, and ErrDType or ErrShape for images that are
// none.
func (m *Model) EncodeMessages(
	messages []Message, tools []Tool, options map[string]any,
) ([]int, []*ImageTokens, error) {
	if err := m.canChat(); err != nil {
		return nil, nil, err
	}
	var pictures []*tensor.Tensor
	for _, message := range messages {
		for _, part := range message.Parts {
			if part.Image != nil {
				pictures = append(pictures, part.Image)
			}
		}
	}
	if len(pictures) > 0 && m.Vision == nil {
		why := m.noVision
		if why == "" {
			why = "want a vision-language model, such as SmolVLM or LLaVA, a GGUF file with its mmproj file in the same folder"
		}
		return nil, nil, fmt.Errorf("models: %s reads no images: %s", m.Name, why)
	}
	text, err := m.Template.Prompt(messages, tools, options)
	if err != nil {
		return nil, nil, err
	}
	if m.Vision == nil {
		return m.Tokenizer.EncodePrompt(text), nil, nil
	}
	images := make([]*ImageTokens, len(pictures))
	err = tensor.Catch(func() error {
		for i, picture := range pictures {
			images[i] = m.readImage(picture)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	ids, err := m.encodeWith(text, images)
	return ids, images, err
}

// canChat returns an error for a model that has no prompts of conversations.
func (m *Model) canChat() error {
	switch {
	case m.Tokenizer == nil:
		return fmt.Errorf("models: there is no tokenizer beside %s", m.Name)
	case m.Template == nil:
		return fmt.Errorf("models: %s has no chat template: set Template with NewChatTemplate, or generate text with NewGenerator",
			m.Name)
	}
	return nil
}

// encodeWith returns the tokens of a prompt in which images have their token.
func (m *Model) encodeWith(text string, images []*ImageTokens) ([]int, error) {
	token := m.Vision.Placeholder()
	between := strings.Split(text, token)
	if n := len(between) - 1; n != len(images) {
		return nil, fmt.Errorf("models: the prompt has %s %d times for %d images: no text of the conversation can have it", token, n,
			len(images))
	}
	var b strings.Builder
	for i, t := range images {
		b.WriteString(between[i] + t.text)
	}
	whole := b.String() + between[len(images)]
	encode := m.Tokenizer.Encode // as processors do, while tokenizers add nothing to their templates
	if m.bos != "" && strings.HasPrefix(whole, m.bos) {
		encode = m.Tokenizer.EncodePrompt
	}
	ids := encode(whole)
	at := 0 // of the tokens of images[0]
	for i, id := range ids {
		if id != m.Vision.TokenID {
			continue
		}
		if len(images) > 0 && at == images[0].Len() {
			images, at = images[1:], 0
		}
		if len(images) == 0 {
			return nil, fmt.Errorf("models: the prompt has more tokens %s than its images have rows", m.Vision.Token)
		}
		ids[i] = images[0].first + at
		at++
	}
	if len(images) > 1 || len(images) == 1 && at < images[0].Len() {
		return nil, fmt.Errorf("models: the prompt has fewer tokens %s than its images have rows", m.Vision.Token)
	}
	return ids, nil
}
