package check

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// Hints for lines of Python that are no Go: each proposes the line of Go.

// pythonForm is a form of Python, and the hint for a line that has it.
type pythonForm struct {
	re   *regexp.Regexp
	hint func(m []string) string
}

// form has a hint in which $1 stands for what the first group of the expression has matched.
func form(re, hint string) pythonForm {
	return pythonForm{regexp.MustCompile(re), func(m []string) string { return filled(hint, m[1:]) }}
}

// filled is a text with arguments in the places of $1, $2 and so on.
func filled(text string, args []string) string {
	for i, arg := range args {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i+1), strings.TrimSpace(arg))
	}
	return text
}

// pythonForms are tried in this order, on lines with a syntax error only.
var pythonForms = []pythonForm{
	{regexp.MustCompile(`\bf"((?:[^"\\]|\\.)*)"|\bf'((?:[^'\\]|\\.)*)'`), formatHint},
	form(`^for (\w+) in range\(([^,()]+)\): *\S.*$`, "did you mean for $1 := range $2 { … }?"),
	form(`^for (\w+) in (?:tqdm\()?range\(([^,]+?)\)+:?$`, "did you mean for $1 := range $2 { … }?"),
	{regexp.MustCompile(`^for (\w+) in range\(([^,]+),([^,]+?)(?:,([^,]+))?\):?$`), rangeHint},
	form(`^for (\w+), *(\w+) in enumerate\((.+)\):?$`, "did you mean for $1, $2 := range $3 { … }?"),
	form(`^for (\w+), *(\w+) in (.+)\.items\(\):?$`, "did you mean for $1, $2 := range $3 { … }?"),
	form(`^for (\w+), *(\w+) in zip\((\w+), *(\w+)\):?$`, "did you mean for i := range $3 { $1, $2 := $3[i], $4[i]; … }?"),
	form(`^for (\w+) in (.+)\.keys\(\):?$`, "did you mean for $1 := range $2 { … }?"),
	form(`^for (\w+) in ([^:{]+?)(?: *[:{].*)?$`, "did you mean for _, $1 := range $2 { … }?"),
	{regexp.MustCompile(`\[(.+?) for (\w+) in (.+?)( if .+?)?\]`), comprehensionHint},
	form(`\{.+:.+ for \w+(?:, *\w+)? in .+\}`, "Go has no comprehensions: m := map[K]V{} with the types of keys and values, "+
		"then a loop with m[key] = value"),
	form(`^with open\(["']([^"']+)["'].*\) as (\w+):$`, `did you mean text := os.ReadFile("$1")? It is a []byte; string(text) is its text`),
	form(`^with open\(([^,)]+).*\) as (\w+):$`, "did you mean text := os.ReadFile($1)? It is a []byte; string(text) is its text"),
	form(`^(?:async )?def (\w+)\(\):$`, "did you mean func $1() { … }?"),
	form(`^(?:async )?def (\w+)\((.*)\):$`, "Go names the types of parameters and results: func $1($2 int) int { … }"),
	form(`^if (.+):$`, "did you mean if $1 { … }?"),
	form(`^if ([^:={]+): +[^{]+$`, "did you mean if $1 { … }?"),
	form(`^while (?:True|1):$`, "did you mean for { … }?"),
	form(`^while (.+):$`, "did you mean for $1 { … }?"),
	form(`^(?:\} )?elif (.+):$`, "did you mean } else if $1 { … }?"),
	form(`^else:$`, "did you mean } else { … }?"),
	form(`(\w[\w.]*) is not None`, "did you mean $1 != nil?"),
	form(`(\w[\w.]*) is None`, "did you mean $1 == nil?"),
	form(`^# *include`, "source of HIP belongs into a cell that begins with %%hip"),
	form(`^#`, "comments begin with //"),
	form(`"""|'''`, "a text of several lines is written between backquotes: `…`"),
	form(`^(\w[\w.]*) not in (\w[\w.]*)$`, "did you mean !slices.Contains($2, $1)?"),
	form(`^(\w[\w.]*|".*") in (\w[\w.]*)$`, "did you mean slices.Contains($2, $1)?"),
	form(`\btype\((.+)\)`, "%type $1 shows the type of $1"),
	form(`\btqdm\((?:range\()?(.+?)\)+`, "did you mean for range display.Progress($1) { … }?"),
	form(`^range\((\w+)\)$`, "did you mean for i := range $1 { … }?"),
	{regexp.MustCompile(`^((?:\w+(?:, *\w+)* :?= *)?)(\[.+\]|\{.*:.*\})$`), literalHint},
	{regexp.MustCompile(`^((?:\w+ *:?= *)?)\w+\.(array|asarray|tensor|as_tensor|DataFrame|Series)\((\[.+\]|\{.+\})(?:, *[^\[\]{}]*)?\)$`), arrayHint},
	{regexp.MustCompile(`^((?:\w+ *:?= *)?)\w+\.(cat|concat|concatenate|stack)\(\[([^\[\]]+)\](?:, *(?:(?:dim|axis) *= *)?(-?\d+))?\)$`), joinHint},
	{regexp.MustCompile(`([(,=] *)(\[[^\[\]]*,[^\[\]]*\])`), listHint},
	{regexp.MustCompile(`(\w+(?:\.\w+)*)\(\(([^()]+,[^()]*)\)`), tupleHint},
	{regexp.MustCompile(`((?:\w+\.)*\w+)\(((?:[^()]*, *)?)\w+ *= *([^=()][^()]*)\)`), keywordHint},
	form(`(\w+) *<<< *([^,>]+), *([^,>]+?)(?:,[^>]*)?>>> *\((.*)\)`,
		"did you mean $1.LaunchGrid([3]int{$2, 1, 1}, [3]int{$3, 1, 1}, 0, $4)?"),
	form(`^print (.+)$`, "did you mean fmt.Println($1)?"),
}

// pythonHint is the Go for a line of Python.
func pythonHint(msg, line string) string {
	line = strings.TrimSpace(line)
	if h := moduleImportHint(line); h != "" {
		return h
	}
	for _, f := range pythonForms {
		if m := f.re.FindStringSubmatch(line); m != nil {
			if h := f.hint(m); h != "" {
				return h
			}
		}
	}
	if m := quotedRE.FindStringSubmatch(line); m != nil && strings.Contains(msg, "rune literal") {
		return `'x' is one character; a string is written in double quotes: "` + m[1] + `"`
	}
	return ""
}

var quotedRE = regexp.MustCompile(`'([^'"\\]{2,})'`)

// formatVerbRE matches a value in a format string: an expression, and how it is written.
var formatVerbRE = regexp.MustCompile(`\{([^{}:!=]+)=?(?:![rsa])?(?::([^{}]*))?\}`)

// formatHint is fmt.Sprintf in the place of f"…".
func formatHint(m []string) string {
	text := m[1] + m[2]
	var args []string
	text = strings.NewReplacer("%", "%%", "{{", "\x00", "}}", "\x01").Replace(text)
	text = formatVerbRE.ReplaceAllStringFunc(text, func(s string) string {
		part := formatVerbRE.FindStringSubmatch(s)
		args = append(args, strings.TrimSpace(part[1]))
		switch spec := strings.TrimLeft(part[2], "<>^"); {
		case spec == "":
			return "%v"
		case strings.ContainsAny(spec, ",_%"):
			return "%v"
		case strings.ContainsAny(spec[len(spec)-1:], "dfegxXobcs"):
			return "%" + spec
		default:
			return "%" + spec + "v"
		}
	})
	text = strings.NewReplacer("\x00", "{", "\x01", "}").Replace(text)
	if len(args) == 0 {
		return didYouMean(`"` + strings.ReplaceAll(text, "%%", "%") + `"`)
	}
	return didYouMean(`fmt.Sprintf("` + text + `", ` + strings.Join(args, ", ") + ")")
}

// rangeHint is the loop over range(from, to) or range(from, to, step).
func rangeHint(m []string) string {
	name, from, to, step := m[1], strings.TrimSpace(m[2]), strings.TrimSpace(m[3]), strings.TrimSpace(m[4])
	less, next := " < ", name+"++"
	switch {
	case strings.HasPrefix(step, "-"):
		less, next = " > ", name+" -= "+step[1:]
	case step != "":
		next = name + " += " + step
	}
	return didYouMean("for " + name + " := " + from + "; " + name + less + to + "; " + next + " { … }")
}

var rangeCallRE = regexp.MustCompile(`^range\(([^,]+)\)$`)

// comprehensionHint is the loop in the place of [x for …].
func comprehensionHint(m []string) string {
	value, name, over, condition := m[1], m[2], m[3], strings.TrimSpace(strings.TrimPrefix(m[4], " if "))
	vars, kind := "_, "+name, "[]T"
	if r := rangeCallRE.FindStringSubmatch(over); r != nil {
		vars, over, kind = name, r[1], "[]int"
	}
	body := "list = append(list, " + value + ")"
	if condition != "" {
		body = "if " + condition + " { " + body + " }"
	}
	h := "Go has no comprehensions: var list " + kind + "; for " + vars + " := range " + over + " { " + body + " }"
	if kind == "[]T" {
		h += ", with the type of the elements for T"
	}
	return h
}

// literalHint writes a list or a dictionary of Python as a composite literal.
func literalHint(m []string) string {
	s, ok := goLiteral(m[2])
	if !ok {
		return ""
	}
	if name := strings.TrimRight(m[1], " :="); name != "" {
		s = name + " := " + s
	}
	return didYouMean(s)
}

// listHint is for a list in the middle of a line.
func listHint(m []string) string {
	if s, ok := goLiteral(m[2]); ok {
		return "a list is a slice in Go: " + s
	}
	return ""
}

// arrayHint is for what makes an array or a table of a literal: tensor.Of(1, 2) for np.array([1, 2]).
func arrayHint(m []string) string {
	s, ok := goLiteral(m[3])
	switch kind, _ := literalKind(m[3]); {
	case strings.HasPrefix(m[3], "{"):
		var args []string
		for _, e := range elements(m[3]) {
			key, value, _ := strings.Cut(e, ":")
			column, known := goLiteral(strings.TrimSpace(value))
			if !known {
				return ""
			}
			args = append(args, literalBody(strings.TrimSpace(key)), column)
		}
		s = "frame.New(" + strings.Join(args, ", ") + ")"
	case !ok:
		return ""
	case kind == "[]int" || kind == "[]float64":
		s = "tensor.Of(" + strings.Trim(literalBody(m[3]), "{}") + ")"
	default:
		s = "tensor.New(" + s + ")"
	}
	if name := strings.TrimRight(m[1], " :="); name != "" {
		s = name + " := " + s
	}
	return didYouMean(s)
}

// joinHint is tensor.Cat([]*tensor.Tensor{x, y}, 0) for torch.cat([x, y]).
func joinHint(m []string) string {
	name := "tensor.Cat"
	if m[2] == "stack" {
		name = "tensor.Stack"
	}
	s := name + "([]*tensor.Tensor{" + m[3] + "}, " + cmp.Or(m[4], "0") + ")"
	if v := strings.TrimRight(m[1], " :="); v != "" {
		s = v + " := " + s
	}
	return didYouMean(s)
}

// goLiteral is a list or dictionary of Python's as Go, with the types of its elements where they are plain constants.
func goLiteral(s string) (string, bool) {
	kind, ok := literalKind(s)
	if !ok {
		return "", false
	}
	return kind + literalBody(s), true
}

// literalBody has braces for brackets.
func literalBody(s string) string {
	return strings.NewReplacer("[", "{", "]", "}", "'", `"`, "True", "true", "False", "false", "None", "nil").Replace(s)
}

var (
	intRE   = regexp.MustCompile(`^-?\d+$`)
	floatRE = regexp.MustCompile(`^-?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?$`)
	textRE  = regexp.MustCompile(`^"[^"]*"$|^'[^']*'$`)
)

// literalKind is the Go type of a literal of Python's.
func literalKind(s string) (string, bool) {
	s = strings.TrimSpace(s)
	switch {
	case intRE.MatchString(s):
		return "int", true
	case floatRE.MatchString(s):
		return "float64", true
	case textRE.MatchString(s):
		return "string", true
	case s == "True" || s == "False":
		return "bool", true
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
		kind, ok := commonKind(elements(s))
		return "[]" + kind, ok
	case strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}"):
		var keys, values []string
		for _, e := range elements(s) {
			key, value, ok := strings.Cut(e, ":")
			if !ok {
				return "", false
			}
			keys, values = append(keys, key), append(values, value)
		}
		key, ok := commonKind(keys)
		value, also := commonKind(values)
		return "map[" + key + "]" + value, ok && also
	}
	return "", false
}

// commonKind is the type that has all these literals: float64 of integers and floats, any of numbers and strings.
func commonKind(list []string) (kind string, ok bool) {
	for _, s := range list {
		k, known := literalKind(s)
		switch {
		case !known:
			return "", false
		case kind == "" || kind == k || kind == "int" && k == "float64":
			kind = k
		case kind == "float64" && k == "int":
		case strings.ContainsAny(k+kind, "[]"):
			return "", false
		default:
			kind = "any"
		}
	}
	return kind, kind != ""
}

// elements splits what is between the brackets of a literal at its outer commas.
func elements(s string) (list []string) {
	depth, from := 0, 1
	quote := byte(0)
	for i := 1; i < len(s)-1; i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{' || c == '(':
			depth++
		case c == ']' || c == '}' || c == ')':
			depth--
		case c == ',' && depth == 0:
			list, from = append(list, s[from:i]), i+1
		}
	}
	if rest := s[from : len(s)-1]; strings.TrimSpace(rest) != "" {
		list = append(list, rest)
	}
	return list
}

// shapeCalls are calls of Python's that take a shape or dims, with their names here.
var shapeCalls = map[string]string{"zeros": "tensor.Zeros", "ones": "tensor.Ones", "rand": "tensor.Rand", "randn": "tensor.Randn", "full": "tensor.Full", "empty": "tensor.Zeros",
	"reshape": "Reshape", "view": "Reshape", "transpose": "Permute", "permute": "Permute", "sum": "Sum", "mean": "Mean",
	"max": "Max", "min": "Min", "std": "Std", "var": "Var", "argmax": "ArgMax", "argmin": "ArgMin", "prod": "Prod",
	"any": "Any", "all": "All", "cumsum": "CumSum", "softmax": "Softmax", "squeeze": "Squeeze", "unsqueeze": "Unsqueeze",
	"tile": "Repeat", "repeat": "Repeat", "broadcast_to": "BroadcastAs", "expand": "BroadcastAs"}

// goCall is a name before a bracket as it is here: tensor.Zeros for np.zeros, x.Mean for x.mean.
func goCall(name string) string {
	of, method, ok := cutLast(name, ".")
	if !ok {
		return name
	}
	switch here := shapeCalls[method]; {
	case strings.Contains(here, ".") && of != "tensor":
		return here
	case here != "" && !strings.Contains(here, "."):
		return of + "." + here
	}
	return name
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}

// tupleHint is for f((3, 4)).
func tupleHint(m []string) string {
	call := goCall(m[1])
	args := strings.TrimSuffix(strings.TrimSpace(m[2]), ",")
	return "Go has no tuples: did you mean " + call + "(" + args + ")?"
}

// keywordHint is for f(x, axis=0).
func keywordHint(m []string) string {
	return "Go has no named arguments: did you mean " + goCall(m[1]) + "(" + m[2] + strings.TrimSpace(m[3]) + ")?"
}

// moduleUses are what one imports in Python, and what stands for it here.
var moduleUses = []struct{ modules, hint string }{
	{" np numpy cp cupy torch scipy sp jnp jax torchvision tensorflow keras ",
		"nothing to import: tensor.Of(1, 2, 3) makes a tensor; cells import package tensor, and those below it such as linalg and nn, on first use"},
	{" matplotlib seaborn plotly bokeh altair ", "nothing to import: display.Line(x, y), Scatter, Hist, Bar and Imshow show charts"},
	{" pandas polars pyarrow ", `nothing to import: frame.ReadCSV("file.csv") reads a table`},
	{" tqdm ", "nothing to import: for range display.Progress(n) { … } shows a progress bar"},
	{" ipywidgets ", "nothing to import: widgets.NewIntSlider(3, 0, 10) is a slider"},
	{" sklearn ", "nothing to import: linalg, stats and nn have what they have; %get MODULE adds a Go module"},
	{" sys re collections itertools functools pathlib subprocess typing dataclasses random datetime copy glob shutil csv __future__ ",
		"nothing to import: cells import Go's standard library on first use, as in os.Args or regexp.MustCompile"},
}

// moduleImportHint is for import and from … import of Python.
func moduleImportHint(line string) string {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "import" && words[0] != "from" {
		return ""
	}
	module, _, _ := strings.Cut(strings.TrimSuffix(words[1], ","), ".")
	for _, u := range moduleUses {
		if strings.Contains(u.modules, " "+module+" ") {
			return u.hint
		}
	}
	return ""
}
