// Package tokenizers turns text into the numbers that language models read, and back.
//
//	tok, err := tokenizers.ReadJSON("tokenizer.json")      // Hugging Face
//	tok, err := tokenizers.FromGGUF(file.Metadata)         // of an open GGUF file
//	tok, err := tokenizers.ReadLlama2c("tok512.bin")       // llama2.c
//	ids := tok.Encode("Once upon a time")
//	text := tok.Decode(ids)
//
// There are byte-pair models by ranks of merges (GPT-2, Llama 3, Qwen) and by scores (Llama 2, SentencePiece), with
// bytes for what the vocabulary lacks, and unigram models (T5). WordPiece and WordLevel are not supported. Files are
// not trusted: what is wrong in one is an error.
package tokenizers
