package main

import (
	"encoding/json"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// span is a part of a text.
type span struct{ from, to int }

// withSetting returns the text of a TOML file in which a key has a value, as it stands in the file; with "" the key is
// removed. Everything else stays as it is, comments too.
func withSetting(text, key, value string) (string, error) {
	line, is, first, err := findSetting(text, key)
	switch {
	case err != nil:
		return "", err
	case line == nil && value == "":
		return text, nil
	case line == nil: // before the first table, whose keys would follow it
		before := text[:first]
		if before != "" && !strings.HasSuffix(before, "\n") {
			before += "\n"
		}
		return before + key + " = " + value + "\n" + text[first:], nil
	case value == "":
		from := strings.LastIndexByte(text[:line.from], '\n') + 1
		to := len(text)
		if i := strings.IndexByte(text[line.to:], '\n'); i >= 0 {
			to = line.to + i + 1
		}
		return text[:from] + text[to:], nil
	}
	return text[:is.from] + value + text[is.to:], nil
}

// findSetting finds a key outside of tables, its value, and where the first table begins: at the end where there is
// none.
func findSetting(text, key string) (line, value *span, first int, err error) {
	p := unstable.Parser{}
	p.Reset([]byte(text))
	first = len(text)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.Table || e.Kind == unstable.ArrayTable {
			names := e.Key()
			names.Next()
			first = strings.LastIndexByte(text[:names.Node().Raw.Offset], '\n') + 1
			break
		}
		if e.Kind != unstable.KeyValue {
			continue
		}
		names := e.Key()
		names.Next()
		if string(names.Node().Data) == key && names.IsLast() {
			line, value = spanOf(e.Raw), spanOf(e.Value().Raw)
		}
	}
	return line, value, first, p.Error()
}

func spanOf(r unstable.Range) *span { return &span{int(r.Offset), int(r.Offset + r.Length)} }

// quoted is a text as a TOML string: in quotes, with the escape sequences of JSON, which TOML has too.
func quoted(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return `""` // not of a string
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}
