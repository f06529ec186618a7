// Package models has models made of package nn: language models of many families, encoders of texts, T5, a small GPT to
// train, and Silero's detector of speech.
//
//	m, err := models.Open("Qwen3-0.6B-Q8_0.gguf", dev)
//	m.Chat("Which is the longest river of Europe?")
//
// Open reads a model with its tokenizer, its chat template and its sampling settings. A Model is a Llama, which
// computes, and a Conversation, which makes prompts of messages (ChatTemplate) and generates replies (Generator). Parts
// can be used alone:
//
//	llama, tok, err := models.OpenLlama("stories260K.bin", tensor.F32, dev)
//	story := models.NewGenerator(llama.Decoder(), tok, nn.Sampling{})
//	story.Prompt("Once upon a time")
//	for range 200 {
//		if !story.Next() {
//			break
//		}
//		fmt.Print(story.Text())
//	}
//	fmt.Println(story.Stats())
//
// A vision-language model has a vision.Tower, too, which makes rows of images (images.go):
//
//	m, err := models.Open("SmolVLM-256M-Instruct", dev)
//	m.Chat("What is in this picture?", image)
//
// OpenEncoder reads an Encoder such as BERT, whose vectors of texts an Index compares:
//
//	e, err := models.OpenEncoder("all-MiniLM-L6-v2", dev)
//	index := models.NewIndex(e.Embed(texts...))
//	matches := index.Search(e.Embed("a question"), 3)
//
// What a model is (LlamaConfig, Variant) comes from config.json or the metadata of a GGUF file by internal/config.
//
// An encoder (internal/encoder) is an embedding and layers of one kind, which the file of its family fills from the
// weights.
//
// OpenT5 reads a T5, which makes a text of a text. Below this package, vision has models of images, speech Whisper,
// diffusion those that make pictures, and finetune trains language models.
//
// A Grammar, in GBNF or a JSON schema, says what texts a Conversation, a Server or a Generator may make.
//
// # How a token is read
//
// A Generator reads tokens by a decoder (llama_decoder.go). On a GPU that replays a graph (step.go, replay.go) of the
// kernels of tensor/internal/decode, six a layer (llama_row.go), or, where it is faster, launches one kernel for all
// layers (llama_token.go). Where the GPU can choose a token alone (nn.Sampler.Begin), it begins to read it before the
// host knows it (ahead.go). A Server does so for many texts: server_schedule.go chooses what the next step reads,
// server_step.go reads it in one batch, with keys and values in blocks of one pool (blocks.go), and the GPU chooses the
// tokens (nn.SampleRows).
//
// Models are written to be read, and to be changed in a copy: a struct of weights and a Forward of a page. Weights are
// not part of gorocm.
package models
