package models_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

func openSeer(t testing.TB, name string, dev *tensor.Device) *models.Model {
	t.Helper()
	m, err := models.OpenAs(visionFolder(name), tensor.F32, dev) // rounded to BF16, parts of a text differ
	if err != nil {
		t.Fatal(err)
	}
	m.MaxTokens = 8
	return m
}

// TestChatImages: a chat goes on after an image, which is not read again, and another image in its place is another
// conversation.
func TestChatImages(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		m := openSeer(t, "smolvlm", dev)
		wide, high := picture(t, "wide", dev), picture(t, "high", dev)
		var out strings.Builder
		m.Output = &out
		if err := m.Chat("What is this?", wide); err != nil || len(out.String()) < 4 {
			t.Fatal(out.String(), err)
		}
		prompt := len(m.Generator().Tokens())
		if err := m.Chat("And now?"); err != nil {
			t.Fatal(err)
		}
		if cached := m.Generator().Cached(); cached < prompt-10 {
			t.Errorf("%d of %d tokens were not read again", cached, prompt)
		}
		first := m.Messages[1].Content + m.Messages[3].Content
		if len(m.Messages) != 4 || len(m.Messages[0].Parts) != 2 || m.Messages[0].Content != "" || m.Messages[2].Content != "And now?" {
			t.Errorf("%+v", m.Messages)
		}
		// The same number of tokens: with the numbers of other images the cache is not taken for theirs.
		m.Messages = m.Messages[:2]
		m.Messages[0].Parts[0].Image = wide.Flip(2).Contiguous()
		other, err := m.Ask("And now?")
		if err != nil {
			t.Fatal(err)
		}
		fresh := m.NewConversation()
		fresh.MaxTokens, fresh.Messages = m.MaxTokens, slices.Clone(m.Messages[:2])
		if want, err := fresh.Ask("And now?"); err != nil || other != want {
			t.Errorf("%q, %v, want %q", other, err, want)
		}
		m.Forget()
		one, _ := m.Ask("What is this?", wide)
		two, _ := m.Ask("And now?")
		if one+two != first {
			t.Errorf("once more %q, want %q", one+two, first)
		}
		m.Forget()
		if pair, err := m.Ask("Which?", wide, high); err != nil || len(m.Messages[0].Parts) != 3 || pair == "" {
			t.Error(pair, err, m.Messages)
		}
	}
}

// TestSplit: an image is read anew when it is to be prepared in another way.
func TestSplit(t *testing.T) {
	m, image := openSeer(t, "smolvlm", tensor.CPU()), picture(t, "wide", tensor.CPU())
	tokens := func() int {
		t.Helper()
		_, images, err := m.EncodeMessages([]models.Message{{Role: "user", Parts: []models.Part{{Image: image}}}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return images[0].Len()
	}
	split := tokens()
	m.Vision.Tiles.Split = false
	if whole := tokens(); split != 40 || whole != 4 {
		t.Errorf("%d tokens of tiles, %d of the whole", split, whole)
	}
	m.Vision.Tiles.Split = true
	if again := tokens(); again != split {
		t.Errorf("%d tokens, then %d", split, again)
	}
}

// TestServerOfImages: texts with images that are generated together, in parts of few tokens, are those that each is
// alone, and images that are known share their blocks.
func TestServerOfImages(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, name := range some(dev, []string{"llava", "qwen25vl", "gemma3vl"}, 2) {
			serveImages(t, openSeer(t, name, dev), dev)
		}
	}
}

func serveImages(t *testing.T, m *models.Model, dev *tensor.Device) {
	s := served(t, m.Llama, m.Tokenizer, models.ServerConfig{BlockSize: 4, MaxSequences: 3, MaxBatchedTokens: 7})
	var requests []models.Request
	var want []string
	for _, name := range []string{"wide", "high", "small", "wide"} {
		image := picture(t, name, dev)
		ids, images, err := m.EncodeMessages([]models.Message{{Role: "user", Parts: []models.Part{{Image: image}, {Text: "What is?"}}}}, nil, nil)
		if err != nil || m.Name == "llava" && images[0].Len() != 16 {
			t.Fatal(err, images)
		}
		requests = append(requests, models.Request{Prompt: ids, Images: images, MaxTokens: 8, Sampling: nn.Sampling{RepeatPenalty: 1.3}})
		c := m.NewConversation()
		c.MaxTokens, c.Sampling = 8, requests[0].Sampling
		reply, err := c.Ask("What is?", image)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, reply)
	}
	if slices.Equal(requests[0].Prompt, requests[1].Prompt) || !slices.Equal(requests[0].Prompt, requests[3].Prompt) {
		t.Error("the tokens of images are not their own")
	}
	for i, done := range submitAll(t, s, requests...) {
		if _, text, err := done.Collect(); err != nil || text != want[i] {
			t.Errorf("text %d is %q, %v; alone %q", i, text, err, want[i])
		}
	}
	before, images := s.Stats().Shared, requests[1].Images[0].Len()
	if _, text, err := submitAll(t, s, requests[1])[0].Collect(); err != nil || text != want[1] || s.Stats().Shared-before < images {
		t.Errorf("%q, %v, %d tokens shared", text, err, s.Stats().Shared-before)
	}
	if _, err := s.Submit(t.Context(), models.Request{Prompt: requests[0].Prompt}); err == nil || !strings.Contains(err.Error(), "there is no token") {
		t.Error(err)
	}
}

// TestKeptImages: images that were used first are forgotten when they have too many bytes; then they are read again.
func TestKeptImages(t *testing.T) {
	m := openSeer(t, "llava", tensor.CPU())
	m.KeepImages(2 * 16 * 16 * 4)
	replies := map[string]string{}
	for _, name := range []string{"wide", "high", "small", "wide", "high"} {
		reply, err := m.NewConversation().Ask("What?", picture(t, name, tensor.CPU()))
		if err != nil || replies[name] != "" && replies[name] != reply {
			t.Errorf("%s: %q, then %q, %v", name, replies[name], reply, err)
		}
		if replies[name] = reply; m.KeptImages() > 2 {
			t.Error(m.KeptImages())
		}
	}
}

// TestHalfVision: models with images compute in types of 16 bits too.
func TestHalfVision(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		full := openSeer(t, "smolvlm", dev)
		half, err := models.OpenAs(visionFolder("smolvlm"), tensor.BF16, dev)
		if err != nil {
			t.Fatal(err)
		}
		p := full.Vision.Prepare(picture(t, "small", dev))
		want, got := full.Vision.Rows(p), half.Vision.Rows(p)
		if d := got.ToDType(tensor.F32).Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); got.DType() != tensor.BF16 || !(d > 0 && d < 0.05) {
			t.Errorf("%v: rows of %v differ by %v", dev, got.DType(), d)
		}
		half.MaxTokens = 3
		if _, err := half.Ask("What?", picture(t, "small", dev)); err != nil {
			t.Error(err)
		}
	}
}

// TestVisionMistakes: what cannot be asked is an error that says so, and changes nothing.
func TestVisionMistakes(t *testing.T) {
	dev := tensor.CPU()
	m, wide := openSeer(t, "smolvlm", dev), picture(t, "wide", dev)
	blind, err := models.Open("testdata/chat/model", dev)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(m *models.Model, text string, images ...*tensor.Tensor) error {
		_, err := m.Ask(text, images...)
		if err != nil && len(m.Messages) != 0 {
			t.Errorf("%q stays", text)
		}
		return err
	}
	both := openSeer(t, "smolvlm", dev)
	both.Messages = []models.Message{{Role: "user", Content: "a", Parts: []models.Part{{Text: "b"}}}}
	_, bothErr := both.Reply(nil)
	narrow := openSeer(t, "smolvlm", dev)
	narrow.Vision.Tiles.Edge = 8
	for want, err := range map[string]error{
		"chat_model reads no images":         nil,
		"the image is of f32":                ask(m, "What?", wide.ToDType(tensor.F32)),
		"is not an image":                    ask(m, "What?", dev.Zeros(tensor.U8, 2, 3, 4)),
		"<image> 2 times for 1 images":       ask(m, "<image>?", wide),
		"<image> 1 times for 0 images":       ask(m, "<image>?"),
		"of at most 512":                     ask(m, strings.Repeat("a", 600), wide),
		"message 0 has Content and Parts":    bothErr,
		"tiles of 8 pixels (max_image_size)": ask(narrow, "What?", wide),
	} {
		if want == "chat_model reads no images" {
			err, want = ask(blind, "What?", wide), "model reads no images: want a vision-language model"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if text := m.String(); !strings.Contains(text, "images: 2 layers, width 16, patches of 4") {
		t.Error(text)
	}
	if _, err := m.Ask("What?", wide); err != nil {
		t.Error(err)
	}
}

// changedVision is a copy of a folder with other files and other names of weights; a file of nil is left out.
func changedVision(t testing.TB, name string, files map[string][]byte, rename func(string) string) string {
	t.Helper()
	to := t.TempDir()
	list, err := os.ReadDir(visionFolder(name))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	maps.Copy(all, files)
	for _, f := range list {
		if _, changed := files[f.Name()]; changed || strings.HasPrefix(f.Name(), "golden") {
			continue
		}
		if all[f.Name()], err = os.ReadFile(filepath.Join(visionFolder(name), f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for file, data := range all {
		if data != nil {
			if err := os.WriteFile(filepath.Join(to, file), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if rename == nil {
		return to
	}
	weights, err := formats.ReadSafetensors(filepath.Join(to, "model.safetensors"), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for i := range weights {
		weights[i].Name = rename(weights[i].Name)
	}
	if err := formats.WriteSafetensors(filepath.Join(to, "model.safetensors"), weights, nil); err != nil {
		t.Fatal(err)
	}
	return to
}

// config is config.json of a folder with other fields; a field of nil is left out.
func visionConfig(t testing.TB, name, file string, fields map[string]any) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(visionFolder(name), file))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	merge(all, fields)
	data, err = json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func merge(to, fields map[string]any) {
	for name, v := range fields {
		inner, ok := to[name].(map[string]any)
		more, both := v.(map[string]any)
		switch {
		case v == nil:
			delete(to, name)
		case ok && both:
			merge(inner, more)
		default:
			to[name] = v
		}
	}
}

// TestVisionFiles: weights and files may have the names of older and newer versions, and OpenLlama reads the language
// model alone.
func TestVisionFiles(t *testing.T) {
	dev := tensor.CPU()
	image := picture(t, "wide", dev)
	want, err := openSeer(t, "llava", dev).Ask("What?", image)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Image json.RawMessage `json:"image_processor"`
	}
	if err := json.Unmarshal(visionConfig(t, "llava", "processor_config.json", nil), &all); err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(visionFolder("llava") + "/chat_template.jinja")
	if err != nil {
		t.Fatal(err)
	}
	one, err := json.Marshal(map[string]string{"chat_template": string(template)})
	if err != nil {
		t.Fatal(err)
	}
	old := map[string][]byte{"preprocessor_config.json": all.Image, "processor_config.json": nil, "chat_template.jinja": nil, "chat_template.json": one}
	for what, folder := range map[string]string{
		"older": changedVision(t, "llava", old, func(name string) string {
			if rest, ok := strings.CutPrefix(name, "vision_tower."); ok {
				return "vision_tower.vision_model." + rest
			}
			return name
		}),
		"newer": changedVision(t, "llava", nil, func(name string) string {
			switch {
			case name == "language_model.lm_head.weight":
				return "lm_head.weight"
			case strings.HasPrefix(name, "language_model.model."):
				return "model.language_model." + strings.TrimPrefix(name, "language_model.model.")
			}
			return "model." + name
		}),
	} {
		m, err := models.OpenAs(folder, tensor.F32, dev)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		m.MaxTokens = 8
		if got, err := m.Ask("What?", image); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", what, got, err, want)
		}
	}
	llama, tok, err := models.OpenLlama(visionFolder("llava"), tensor.F32, dev)
	if err != nil || tok == nil || llama.Forward([]int{1, 5, 6}).Dim(1) != 79 {
		t.Error(err)
	}
}

// TestOldQwen: the files of the first versions have all of the language model in one object, the pixels of images by
// their own names, and newer ones other names of weights; and images may be smaller than their file says.
func TestOldQwen(t *testing.T) {
	dev := tensor.CPU()
	image := picture(t, "wide", dev)
	want, err := openSeer(t, "qwen2vl", dev).Ask("What?", image)
	if err != nil {
		t.Fatal(err)
	}
	type fields = map[string]any
	text := fields{"text_config": nil, "hidden_size": 32, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
		"max_position_embeddings": 512, "rms_norm_eps": 1e-5, "vocab_size": 82, "rope_theta": 1e4, "rope_scaling": fields{"type": "mrope", "mrope_section": []int{2, 1, 1}},
		"sliding_window": 32768, "use_sliding_window": false, "eos_token_id": 2, "hidden_act": "silu", "vision_config": fields{"in_channels": nil, "in_chans": 3, "rope_parameters": nil}}
	var processor struct {
		Image fields `json:"image_processor"`
	}
	if err := json.Unmarshal(visionConfig(t, "qwen2vl", "processor_config.json", nil), &processor); err != nil {
		t.Fatal(err)
	}
	delete(processor.Image, "size")
	processor.Image["min_pixels"], processor.Image["max_pixels"] = 256, 1600
	prepare, err := json.Marshal(processor.Image)
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.Open(changedVision(t, "qwen2vl", map[string][]byte{"config.json": visionConfig(t, "qwen2vl", "config.json", text),
		"processor_config.json": nil, "preprocessor_config.json": prepare}, func(name string) string {
		if rest, ok := strings.CutPrefix(name, "visual."); ok {
			return "model.visual." + rest
		}
		if rest, ok := strings.CutPrefix(name, "model."); ok {
			return "model.language_model." + rest
		}
		return name
	}), dev)
	if err != nil {
		t.Fatal(err)
	}
	m.MaxTokens = 8
	if got, err := m.Ask("What?", image); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	m.Vision.Range.Most = 600
	_, images, err := m.EncodeMessages([]models.Message{{Role: "user", Parts: []models.Part{{Image: image}}}}, nil, nil)
	if err != nil || images[0].Len() != 6 {
		t.Error(images[0].Len(), err)
	}
	m.Vision.Range.Resize = false
	if _, err := m.Ask("What?", image); err == nil || !strings.Contains(err.Error(), "no multiple of 8") {
		t.Error(err)
	}
	m.Vision.Range.Resize = true
	if _, err := m.Ask("What?", dev.Zeros(tensor.U8, 3, 1, 300)); err == nil || !strings.Contains(err.Error(), "too narrow") {
		t.Error(err)
	}
}

// TestOldGemma: weights may have the names of older and newer files, and the language model's sizes may be left out.
func TestOldGemma(t *testing.T) {
	dev := tensor.CPU()
	image := picture(t, "wide", dev)
	want, err := openSeer(t, "gemma3vl", dev).Ask("What?", image)
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range [][2]string{{"vision_tower.", "vision_tower.vision_model."}, {"language_model.model.", "model.language_model."}} {
		m, err := models.Open(changedVision(t, "gemma3vl", map[string][]byte{"config.json": visionConfig(t, "gemma3vl", "config.json",
			map[string]any{"text_config": map[string]any{"model_type": nil, "query_pre_attn_scalar": 8}})}, func(name string) string {
			if rest, ok := strings.CutPrefix(name, to[0]); ok {
				return to[1] + rest
			}
			return name
		}), dev)
		if err != nil {
			t.Fatal(err)
		}
		m.MaxTokens = 8
		if got, err := m.Ask("What?", image); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		ids, images, err := m.EncodeMessages([]models.Message{{Role: "user", Parts: []models.Part{{Image: image}}}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := m.Decoder()
		d.UseImages(images...)
		first := slices.Index(ids, slices.Max(ids)) - 8
		if _, err := tensor.Try(func() *tensor.Tensor { return d.Read(ids[:first+4]) }); err == nil || !strings.Contains(err.Error(), "4 of the 9 tokens of an image") || d.Len() != 0 {
			t.Error(err, d.Len())
		}
	}
}

// TestVisionConfigs: files that ask for what is not there are errors that name it.
func TestVisionConfigs(t *testing.T) {
	type fields = map[string]any
	for _, c := range []struct {
		folder, file string
		fields       fields
		want         string
	}{
		{"llava", "config.json", fields{"vision_config": fields{"model_type": "pixtral"}}, "pixtral"},
		{"llava", "config.json", fields{"vision_feature_layer": []int{-2, -1}}, "want one number"},
		{"llava", "config.json", fields{"vision_feature_layer": -4}, "vision_feature_layer is -4 for 2 layers"},
		{"llava", "config.json", fields{"vision_feature_select_strategy": "some"}, `"some" is not supported`},
		{"llava", "config.json", fields{"projector_hidden_act": "maxout"}, "maxout"},
		{"llava", "config.json", fields{"vision_config": fields{"image_size": 20}}, "images of 16 × 16 are prepared for a model of 20"},
		{"llava", "config.json", fields{"vision_config": fields{"hidden_size": 1 << 12}}, "config.json declares"},
		{"llava", "config.json", fields{"image_token_index": 79}, "token 79 stands for images"},
		{"llava", "config.json", fields{"image_token_index": -1}, "token -1 stands for images"},
		{"llava", "config.json", fields{"text_config": fields{"model_type": "gpt_neox", "num_key_value_heads": 4, "partial_rotary_factor": 0.5}}, "gpt_neox.embed_in"},
		{"llava", "config.json", fields{"text_config": fields{"model_type": "rwkv"}}, "rwkv"},
		{"llava", "config.json", fields{"text_config": 3}, "text_config"},
		{"llava", "config.json", fields{"quantization_config": fields{"quant_method": "awq"}}, `"awq" is not supported`},
		{"llava", "processor_config.json", fields{"image_processor": fields{"do_center_crop": false}}, "want one size"},
		{"llava", "processor_config.json", fields{"image_processor": fields{"image_processor_type": "PixtralImageProcessor"}}, "Pixtral"},
		{"qwen2vl", "config.json", fields{"vision_config": fields{"embed_dim": 18}}, "want heads of a multiple of 4"},
		{"qwen2vl", "config.json", fields{"vision_config": fields{"hidden_size": 16}}, "rows have a width of 16 for a language model of 32"},
		{"qwen2vl", "config.json", fields{"vision_config": fields{"patch_size": 2}}, "a multiple of 8 pixels are prepared for a model of 4"},
		{"qwen2vl", "config.json", fields{"text_config": fields{"rope_parameters": fields{"mrope_section": []int{2, 1}}}}, "sections [2 1] of a rotary embedding are not its 4 pairs"},
		{"qwen25vl", "config.json", fields{"vision_config": fields{"window_size": 7}}, "a window_size of 7"},
		{"qwen25vl", "config.json", fields{"vision_config": fields{"in_channels": 1}}, "in_channels is 1"},
		{"qwen25vl", "processor_config.json", fields{"image_processor": fields{"size": fields{"longest_edge": 9}}}, "from 256 to 9 pixels"},
		{"qwen25vl", "processor_config.json", fields{"image_processor": fields{"size": fields{"longest_edge": nil}}}, "wants shortest_edge and longest_edge"},
		{"gemma3vl", "config.json", fields{"mm_tokens_per_image": 8}, "mm_tokens_per_image of 8"},
		{"gemma3vl", "config.json", fields{"mm_tokens_per_image": 16}, "mm_tokens_per_image of 16"},
		{"gemma3vl", "config.json", fields{"vision_config": fields{"model_type": "clip_vision_model"}}, "want siglip_vision_model"},
		{"gemma3vl", "config.json", fields{"boi_token_index": 99}, "the tokens 99 and 5 are around images"},
		{"gemma3vl", "processor_config.json", fields{"image_processor": fields{"do_pan_and_scan": true}}, "do_pan_and_scan"},
		{"smolvlm", "config.json", fields{"scale_factor": 3}, "scale_factor of 3"},
		{"smolvlm", "config.json", fields{"scale_factor": 0}, "scale_factor of 0"},
		{"smolvlm", "processor_config.json", fields{"image_processor": fields{"max_image_size": fields{"longest_edge": 8}}}, "tiles of 8 pixels"},
		{"smolvlm", "processor_config.json", fields{"image_processor": fields{"size": fields{"longest_edge": 4096}, "max_image_size": fields{"longest_edge": 16}}}, "more than 1024"},
		{"smolvlm", "processor_config.json", fields{"image_processor": fields{"size": fields{"longest_edge": nil, "shortest_edge": 9}}}, "wants a longest_edge"},
		{"smolvlm", "processor_config.json", fields{"image_processor": fields{"image_processor_type": "CLIPImageProcessor"}}, "want Idefics3ImageProcessor"},
	} {
		folder := changedVision(t, c.folder, map[string][]byte{c.file: visionConfig(t, c.folder, c.file, c.fields)}, nil)
		if _, err := models.Open(folder, tensor.CPU()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want an error with %q", c.folder, c.fields, err, c.want)
		}
	}
	// Sizes that are left out are those of Llama 7B, which these weights are not.
	folder := changedVision(t, "llava", map[string][]byte{"config.json": visionConfig(t, "llava", "config.json", fields{"text_config": nil})}, nil)
	if _, err := models.Open(folder, tensor.CPU()); err == nil || !strings.Contains(err.Error(), "declares about 6.61e+09 weights") {
		t.Error(err)
	}
}

// FuzzVisionConfigs: a config and a processor of any bytes are an error, or a model that reads an image.
func FuzzVisionConfigs(f *testing.F) {
	for _, name := range visionLanguage {
		f.Add(name, visionConfig(f, name, "config.json", nil), visionConfig(f, name, "processor_config.json", nil))
	}
	image := picture(f, "small", tensor.CPU())
	f.Fuzz(func(t *testing.T, name string, config, processor []byte) {
		if !slices.Contains(visionLanguage, name) || len(config)*len(processor) == 0 {
			t.Skip()
		}
		folder := changedVision(t, name, map[string][]byte{"config.json": config, "processor_config.json": processor}, nil)
		tensor.Catch(func() error { // an error of a tensor is allowed
			if m, err := models.Open(folder, tensor.CPU()); err == nil && m.Vision != nil && m.Vision.Config.Image[0] <= 64 && (m.Vision.Range == nil || m.Vision.Range.Least <= 1<<12) {
				m.MaxTokens = 2
				m.Ask("a", image)
			}
			return nil
		})
	})
}
