package models_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// The types of what is generated, which encoding/json checks besides.
type (
	person struct {
		Name string
		Age  *int
		Tags []string
		Kind string
	}
	tree struct {
		Leaf bool
		Sub  []tree
	}
)

// schemas are schemas with a check of the values of a text.
var schemas = []struct {
	text  string
	check func(d *json.Decoder) bool
}{
	{`{"type": "object", "properties": {"Name": {"type": "string", "maxLength": 6}, "Age": {"type": "integer"},
		"Tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 1, "maxItems": 2}, "Kind": {"enum": ["red", "blue"]}},
		"required": ["Name", "Tags", "Kind"], "additionalProperties": false}`, func(d *json.Decoder) bool {
		var p person
		return d.Decode(&p) == nil && len([]rune(p.Name)) <= 6 && (len(p.Tags) == 1 || len(p.Tags) == 2) && (p.Kind == "red" || p.Kind == "blue")
	}},
	{`{"type": "object", "properties": {"Leaf": {"type": "boolean"}, "Sub": {"type": "array", "items": {"$ref": "#"}, "maxItems": 1}}, "required": ["Leaf"]}`,
		func(d *json.Decoder) bool {
			var x tree
			return d.Decode(&x) == nil && len(x.Sub) < 2
		}},
	{`{"anyOf": [{"type": "integer"}, {"type": "null"}, {"const": "none"}]}`, func(d *json.Decoder) bool {
		var x any
		err := d.Decode(&x)
		_, number := x.(float64)
		return err == nil && (number || x == nil || x == "none")
	}},
}

func validBy(check func(*json.Decoder) bool, text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	return check(d) && !d.More()
}

// TestSchemas: replies and completions of a random model are JSON of their schemas, however they are sampled, unless
// they say that they were cut off.
func TestSchemas(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		m := openChat(t, dev)
		server, err := models.NewServer(m.Llama, m.Tokenizer, models.ServerConfig{MaxSequences: 4})
		if err != nil {
			t.Fatal(err)
		}
		seeds := 6
		if dev.Emulated() {
			seeds = 2
		}
		for _, s := range schemas {
			schema, err := models.NewSchema(s.text)
			if err != nil {
				t.Fatal(err)
			}
			whole := 0
			var completions []*models.Completion
			for seed := range seeds {
				sampling := nn.Sampling{Temperature: 1.5, Seed: uint64(seed)}
				switch seed {
				case 0:
					sampling = nn.Sampling{}
				case 1:
					sampling.TopK, sampling.TopP = 5, 0.8
				case 2:
					sampling.Typical, sampling.RepeatPenalty = 0.9, 1.3
				}
				c := m.NewConversation()
				c.Sampling, c.Grammar, c.MaxTokens = sampling, schema, 150
				text, err := c.Ask("Hi")
				if err != nil {
					t.Fatal(err)
				}
				if c.FinishReason() == models.FinishStop {
					whole++
				}
				if (c.FinishReason() == models.FinishStop) != validBy(s.check, text) && s.text[2] != 'a' { // a cut number is one
					t.Errorf("%v, %v: %q, %s", dev, sampling, text, c.FinishReason())
				}
				done, err := server.Submit(context.Background(), models.Request{Prompt: c.Generator().Tokens()[:20], Sampling: sampling, Grammar: schema, MaxTokens: 150, LogProbs: true})
				if err != nil {
					t.Fatal(err)
				}
				completions = append(completions, done)
			}
			plain, err := server.Submit(context.Background(), models.Request{Prompt: []int{5, 6}, MaxTokens: 3}) // in the same batch
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range append(completions, plain) {
				_, text, err := c.Collect()
				if err != nil || c != plain && c.FinishReason() == models.FinishStop && !validBy(s.check, text) {
					t.Errorf("%v: completion %q, %s, %v", dev, text, c.FinishReason(), err)
				}
				if c.FinishReason() == models.FinishStop {
					whole++
				}
			}
			if whole == 0 && !dev.Emulated() {
				t.Errorf("%s: no text is whole", s.text)
			}
		}
		server.Close()
	}
}

// TestGrammars: replies, completions and texts of a random model are of their grammars, and grammars name tokens.
func TestGrammars(t *testing.T) {
	for _, c := range []struct{ gbnf, same string }{
		{"root ::= \"yes\" | \"no\"", "yes|no"},
		{"root ::= line{2} [.!]\nline ::= [A-Z] [a-zé]{0,3} \"\\n\"", "([A-Z][a-zé]{0,3}\n){2}[.!]"},
		{"root ::= \"(\" root \")\" | [0-9]{1,2}", `\(*[0-9]{1,2}\)*`},
		{"root ::= \"ab\" <|begin|> !<|end|> \"c\"", "(?s)ab.c"},
	} {
		grammar, err := models.NewGrammar(c.gbnf)
		if err != nil || grammar.String() != c.gbnf {
			t.Fatal(err)
		}
		same := regexp.MustCompile(`\A(?:` + c.same + `)\z`)
		for _, dev := range devices(t) {
			m := openChat(t, dev)
			server, err := models.NewServer(m.Llama, m.Tokenizer, models.ServerConfig{MaxSequences: 4})
			if err != nil {
				t.Fatal(err)
			}
			for seed := range 3 {
				sampling := nn.Sampling{Temperature: float64(seed), Seed: uint64(seed)}
				conversation := m.NewConversation()
				conversation.Sampling, conversation.Grammar, conversation.MaxTokens = sampling, grammar, 60
				text, err := conversation.Ask("Hi")
				if err != nil || (conversation.FinishReason() == models.FinishStop) != same.MatchString(text) {
					t.Errorf("%v, %s: %q, %s, %v", dev, c.gbnf, text, conversation.FinishReason(), err)
				}
				completion, err := server.Submit(context.Background(), models.Request{Prompt: m.Tokenizer.Encode("Hi"), Sampling: sampling, Grammar: grammar, MaxTokens: 60})
				if err != nil {
					t.Fatal(err)
				}
				_, want, err := completion.Collect()
				if err != nil || (completion.FinishReason() == models.FinishStop) != same.MatchString(want) {
					t.Errorf("%v, %s: %q, %s, %v", dev, c.gbnf, want, completion.FinishReason(), err)
				}
				writer := models.NewGenerator(m.Decoder(), m.Tokenizer, sampling)
				writer.Prompt("Hi")
				if err := writer.Constrain(grammar); err != nil {
					t.Fatal(err)
				}
				for text = ""; len(text) < 60 && writer.Next(); {
					text += writer.Text()
				}
				if text != want && len(text) < 60 {
					t.Errorf("%v, %s: the generator writes %q, the server %q", dev, c.gbnf, text, want)
				}
			}
			server.Close()
		}
	}
}

func TestGrammarMistakes(t *testing.T) {
	thorough.Slow(t)
	if _, err := models.NewGrammar("root ::= \"a\"\nb ::= %"); err == nil || !strings.HasPrefix(err.Error(), `models: grammar: line 2, column 7: expected a text in quotation marks`) {
		t.Error(err)
	}
	m := openChat(t, tensor.CPU())
	for _, c := range []struct{ gbnf, want string }{
		{"root ::= <|start|>", "models: grammar: line 1, column 10: <|start|> is not a token of the vocabulary"},
		{"root ::= \"#\"", "no token of the vocabulary continues the text as the grammar wants"},
		{"root ::= [a-zé] root \"(\" | [a-zé] root \"[\" | \"1\"", "too many ways at once"},
	} {
		var err error
		if m.Grammar, err = models.NewGrammar(c.gbnf); err != nil {
			t.Fatal(err)
		}
		m.Sampling = nn.Sampling{Temperature: 1}
		if _, err = m.Ask("Hi"); err == nil || !strings.Contains(err.Error(), c.want) || len(m.Messages) != 0 {
			t.Errorf("%s: %v, %v", c.gbnf, err, m.Messages)
		}
	}
	g, _ := models.NewGrammar("root ::= \"a\"")
	if err := models.NewGenerator(m.Decoder(), nil, nn.Sampling{}).Constrain(g); err == nil {
		t.Error("a generator without a tokenizer has a grammar")
	}
}

// TestSchemaOfReplies: a reply without a schema is what it was, and so is what is cut off.
func TestSchemaOfReplies(t *testing.T) {
	m := openChat(t, tensor.CPU())
	m.Sampling, m.MaxTokens = nn.Sampling{}, 4
	want, err := m.Ask("Hi")
	if err != nil || m.FinishReason() != models.FinishLength {
		t.Fatal(want, err, m.FinishReason())
	}
	m.Forget()
	if m.Grammar, err = models.NewSchema(`{"type": "string", "minLength": 9}`); err != nil {
		t.Fatal(err)
	}
	if text, err := m.Ask("Hi"); err != nil || m.FinishReason() != models.FinishLength || !strings.HasPrefix(text, `"`) || len([]rune(text)) != 4 {
		t.Error(text, err, m.FinishReason())
	}
	if _, err = m.Reply(func(string) bool { return false }); err != nil || m.FinishReason() != "" {
		t.Error(err, m.FinishReason())
	}
	m.Forget()
	m.Grammar, m.MaxTokens = nil, 4
	if text, err := m.Ask("Hi"); err != nil || text != want {
		t.Error(text, err)
	}
}

// TestLongSchema: a text with more states than are kept is still JSON.
func TestLongSchema(t *testing.T) {
	m := openChat(t, tensor.CPU())
	m.Sampling = nn.Sampling{Temperature: 1}
	var err error
	if m.Grammar, err = models.NewSchema(`{"type": "string", "minLength": 280, "maxLength": 300}`); err != nil {
		t.Fatal(err)
	}
	reply, err := m.Ask("Hi")
	var text string
	if err != nil || m.FinishReason() != models.FinishStop || json.Unmarshal([]byte(reply), &text) != nil || len([]rune(text)) < 280 {
		t.Errorf("%q, %s, %v", reply, m.FinishReason(), err)
	}
}

func TestSchemaMistakes(t *testing.T) {
	m := openChat(t, tensor.CPU())
	var err error
	if _, err = models.NewSchema(`{"type": "string", "pattern": "a"}`); err == nil || !strings.Contains(err.Error(), `"pattern"`) {
		t.Error(err)
	}
	if _, err := models.NewCallSchema(nil); err == nil {
		t.Error("a call of nothing")
	}
	m.Grammar, _ = models.NewSchema(`true`)
	m.Stop = []string{"x"}
	if _, err = m.Ask("Hi"); err == nil || !strings.Contains(err.Error(), "neither Tools nor Stop") {
		t.Error(err)
	}
	m.Stop = nil
	if m.Grammar, err = models.NewSchema(`{"const": "#"}`); err != nil { // which the vocabulary has not
		t.Fatal(err)
	}
	if _, err = m.Ask("Hi"); err == nil || !strings.Contains(err.Error(), "no token of the vocabulary") || len(m.Messages) != 0 {
		t.Error(err, len(m.Messages))
	}
	server, err := models.NewServer(m.Llama, m.Tokenizer, models.ServerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c, err := server.Submit(context.Background(), models.Request{Prompt: []int{5}, Grammar: m.Grammar})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Collect(); err == nil || !strings.Contains(err.Error(), "no token of the vocabulary") {
		t.Error(err)
	}
	for _, r := range []models.Request{{Stop: []string{"x"}}, {IgnoreEOS: true}} {
		r.Prompt, r.Grammar = []int{5}, m.Grammar
		if _, err := server.Submit(context.Background(), r); err == nil {
			t.Errorf("%+v has no error", r)
		}
	}
}
