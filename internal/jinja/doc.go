// Package jinja renders the chat templates of language models: the part of Jinja, Python's template language, that the
// templates of Hugging Face's models use, with the settings of transformers.
//
//	t, err := jinja.Parse(source)
//	prompt, err := t.Render(jinja.Dict("messages", messages, "add_generation_prompt", true))
//
// A prompt that differs by a space is a worse answer, and nobody sees why. So the results are those of Python's Jinja
// to the byte, and whatever is not known here (a tag, a filter, a test, a method) is an error that names it and its
// line. An error of Python's is one here, too: a list is not text, an undefined value has no attributes.
//
// Why it is not a library: gonja 2.9.1 renders 65 of 168 conversations in the templates of llama.cpp's tests
// differently from Jinja, without an error for most; it sorts the keys of objects, and a macro without end overflows
// the stack, which ends the process.
//
// One difference is known: Python's Jinja takes a variable that an inner block or macro reads, and the block around it
// sets later, for undefined, even if the caller gave it a value; here it has that value.
//
// # Files
//
//	lex.go        source → text, tags and tokens; white space around tags
//	parse.go      tags; parse_expr.go expressions; both make nodes (node.go)
//	run.go        statements; eval.go expressions; call.go macros and arguments
//	value.go      the values, and what Python prints for them; operators.go what +, == and in do
//	methods.go    methods of text and dicts; filters.go, filters_lists.go, is.go (tests), globals.go
//	json.go       JSON to values, and tojson
//
// # Invariants
//
// Templates are foreign: nothing here panics, and what a template may do is bounded (limits in run.go): steps, depth,
// text. Values never change, except namespaces; so a Template may be rendered by several goroutines.
package jinja
