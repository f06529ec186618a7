package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/chat"
	"github.com/gorocm/gorocm/tensor/models/internal/index"
)

// Message is one of a conversation, as OpenAI's API has it.
type Message = chat.Message

// Part is a piece of a message: a text, or an image.
type Part = chat.Part

// Tool is a function that the model may call.
type Tool = chat.Tool

// ToolCall is a call of a function that the model asks for.
type ToolCall = chat.ToolCall

// ChatTemplate makes the prompt of a conversation: the Jinja of a tokenizer_config.json, a chat_template.jinja or a
// GGUF file, rendered as Hugging Face's transformers do. Its methods may be called by several goroutines.
type ChatTemplate = chat.Template

// ErrConversation is what errors wrap when a chat template refuses a conversation, as Gemma's does one with a system
// message.
var ErrConversation = chat.ErrConversation

// NewChatTemplate parses a template. special are the texts of special tokens that it may name, such as bos_token. The
// error names what of Jinja is not supported, and its line.
func NewChatTemplate(source string, special map[string]string) (*ChatTemplate, error) {
	return chat.New(source, special)
}

// ParseToolCalls finds the calls of tools in a reply, and returns its text without them. Models write them in one
// of these ways, which their chat templates ask for:
//
//	<tool_call>{"name": …, "arguments": {…}}</tool_call>   Hermes, Qwen, SmolLM
//	[TOOL_CALLS][{"name": …, "arguments": {…}}]            Mistral, whose token is not text
//	{"name": …, "parameters": {…}}                         Llama
//
// A reply that is anything else, or calls something that is no tool, is text.
func ParseToolCalls(text string, tools []Tool) (rest string, calls []ToolCall) {
	return chat.ParseToolCalls(text, tools)
}

// Index finds the vectors that are nearest to others by the cosine of the angle between them: texts of like meaning, by
// vectors of Encoder.Embed. It compares with every vector, on the device, in one product.
type Index = index.Index

// Match is a vector that Search found: its number in the order in which vectors were added, and the cosine.
type Match = index.Match

// NewIndex returns an index of vectors [n dim], which may be nil for an empty one.
func NewIndex(vectors *tensor.Tensor) *Index { return index.New(vectors) }
