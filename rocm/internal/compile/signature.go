package compile

import (
	"fmt"
	"slices"
	"strings"
)

// Param is a parameter of a kernel. See rocm.Param, which has the same fields.
type Param struct {
	Name    string
	Type    string
	Elem    string
	Lanes   int
	Pointer bool
	Const   bool
	Size    int

	Anything bool
}

// String returns the parameter as C declares it.
func (p Param) String() string {
	text := p.Type
	if p.Const {
		text = "const " + text
	}
	if p.Pointer {
		return text + " *" + p.Name
	}
	return strings.TrimSpace(text + " " + p.Name)
}

// Declaration is a kernel that a source declares.
type Declaration struct {
	Name     string
	Params   []Param
	At       int // the offset of the declaration in the source
	nameAt   int // the offset of the name
	linkage  bool
	Template bool
	Body     string // with its braces, and with all branches of #if
	Empty    bool   // the body has no statements, or returns only
	bodyAt   int    // its offset in the source
}

// cToken is an identifier, a number, a literal or a punctuation mark of a source.
type cToken struct {
	text string
	at   int
}

// cTokens splits a source into tokens. Comments and preprocessor lines are skipped; object-like macros are returned,
// since they may name types.
func cTokens(source string) (tokens []cToken, defines map[string][]cToken) {
	defines = map[string][]cToken{}
	lineStart := true
	for i := 0; i < len(source); {
		c := source[i]
		switch {
		case c == '\n':
			lineStart = true
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(source[i:], "//"):
			i = lineEnd(source, i)
		case strings.HasPrefix(source[i:], "/*"):
			end := strings.Index(source[i+2:], "*/")
			if end < 0 {
				return tokens, defines
			}
			i += end + 4
		case c == '#' && lineStart:
			end := lineEnd(source, i)
			if words := strings.Fields(source[i+1 : end]); len(words) > 2 && words[0] == "define" &&
				!strings.Contains(words[1], "(") {
				defines[words[1]], _ = cTokens(strings.Join(words[2:], " "))
			}
			i = end
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(source) && source[end] != c && source[end] != '\n' {
				if source[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(source))
			tokens = append(tokens, cToken{source[i:end], i})
			i, lineStart = end, false
		default:
			end := i
			for end < len(source) && isWordByte(source[end]) {
				end++
			}
			end = max(end, i+1)
			tokens = append(tokens, cToken{source[i:end], i})
			i, lineStart = end, false
		}
	}
	return tokens, defines
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// lineEnd is the end of the line of offset i. A backslash at the end continues a line.
func lineEnd(source string, i int) int {
	for i < len(source) && (source[i] != '\n' || i > 0 && source[i-1] == '\\') {
		i++
	}
	return i
}

// Declarations finds the kernels of a source: functions declared __global__ that have bodies.
func Declarations(source string) []Declaration {
	tokens, defines := cTokens(source)
	types := typeNames(tokens, defines)
	var list []Declaration
	var blocks []bool // whether each open brace belongs to an extern "C"
	begin := 0        // where the declaration that i is in begins
	for i := 0; i < len(tokens); i++ {
		switch tokens[i].text {
		case "{":
			blocks = append(blocks, i >= 2 && tokens[i-1].text == `"C"` && tokens[i-2].text == "extern")
			begin = i + 1
		case "}":
			if len(blocks) > 0 {
				blocks = blocks[:len(blocks)-1]
			}
			begin = i + 1
		case ";":
			begin = i + 1
		case "__global__":
			before := tokens[begin:i]
			d := Declaration{At: tokens[begin].at, linkage: slices.Contains(blocks, true)}
			for _, t := range before {
				d.linkage = d.linkage || t.text == `"C"`
				d.Template = d.Template || t.text == "template"
			}
			next, ok := d.read(tokens, i+1, types)
			if ok {
				d.readBody(source, tokens[next:])
				list = append(list, d)
			}
			begin, i = next, next-1
		}
	}
	return list
}

// read reads name and parameters of a kernel from token i on, and returns the index of the token that begins its body.
func (d *Declaration) read(tokens []cToken, i int, types map[string][]cToken) (next int, ok bool) {
	for ; i < len(tokens) && tokens[i].text != "(" && tokens[i].text != ";" && tokens[i].text != "{"; i++ {
		if t := tokens[i].text; t == "__launch_bounds__" || t == "__attribute__" || t == "alignas" {
			i = closing(tokens, i+1)
			continue
		} else if t == "<" && d.Name != "" { // a specialization
			i = closingAngle(tokens, i)
			continue
		}
		d.Name, d.nameAt = tokens[i].text, tokens[i].at
	}
	if i >= len(tokens) || tokens[i].text != "(" || d.Name == "" {
		return i, false
	}
	end := closing(tokens, i)
	for _, p := range splitParams(tokens[i+1 : min(end, len(tokens))]) {
		d.Params = append(d.Params, readParam(p, types))
	}
	for i = end + 1; i < len(tokens) && tokens[i].text != "{" && tokens[i].text != ";"; {
		i++
	}
	return i, i < len(tokens) && tokens[i].text == "{"
}

// readBody reads the body that tokens begin with.
func (d *Declaration) readBody(source string, tokens []cToken) {
	depth, end := 0, len(source)
	d.Empty = true
	for _, t := range tokens {
		switch t.text {
		case "{":
			depth++
		case "}":
			depth--
		case ";", "return":
		default:
			d.Empty = false
		}
		if depth == 0 {
			end = t.at + 1
			break
		}
	}
	d.Body, d.bodyAt = source[tokens[0].at:end], tokens[0].at
}

// closing is the index of the parenthesis that closes the one at i.
func closing(tokens []cToken, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// splitParams cuts a list at the commas that are in no parentheses or angle brackets.
func splitParams(tokens []cToken) (params [][]cToken) {
	depth, begin := 0, 0
	for i, t := range tokens {
		switch t.text {
		case "(", "<", "[":
			depth++
		case ")", ">", "]":
			depth--
		case ",":
			if depth == 0 {
				params = append(params, tokens[begin:i])
				begin = i + 1
			}
		}
	}
	rest := tokens[begin:]
	if len(rest) == 0 || len(params) == 0 && len(rest) == 1 && rest[0].text == "void" {
		return params
	}
	return append(params, rest)
}

func readParam(tokens []cToken, types map[string][]cToken) Param {
	p := Param{Lanes: 1}
	stars := 0
	var words []string
	tokens = expand(tokens, types)
	for i, t := range tokens {
		if t.text == "=" {
			break
		}
		switch t.text {
		case "const":
			p.Const = p.Const || stars == 0 // not the pointer itself
		case "*":
			stars++
		case "[":
			stars++
		case "]", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__", "struct", "__shared__":
		default:
			if t.text[0] >= '0' && t.text[0] <= '9' && i > 0 && tokens[i-1].text == "[" {
				continue
			}
			words = append(words, t.text)
		}
	}
	if n := len(words); n > 1 && !cKeywords[words[n-1]] {
		p.Name, words = words[n-1], words[:n-1]
	}
	p.Type = strings.ReplaceAll(strings.Join(words, " "), " :: ", "::")
	if p.Pointer = stars > 0; stars > 1 {
		p.Type += strings.Repeat(" *", stars-1)
		return p
	}
	p.Const = p.Const && p.Pointer
	p.Elem, p.Lanes = elemOf(words)
	return p
}

// typeNames are the type names of typedef, using and #define, with what they stand for.
func typeNames(tokens []cToken, defines map[string][]cToken) map[string][]cToken {
	types := defines
	for i, t := range tokens {
		if t.text != "typedef" && t.text != "using" {
			continue
		}
		end := i
		for end < len(tokens) && tokens[end].text != ";" && tokens[end].text != "{" {
			end++
		}
		switch {
		case t.text == "typedef" && end-i > 2 && end < len(tokens) && tokens[end].text == ";":
			types[tokens[end-1].text] = tokens[i+1 : end-1]
		case t.text == "using" && end-i > 3 && tokens[i+2].text == "=":
			types[tokens[i+1].text] = tokens[i+3 : end]
		}
	}
	return types
}

// expand replaces type names until none is left.
func expand(tokens []cToken, types map[string][]cToken) []cToken {
	for range 8 {
		var out []cToken
		changed := false
		for i, t := range tokens {
			last := i == len(tokens)-1 && i > 0 // the parameter's own name
			if by, ok := types[t.text]; ok && !last {
				out, changed = append(out, by...), true
			} else {
				out = append(out, t)
			}
		}
		if tokens = out; !changed || len(tokens) > 64 { // no type is that long
			break
		}
	}
	return tokens
}

// cKeywords may be part of a type, and are never the name of a parameter.
var cKeywords = map[string]bool{
	"float": true, "double": true, "int": true, "unsigned": true, "signed": true, "long": true, "short": true,
	"char": true, "bool": true, "void": true,
}

// elems are the types of C by tensors' names for them. The words of integer types are sorted, without int.
var elems = map[string]string{
	"float": "f32", "double": "f64", "_Float16": "f16", "__half": "f16", "half": "f16", "bool": "bool", "void": "void",
	"__hip_bfloat16": "bf16", "hip_bfloat16": "bf16", "__nv_bfloat16": "bf16", "__bf16": "bf16",
	"__hip_fp8_e4m3": "f8e4m3", "__nv_fp8_e4m3": "f8e4m3",
	"char": "i8", "char signed": "i8", "char unsigned": "u8", "short": "i16", "short signed": "i16", "short unsigned": "u16",
	"": "i32", "signed": "i32", "unsigned": "u32",
	"long": "i64", "long signed": "i64", "long unsigned": "u64", "long long": "i64", "long long signed": "i64", "long long unsigned": "u64",
	"int8_t": "i8", "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64",
	"size_t": "u64", "ptrdiff_t": "i64", "uchar": "u8", "ushort": "u16", "uint": "u32", "ulong": "u64", "longlong": "i64", "ulonglong": "u64",
}

// elemOf is the element type of a type, and its number of elements: 4 for float4.
func elemOf(words []string) (elem string, lanes int) {
	if len(words) == 0 {
		return "", 1
	}
	sorted := slices.Clone(words)
	slices.Sort(sorted)
	sorted = slices.DeleteFunc(sorted, func(w string) bool { return w == "int" })
	if elem, ok := elems[strings.Join(sorted, " ")]; ok {
		return elem, 1
	}
	if w := words[0]; len(words) == 1 && len(w) > 1 && w[len(w)-1] >= '1' && w[len(w)-1] <= '4' {
		if elem, ok := elems[w[:len(w)-1]]; ok && elem != "void" && elem != "bool" {
			return elem, int(w[len(w)-1] - '0')
		}
		if w[:len(w)-1] == "int" {
			return "i32", int(w[len(w)-1] - '0')
		}
	}
	return "", 1
}

// WithCLinkage declares kernels extern "C", so that their symbols are the names in the source. Line directives keep the
// lines and columns of messages.
func WithCLinkage(source string, kernels []Declaration) string {
	var b strings.Builder
	done := 0
	for _, d := range kernels {
		if d.linkage || d.Template {
			continue
		}
		line := 1 + strings.Count(source[:d.At], "\n")
		column := d.At - 1 - strings.LastIndexByte(source[:d.At], '\n')
		fmt.Fprintf(&b, "%s\nextern \"C\"\n#line %d\n%s", source[done:d.At], line, strings.Repeat(" ", column))
		b.WriteString(notInKernels.ReplaceAllStringFunc(source[d.At:d.nameAt], func(w string) string {
			return strings.Repeat(" ", len(w))
		}))
		done = d.nameAt
	}
	return b.String() + source[done:]
}
