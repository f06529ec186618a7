package check

import (
	"cmp"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// syntaxProblem words a syntax error as the compiler does, and hints at what its author may have meant.
func syntaxProblem(p Problem, src string) Problem {
	p.Message = strings.Replace(p.Message, "found 'EOF'", "found the end of the cell", 1)
	lines := strings.Split(src, "\n")
	if p.Pos.Line < 1 || p.Pos.Line > len(lines) {
		return p
	}
	line := lines[p.Pos.Line-1]
	col := min(max(p.Pos.Column-1, 0), len(line))
	p.Hint = cmp.Or(tensorSyntaxHint(p.Message, line), pythonHint(p.Message, line))
	if p.foreign = p.Hint != ""; !p.foreign {
		p.Hint = syntaxHint(p.Message, line, col)
	}
	if strings.HasPrefix(p.Message, "missing ',' before newline") && p.Pos.Line < len(lines) {
		p.Hint = "a comma is needed before a newline, also after the last element"
	}
	if found, ok := strings.CutPrefix(p.Message, "expected ';', found "); ok {
		found = strings.Trim(found, "'")
		if token.IsIdentifier(found) {
			found = "name " + found
		} else if token.IsKeyword(found) {
			found = "keyword " + found
		}
		p.Message = "unexpected " + found + " at end of statement"
	}
	return p
}

// words of other languages that begin a statement.
var statementWords = map[string]string{
	"fun": "did you mean func?", "function": "did you mean func?", "def": "did you mean func?",
	"fn": "did you mean func?", "fnc": "did you mean func?", "sub": "did you mean func?",
	"let": "x := 1 declares a variable", "val": "x := 1 declares a variable", "auto": "x := 1 declares a variable",
	"int": "x := 1 declares a variable", "string": "x := \"text\" declares a variable",
	"while": "for is Go's only loop: for condition { … }", "until": "for is Go's only loop: for !condition { … }",
	"foreach": "for _, x := range xs { … } goes through xs", "loop": "for { … } is a loop without an end",
	"class": "type T struct { … } declares a type", "struct": "type T struct { … } declares a type",
	"interface": "type T interface { … } declares an interface", "enum": "const ( A = iota; B ) numbers constants",
	"elif": "did you mean else if?", "elsif": "did you mean else if?", "elseif": "did you mean else if?",
	"unless": "if !condition { … }",
	"try":    "Go has no exceptions: functions return an error, and recover stops a panic",
	"catch":  "Go has no exceptions: functions return an error, and recover stops a panic",
	"except": "Go has no exceptions: functions return an error, and recover stops a panic",
	"from":   `import "path" imports a package`, "using": `import "path" imports a package`,
	"require": `import "path" imports a package`, "include": `import "path" imports a package`,
	"async": "go f() runs f beside the others", "await": "go f() runs f beside the others",
	"lambda": "func(x int) int { return x + 1 } is a function literal",
	"del":    "delete(m, key) takes a key out of a map", "echo": "did you mean fmt.Println?",
	"raise": "did you mean panic?", "throw": "did you mean panic?", "assert": "if !condition { panic(…) }",
}

// foreignForms are statements of other languages, each with what Go has for it.
var foreignForms = []struct {
	re   *regexp.Regexp
	hint string // with the parts of the statement
}{
	{regexp.MustCompile(`^(\w+) *:?= *(.+?) if (.+?) else (.+)$`),
		"Go has no conditional expression: if $3 { $1 = $2 } else { $1 = $4 }"},
	{regexp.MustCompile(`^for *\( *(?:int |let |var |auto )?(\w+) *:?= *([^;]+); *([^;]+); *(?:\+\+(\w+)|(\w+)\+\+) *\).*$`),
		"did you mean for $1 := $2; $3; $4$5++ { … }?"},
	{regexp.MustCompile(`^for *\( *(?:int |let |var |auto )?(\w+) *:?= *([^;]+); *([^;]+); *([^;)]+)\).*$`),
		"did you mean for $1 := $2; $3; $4 { … }?"},
	{regexp.MustCompile(`^for *\(?(?:const |let |var )?(\w+) of (\w+).*$`), "did you mean for _, $1 := range $2 { … }?"},
	{regexp.MustCompile(`^(if|while) *(\(.+?\)) *[^{]+$`), "what an if decides about stands in braces: if $2 { … }"},
}

func foreignForm(line string) string {
	line = strings.TrimSpace(line)
	for _, f := range foreignForms {
		if f.re.MatchString(line) {
			return f.re.ReplaceAllString(line, f.hint)
		}
	}
	return ""
}

func syntaxHint(msg, line string, col int) string {
	if h := foreignForm(line); h != "" {
		return h
	}
	before, at := strings.TrimRight(line[:col], " \t"), strings.TrimLeft(line[col:], " \t")
	prev, next := lastWord(before), firstWord(at)
	start := firstWord(strings.TrimLeft(line, " \t"))
	switch {
	case strings.HasPrefix(at, ">") && strings.HasSuffix(before, "<"):
		return "did you mean !=?"
	case strings.HasPrefix(at, ",") && strings.Contains(before, "struct"):
		return "fields of a struct are separated by semicolons or newlines"
	case strings.TrimSpace(line) == "?":
		return "%help lists the commands; NAME? shows the documentation of a name"
	case strings.HasPrefix(at, "?."):
		return "Go has no ?. operator: if x != nil { … }"
	case strings.HasPrefix(at, "?") || strings.HasPrefix(msg, "illegal character U+003F"):
		return "Go has no ?: operator, only if and else"
	case strings.HasPrefix(at, "=") && strings.HasSuffix(before, "=="), strings.HasPrefix(at, "=") &&
		strings.HasSuffix(before, "!="):
		return "did you mean " + before[len(before)-2:] + "?"
	case msg == "illegal rune literal" || strings.HasPrefix(msg, "more than one character in rune literal"):
		return `'x' is one character; strings are written in "double quotes" or ` + "`backquotes`"
	case strings.HasPrefix(msg, "missing import path"):
		if name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "import")); name != "" &&
			token.IsIdentifier(firstWord(name)) {
			return `the path is written in quotes: import "` + firstWord(name) + `"`
		}
	case strings.HasPrefix(msg, "expected 1 expression") && strings.Contains(at, " in "), next == "in" &&
		(start == "for" || strings.Contains(before, "for ")):
		return "for _, x := range xs { … } goes through xs"
	case next == "and" || prev == "and":
		return "did you mean &&?"
	case next == "or" || prev == "or":
		return "did you mean ||?"
	case prev == "not":
		return didYouMean("!" + firstWord(at))
	case strings.HasPrefix(at, ":") && strings.HasSuffix(before, "=") && strings.HasPrefix(line, before):
		return "did you mean :=?"
	case strings.HasPrefix(at, "++") || strings.HasPrefix(at, "--"):
		return at[:2] + " is a statement of its own in Go: x" + at[:2]
	case msg == "expected selector or type assertion, found 'map'":
		return "map is a keyword of Go's: tensor.Map(f, x) goes through a tensor, for _, v := range xs { … } through a slice"
	case strings.HasSuffix(msg, "found 'package'"):
		return "a cell belongs to package main by itself: leave the package clause out"
	case next == "else" && strings.HasPrefix(strings.TrimSpace(line), "else"):
		return "else must be on the line of the } before it"
	case strings.Contains(msg, "found assignment") && strings.Contains(line, ":="):
		return "did you mean ==? A statement before the condition ends with a semicolon: if x := f(); x > 0 { … }"
	case strings.Contains(msg, "found assignment"):
		return "did you mean ==?"
	case strings.Contains(msg, "expecting { after") || strings.Contains(msg, "newline before {"),
		msg == "expected '{', found newline":
		return "the { must be on the same line"
	case strings.HasPrefix(at, "=>") || strings.HasPrefix(at, ">") && strings.HasSuffix(before, "="):
		return "func(x int) int { return x + 1 } is a function literal"
	}
	if h := cmp.Or(declarationHint(line), shellHint(line)); h != "" && prev == start {
		return h
	}
	if h := statementWords[prev]; h != "" && prev == start {
		return h
	}
	if h := statementWords[start]; h != "" && strings.HasPrefix(msg, "expected") {
		return h
	}
	if token.IsIdentifier(start) && prev == start {
		if s := Similar(start, goKeywords()); s != "" && len(start) > 2 {
			return didYouMean(s)
		}
	}
	return ""
}

var declarationRE = regexp.MustCompile(`^(?:let|val|auto|const|var|int|float|double|string|bool|char|long|size_t) +` +
	`(?:mut +)?(\w+) *= *([^;]+);?$`)

// declarationHint is x := 5 for let x = 5, or int x = 5.
func declarationHint(line string) string {
	if m := declarationRE.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
		return didYouMean(m[1] + " := " + m[2])
	}
	return ""
}

// shellWords are programs that people start at a prompt.
var shellWords = []string{"ls", "pwd", "git", "pip", "pip3", "conda", "cat", "mkdir", "rm", "cp", "mv", "go", "python",
	"python3", "curl", "wget", "make", "apt", "sudo", "which", "man", "top", "htop", "nvidia-smi", "rocm-smi",
	"clear", "vi", "vim"}

// shellHint is for a line that a shell would take.
func shellHint(line string) string {
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "cd":
		return didYouMean(strings.TrimSpace("%cd " + rest))
	case slices.Contains(shellWords, word):
		return didYouMean("!" + line)
	}
	return ""
}

func goKeywords() []string {
	var r []string
	for t := token.BREAK; t <= token.VAR; t++ {
		r = append(r, t.String())
	}
	return r
}

func lastWord(s string) string {
	i := len(s)
	for i > 0 && IsIdentByte(s[i-1]) {
		i--
	}
	return s[i:]
}

func firstWord(s string) string {
	i := 0
	for i < len(s) && IsIdentByte(s[i]) {
		i++
	}
	return s[:i]
}
