// Package models has models that people use, made of package nn: language models of many families, a small GPT to
// train, and Silero's detector of speech.
//
//	m, err := models.Open("Qwen3-0.6B-Q8_0.gguf", dev)
//	m.Chat("Which is the longest river of Europe?")
//
// Open reads a model with its tokenizer, its chat template and how it samples. A Model is a Llama, which computes, and
// a Conversation, which makes prompts of messages (ChatTemplate), and generates replies (Generator). Parts can be used
// alone:
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
// A vision-language model has a vision.Tower besides, which makes rows of images (images.go):
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
// OpenT5 reads a T5, which makes a text of a text. Models of images are in package vision below this one, Whisper in
// package speech.
//
// A Grammar, in GBNF or a JSON schema, says what texts a Conversation, a Server or a Generator may make.
//
// They are written to be read, and to be changed in a copy: a model is a struct of weights and a Forward of a page.
// Weights are not part of gorocm.
package models
