// Package config says what language models are: their sizes, in which decoders differ, and the names of their weights.
//
//	config.go, variant.go   LlamaConfig, what decoders have that Llama has not
//	latent.go, mixture.go, hybrid.go, alibi.go   parts of it
//	names.go                the names of weights in a kind of file
//	huggingface*.go         config.json of Hugging Face, by families*.go for each model_type
//	whole.go                that of a language model in a vision-language model
//	gguf*.go                the metadata of GGUF files, translated to config.json's
package config
