// Package tokenizers turns text into the numbers that language models read, and back.
//
//	tok, err := tokenizers.ReadJSON("tokenizer.json")      // Hugging Face
//	tok, err := tokenizers.FromGGUF(file.Metadata)         // of an open GGUF file
//	tok, err := tokenizers.ReadFolder("Llama-2-7b-hf/")    // tokenizer.json, or spiece.model or tokenizer.model
//	tok, err := tokenizers.ReadSentencePiece("m.model")    // SentencePiece
//	tok, err := tokenizers.ReadLlama2c("tok512.bin")       // llama2.c
//	ids := tok.Encode("Once upon a time")
//	text := tok.Decode(ids)
//
// A text goes through these steps, each of which a file describes:
//
//	added tokens        added.go                       found in the text before all else
//	normalizers         normalize.go, charsmap.go      text → text
//	pre-tokenizers      presplit.go, split.go, scripts.go   text → words
//	the model           bpe.go, unigram.go, wordpiece.go   a word → tokens
//	post-processors     template.go                    tokens around a text, or two
//	decoders            decode.go, chain.go            tokens → text
//
// json.go and json_steps.go read tokenizer.json. The tokens are those of Hugging Face's tokenizers for every text, also
// where those know another version of Unicode than Go (tables.go, tables_scripts.go). sentencepiece.go reads models of
// SentencePiece, whose normalizer and models are in sentencepiece_model.go, and folder.go what transformers adds to
// them; gguf.go, tiktoken.go and llama2c.go read other files. train.go makes a vocabulary of texts, and json_write.go
// and gguf_write.go write files. Files are not trusted: what is wrong in one, or not supported, is an error that names
// it.
package tokenizers
