package grammar

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// jsonGBNF is JSON in the manner of the grammars of llama.cpp.
const jsonGBNF = `# any JSON
root   ::= value
value  ::= (object | array | string | number | "true" | "false" | "null") ws
object ::= "{" ws ( member ("," ws member)* )? "}"   # members come in any order
member ::= string ws ":" ws value
array  ::= "[" ws ( value ("," ws value)* )? "]"
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}) )* "\""
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]+)? ([eE] [-+]? [0-9]{1,2})?
ws     ::= | " " | "\n" [ \t]{0,20}
`

// grammars are some with texts of them, and texts that are not. Where there is a regexp, it has the same texts.
var grammars = []struct {
	gbnf, same string
	yes, no    []string
}{
	{gbnf: `root ::= "yes" | "no"`, same: `yes|no`, yes: []string{"yes", "no"}, no: []string{"", "y", "yesno", "Yes"}},
	{gbnf: "root::=a b?\r\na::=\"x\"+ # some\r\n\r\nb ::= [yz] |\r\n \"w\"\r\n", same: `x+[yzw]?`, yes: []string{"x", "xxz", "xw"}, no: []string{"w", "xyz"}},
	{gbnf: "\n# begin\nroot ::= # comment\n  (\n  \"a\"   # first\n  | \"b\" \"c\"\n  )*\n", same: `(a|bc)*`, yes: []string{"", "abca"}, no: []string{"b", "ac"}},
	{gbnf: `root ::= "a"{2} "b"{1,} "c"{0,2} "d"{1,3} "e"{0}`, same: `a{2}b+c{0,2}d{1,3}`, yes: []string{"aabd", "aabbccddd"}, no: []string{"abd", "aad", "aabcccd", "aabdddd", "aabde"}},
	{gbnf: `root ::= ("a"? "b"?){2,3}`, same: `(a?b?){2,3}`, yes: []string{"", "a", "ab", "bab", "ababab", "aaa"}, no: []string{"aaaa", "abababa"}},
	{gbnf: `root ::= ("a" | "aa" | ""){0,3} [b-d]*`, same: `(a|aa)?(a|aa)?(a|aa)?[b-d]*`, yes: []string{"", "aaaaaa", "ad"}, no: []string{"aaaaaaa", "e"}},
	{gbnf: `root ::= [a-z]{1,3} [a-z0-9] [^a-z]{0,2}`, same: `[a-z]{1,3}[a-z0-9][^a-z]{0,2}`, yes: []string{"ab", "abcd", "abc1日é"}, no: []string{"a", "abcde", "a1日éx"}},
	{gbnf: `root ::= ([a-f]{0,2} | [d-k]+ | "name" | [d-k]{4} "x")`, same: `[a-f]{0,2}|[d-k]+|name|[d-k]{4}x`, yes: []string{"", "ab", "kkkkk", "name", "ddddx"}, no: []string{"abc", "dx"}},
	{gbnf: `root ::= .{1,2} "\n" .*`, same: `(?s).{1,2}\n.*`, yes: []string{"é\n", "ab\n日本\n"}, no: []string{"\n", "abc\n"}},
	{gbnf: `root ::= [ぁ-ゟ\U0001F600-\U0001F64F]+ "\u65e5\xe9" [^\u0000-\u20FF]`, same: `[ぁ-ゟ\x{1F600}-\x{1F64F}]+日é[^\x00-\x{20FF}]`, yes: []string{"あ日é本", "😀ん日é😀"}, no: []string{"日é本", "あ日éa", "あ日\xe9本"}},
	{gbnf: `root ::= [\]\[\\"\-a-] "\"\\\t\r\n" [-x] [x-]`, same: `[\]\[\\"\-a]"\\\t\r\n[-x][x-]`, yes: []string{"]\"\\\t\r\n-x", "-\"\\\t\r\nx-"}, no: []string{"b\"\\\t\r\n--"}},
	{gbnf: `root ::= "a" "" ("" | "b") ""*`, same: `ab?`, yes: []string{"a", "ab"}, no: []string{"", "b"}},
	{gbnf: `root ::= ("a"+)? ("b"*)+ ("c"?)*`, same: `a*b*c*`, yes: []string{"", "abc", "cc"}, no: []string{"ba"}},
	{gbnf: `root ::= ("a" | "aa" . | [b-d] [e-g])*`, same: `(?s)(a|aa.|[b-d][e-g])*`, yes: []string{"", "aaa日", "beaacg"}, no: []string{"b", "bb"}},
	{gbnf: `root ::= [^"]{1}* ([x-z]{2}){0,3} "}"`, same: `[^"]*([x-z]{2}){0,3}\}`, yes: []string{"日xyzxyz}", "}"}, no: []string{"xyzxy"}},
	{gbnf: "root ::= \"(\" root \")\" | x_1-Y\nx_1-Y ::= [0-9]", yes: []string{"1", "((2))"}, no: []string{"(1", "()", "1)"}},
	{gbnf: "root ::= term ([-+*/] term)*\nterm ::= [0-9]+ | \"(\" root \")\"", yes: []string{"1", "12+(3*4)-5"}, no: []string{"1+", "(1", "a"}},
	{gbnf: "root ::= ws \"x\" root | ws\nws ::= [ \\n]*", yes: []string{"", " ", "x", " x\nx "}, no: []string{"y", "x y"}},
	{gbnf: jsonGBNF, yes: []string{`{"a": [1, -2.5e-3, {"b":null}], "c\n\u00e9": "日"}`, "[]", "true "}, no: []string{`{"a"}`, "01", `"\x"`, "[1,]", "\"\n\""}},
}

func TestGBNFTexts(t *testing.T) {
	for _, c := range grammars {
		g, err := ParseGBNF(c.gbnf)
		if err != nil {
			t.Errorf("%s: %v", c.gbnf, err)
			continue
		}
		for _, text := range c.yes {
			if !matches(t, g, text) || !recognises(g, text) {
				t.Errorf("%s: not %q", c.gbnf, text)
			}
		}
		for _, text := range c.no {
			if matches(t, g, text) || recognises(g, text) {
				t.Errorf("%s: also %q", c.gbnf, text)
			}
		}
	}
}

// TestRandomGBNF: what is generated of allowed tokens alone, which are those that the automaton takes one by one, is
// text of the grammar by a recogniser of another kind, and by a regexp.
func TestRandomGBNF(t *testing.T) {
	for _, c := range grammars {
		g, err := ParseGBNF(c.gbnf)
		if err != nil {
			t.Fatal(err)
		}
		ended := 0
		for seed := range uint64(40) {
			text, whole := generate(t, g, rand.New(rand.NewPCG(seed, 1)), 200)
			if !whole {
				continue
			}
			ended++
			if !recognises(g, text) {
				t.Errorf("%s: %q", c.gbnf, text)
			}
			if c.same != "" && !regexp.MustCompile(`\A(?:`+c.same+`)\z`).MatchString(text) {
				t.Errorf("%s: %q is not of %s", c.gbnf, text, c.same)
			}
		}
		if ended == 0 {
			t.Errorf("%s: no text has ended", c.gbnf)
		}
	}
}

// recognises reports whether a text is of a grammar without tokens, by the positions where the texts of nodes end.
func recognises(g *Grammar, text string) bool {
	type key struct{ node, at int }
	known := map[key][]int{}
	var ends func(node, at int) []int
	all := func(node int, from []int) (to []int) {
		for _, at := range from {
			to = append(to, ends(node, at)...)
		}
		slices.Sort(to)
		return slices.Compact(to)
	}
	ends = func(i, at int) (to []int) {
		if to, ok := known[key{i, at}]; ok {
			return to
		}
		switch n := &g.nodes[i]; n.kind {
		case literal:
			if strings.HasPrefix(text[at:], n.text) {
				to = []int{at + len(n.text)}
			}
		case character:
			r, size := utf8.DecodeRuneInString(text[at:])
			if size > 0 && !(r == utf8.RuneError && size == 1) && slices.ContainsFunc(n.class.spans, func(s span) bool { return s.low <= r && r <= s.high }) {
				to = []int{at + size}
			}
		case sequence:
			to = []int{at}
			for _, p := range n.parts {
				to = all(p, to)
			}
		case choice:
			for _, p := range n.parts {
				to = append(to, ends(p, at)...)
			}
			slices.Sort(to)
			to = slices.Compact(to)
		case repeat:
			now := []int{at}
			for times := 0; len(now) > 0 && times <= n.max && times <= n.min+len(text); times++ {
				if times >= n.min {
					to = append(to, now...)
				}
				if now = all(n.parts[0], now); times > 0 && len(n.parts) > 1 {
					panic("a repetition with something between")
				}
			}
			slices.Sort(to)
			to = slices.Compact(to)
		}
		known[key{i, at}] = to
		return to
	}
	return slices.Contains(ends(g.root, 0), len(text))
}

func TestGBNFMistakes(t *testing.T) {
	for _, c := range []struct{ gbnf, want string }{
		{"", "line 1, column 1: expected a rule root"},
		{"a ::= \"x\"\n", "line 2, column 1: expected a rule root, which is the whole text: there is none among a"},
		{"root = \"x\"", "line 1, column 6: expected ::= after the name of the rule, found \"=\""},
		{"root ::= \"a\"\n\"b\"", `line 2, column 1: expected the name of a rule, found "\""`},
		{"root ::= \"a\"\n  | \"b\"", "line 2, column 3: expected the name of a rule, found \"|\": a rule goes on in the next line after a |"},
		{"root ::=", "line 1, column 9: expected a text in quotation marks, a class [ ], a name, a token < >, a group ( ), or ., found the end"},
		{"root ::= ()", "line 1, column 11: expected a text"},
		{"root ::= \"a\" ) ", "line 1, column 14: expected the end of the line, or more of the rule root, found \")\""},
		{"root ::= (\"a\"\nb ::= \"c\"", "line 2, column 3: expected ) of the group that begins in line 1, column 10, found \":\""},
		{"root ::= \"a\" |\nb ::= \"c\"", "line 2, column 3: expected the end of the line"},
		{"root ::= \"日\" %", "line 1, column 14: expected the end of the line, or more of the rule root, found \"%\""},
		{"root ::= item", "line 1, column 10: there is no rule item: the rules are root"},
		{"root ::= \"a\"\nroot ::= \"b\"", "line 2, column 1: the rule root is defined twice: before in line 1, column 1"},
		{"root ::= root \"a\" | \"b\"", "line 1, column 1: the rule root begins with itself: root → root; want * or +"},
		{"root ::= \"x\" a\na ::= b?  (c | \"y\")\nb ::= \"z\"\nc ::= \"\" a", "line 2, column 1: the rule a begins with itself: a → c → a"},
		{"root ::= \"x\"\na ::= (\"y\"* a)*", "line 2, column 1: the rule a begins with itself"},
		{"root ::= \"a\" | x\nx ::= \"b\" x", "line 2, column 1: no finite text is of the rule x"},
		{"root ::= * \"a\"", "line 1, column 10: expected a text in quotation marks, a class [ ], a name, a token < >, a group ( ), or . before *, which"},
		{"root ::= \"a\"{}", "line 1, column 14: expected a number, found \"}\""},
		{"root ::= \"a\"{,3}", "line 1, column 14: expected a number, found \",\""},
		{"root ::= \"a\"{2;3}", "line 1, column 15: expected } or a comma, found \";\""},
		{"root ::= \"a\"{2,3", "line 1, column 17: expected }, found the end"},
		{"root ::= \"a\"{3,2}", "line 1, column 14: expected at least 3 after the comma, found 2"},
		{"root ::= \"a\"{99999999999999999999}", "line 1, column 14: expected a number from 0 to 16777216, found 99999999999999999999"},
		{"root ::= \"abc", "line 1, column 10: expected another \" after the text that begins here"},
		{"root ::= [abc", "line 1, column 10: expected ] after the class that begins here"},
		{"root ::= []", "line 1, column 11: expected a character of the class"},
		{"root ::= [^]", "line 1, column 12: expected a character of the class"},
		{"root ::= [az-b]", "line 1, column 12: expected a range whose second character is not before the first, found z-b"},
		{`root ::= [\uD800-\uDFFF]`, `line 1, column 10: expected a class with a character, found [\uD800-\uDFFF]`},
		{`root ::= [^\x00-\U0010FFFF]`, `line 1, column 10: expected a class with a character`},
		{`root ::= "\uD800"`, `line 1, column 11: expected a character, found a surrogate: \uD800`},
		{`root ::= "\U00110000"`, `line 1, column 11: expected a character of Unicode, found \U00110000`},
		{`root ::= "\x4"`, `line 1, column 14: expected 2 hexadecimal digits after \x, found 1`},
		{`root ::= "\d"`, `line 1, column 11: expected \t \r \n \\ \" \[ \] \- \xHH \uHHHH or \UHHHHHHHH, found \d`},
		{`root ::= "\`, `line 1, column 12: expected a character after \, found the end`},
		{"root ::= \"\xff\"", "line 1, column 11: the byte 0xff is no UTF-8"},
		{"root ::= <think", "line 1, column 10: expected > after the name of the token that begins here"},
		{"root ::= <[12>", "line 1, column 14: expected ]> after the number of the token, found \">\""},
		{"root ::= !\"a\"", "line 1, column 11: expected a token in < > after !"},
		{"root ::= " + strings.Repeat("(", 300), "line 1, column 210: groups are more than 200 deep"},
		{"root ::= \"" + strings.Repeat("a", maxText), "at most 262144"},
	} {
		if _, err := ParseGBNF(c.gbnf); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %q", c.gbnf, err, c.want)
		}
	}
}

// TestTokens: tokens that a grammar names need no text, and others than one have a text.
func TestTokens(t *testing.T) {
	g, err := ParseGBNF("root ::= <name> (!<name> | [0-9])+ <[0]> \"12\"?")
	if err != nil {
		t.Fatal(err)
	}
	name := slices.Index(pieces, "name")
	m := begin(t, g, vocabulary, piece)
	if got := allowed(t, m); got.Len() != 1 || !got.Has(name) {
		t.Errorf("%d tokens begin, want name", got.Len())
	}
	if m.Add(1+'n') == nil || m.Add(name) != nil || m.Add(0) == nil || m.Add(name) == nil {
		t.Error("wrong tokens")
	}
	if got := allowed(t, m); got.Len() != len(pieces)-2 || got.Has(name) || got.Has(0) {
		t.Errorf("%d tokens of %d", got.Len(), len(pieces))
	}
	for _, id := range []int{1 + '5', 1 + 0xE6, slices.Index(pieces, "the")} { // half a character is a token, too
		if err := m.Add(id); err != nil || m.MayEnd() {
			t.Error(id, err)
		}
	}
	if got := allowed(t, m); !got.Has(0) {
		t.Error("the token without a text is not allowed")
	}
	if m.Add(0) != nil || !m.MayEnd() || m.MustEnd() || m.Add(slices.Index(pieces, "12")) != nil || !m.MustEnd() {
		t.Error("no end")
	}
	for _, c := range []struct{ gbnf, want string }{
		{"root ::= \"a\" |\n <other>", "line 2, column 2: <other> is not a token of the vocabulary"},
		{"root ::= <[100000]>", "line 1, column 10: <[100000]> is not a token of the vocabulary"},
	} {
		g, err := ParseGBNF(c.gbnf)
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Match(vocabulary, piece, func(string) (int, bool) { return 0, false })
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestAmbiguous: a text that can be read in twice as many ways after each character is an error, not all memory.
func TestAmbiguous(t *testing.T) {
	g, err := ParseGBNF("root ::= \"(\" root \")\" | \"(\" root \"]\" | \"x\"")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := ParseSchema([]byte(`{"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "array", "items": {"$ref": "#"}, "minItems": 1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, g := range map[string]*Grammar{"(": g, "[": schema} {
		m := begin(t, g, vocabulary, piece)
		for n := 0; ; n++ {
			if n == 40 {
				t.Errorf("%s: %d characters were read, %d frames", text, n, len(m.now.tops))
				break
			}
			if err := m.Add(1 + int(text[0])); err != nil {
				if _, again := m.Allowed(); !strings.Contains(err.Error(), "too many ways") || again == nil {
					t.Error(err, again)
				}
				break
			}
		}
	}
	long, err := ParseGBNF("root ::= ((\"a\"?){0,60000} \"b\"?){0,60000}")
	if err != nil {
		t.Fatal(err)
	}
	m := begin(t, long, vocabulary, piece)
	if allowed(t, m); m.Add(1+'a') != nil || m.machine.work > 1000 {
		t.Errorf("%d frames were looked at", m.machine.work)
	}
}

// FuzzGBNF: any text is a grammar or an error that says where, and random texts of a grammar are of it.
func FuzzGBNF(f *testing.F) {
	for _, c := range grammars {
		f.Add(c.gbnf, uint64(1))
	}
	f.Add("root ::= <name> !<the>* <[0]>", uint64(1))
	place := regexp.MustCompile(`^line \d+, column \d+: `)
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 2048 {
			t.Skip()
		}
		g, err := ParseGBNF(text)
		if err != nil {
			if !place.MatchString(err.Error()) {
				t.Fatal(err)
			}
			return
		}
		if slices.ContainsFunc(g.nodes, func(n node) bool { return n.kind == token }) {
			return
		}
		m := begin(t, g, vocabulary, piece)
		if _, err := m.Allowed(); err != nil {
			return
		}
		made, whole := generate(t, g, rand.New(rand.NewPCG(seed, 2)), 30)
		if whole && !recognises(g, made) {
			t.Errorf("%s: %q", text, made)
		}
	})
}
