// Package openai serves a language model over HTTP in the form of OpenAI's API: GET /v1/models, POST /v1/completions
// and POST /v1/chat/completions, with streams, and with images for vision-language models; an encoder at POST
// /v1/embeddings; a Whisper at POST /v1/audio/transcriptions and POST /v1/audio/translations. Many requests to a
// language model are computed together (models.Server). gorocm serve is its program.
//
//	api.go         what is served where, answers, errors
//	front.go       who may ask, and how long clients may take
//	request.go     requests in JSON, and what of them is supported
//	fields.go      their names and types
//	chat.go        messages and tools
//	images.go      images in messages
//	stream.go      server-sent events
//	logprobs.go    probabilities of tokens
//	embeddings.go  vectors of an encoder
//	audio.go       texts of sounds
package openai
