// Package openai serves a language model over HTTP in the form of OpenAI's API: GET /v1/models, POST /v1/completions,
// POST /v1/chat/completions and POST /v1/embeddings, with streams. Many requests are computed together (models.Server).
// gorocm serve is its program.
//
//	api.go         what is served where, answers, errors
//	request.go     requests in JSON, and what of them is supported
//	chat.go        messages and tools
//	stream.go      server-sent events
//	logprobs.go    probabilities of tokens
//	embeddings.go  vectors of an encoder
package openai
