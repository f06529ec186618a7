// Package models has a few models that people use, made of package nn: decoders of the Llama and Qwen families, a small
// GPT to train, and Silero's detector of speech.
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
// They are written to be read, and to be changed in a copy: a model is a struct of weights and a Forward of a page.
// Weights are not part of gorocm.
package models
