package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Instance is a kernel template with arguments, as in saxpy<float, 4>.
type Instance struct {
	Template string
	Args     []string
}

// String returns the instance as C++ writes it.
func (in Instance) String() string { return in.Template + "<" + strings.Join(in.Args, ", ") + ">" }

// Symbol is the name of the instance as an identifier, which is the kernel's: saxpy_float_4.
func (in Instance) Symbol() string {
	text := strings.NewReplacer("*", " ptr", "-", " minus ").Replace(strings.Join(in.Args, " "))
	return strings.Join(append([]string{in.Template}, notWord.Split(strings.TrimSpace(text), -1)...), "_")
}

var notWord = regexp.MustCompile(`\W+`)

// ParseInstance reads saxpy<float, 4>. It returns false for what is no name with arguments in angle brackets.
func ParseInstance(text string) (Instance, bool) {
	tokens, _ := cTokens(text)
	if n := len(tokens); n < 4 || tokens[1].text != "<" || closingAngle(tokens, 1) != n-1 || !isWordByte(text[0]) ||
		!balanced(tokens) {
		return Instance{}, false
	}
	return instanceOf(text, tokens), true
}

// instanceOf returns the instance that the tokens of a source are: a name and, in angle brackets, its arguments.
func instanceOf(source string, tokens []cToken) Instance {
	in := Instance{Template: tokens[0].text}
	for _, arg := range splitParams(tokens[2 : len(tokens)-1]) {
		in.Args = append(in.Args, textOf(source, arg))
	}
	return in
}

// textOf is the text of a source from the first of its tokens to the last.
func textOf(source string, tokens []cToken) string {
	if len(tokens) == 0 {
		return ""
	}
	last := tokens[len(tokens)-1]
	return source[tokens[0].at : last.at+len(last.text)]
}

// Instances returns the instances that a source declares explicitly,
//
//	template __global__ void saxpy<float, 4>(float a, const float *x, float *y, unsigned n);
//
// and the source without these declarations, in which all else is at its place.
func Instances(source string) (list []Instance, rest string) {
	tokens, _ := cTokens(source)
	blank := []byte(source)
	for i, t := range tokens {
		if t.text != "template" || i+1 == len(tokens) || tokens[i+1].text == "<" {
			continue
		}
		end := i
		for end < len(tokens) && tokens[end].text != ";" && tokens[end].text != "{" {
			end++
		}
		head := tokens[i:end]
		open := slices.IndexFunc(head, func(t cToken) bool { return t.text == "<" })
		if end == len(tokens) || tokens[end].text == "{" || open < 1 ||
			!slices.ContainsFunc(head, func(t cToken) bool { return t.text == "__global__" }) {
			continue
		}
		if last := closingAngle(head, open); last < len(head) && balanced(head[open:last]) {
			list = append(list, instanceOf(source, head[open-1:last+1]))
			for k := t.at; k <= tokens[end].at; k++ {
				if blank[k] != '\n' {
					blank[k] = ' '
				}
			}
		}
	}
	return list, string(blank)
}

// balanced reports whether every bracket that is opened is closed, and no other is. Angle brackets may be operators.
func balanced(tokens []cToken) bool {
	var open []string
	for _, t := range tokens {
		switch t.text {
		case "(":
			open = append(open, ")")
		case "[":
			open = append(open, "]")
		case "{":
			open = append(open, "}")
		case ")", "]", "}":
			if len(open) == 0 || open[len(open)-1] != t.text {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// closingAngle is the index of the angle bracket that closes the one at i.
func closingAngle(tokens []cToken, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(":
			i = closing(tokens, i)
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// WithInstances returns a source with kernels that are the instances of its templates. A kernel cannot be called, so
// the template's body becomes that of a device function, which the kernels call. Line directives keep the lines and
// columns of messages.
func WithInstances(source string, list []Instance) (string, error) {
	var b strings.Builder
	done := 0
	found := map[string]bool{}
	for _, d := range Declarations(source) {
		of := slices.DeleteFunc(slices.Clone(list), func(in Instance) bool {
			return !d.Template || in.Template != d.Name
		})
		if len(of) == 0 {
			continue
		}
		if found[d.Name] {
			return "", fmt.Errorf("%v: the source has several templates, or specializations, of that name, and instances "+
				"are made of one", of[0])
		}
		found[d.Name] = true
		kernels, err := instancesOf(source, d, of)
		if err != nil {
			return "", err
		}
		end := d.bodyAt + len(d.Body)
		fmt.Fprintf(&b, "%s\n%s%s", source[done:end], kernels, placed(source, end))
		done = end
	}
	for _, in := range list {
		if !found[in.Template] {
			return "", fmt.Errorf("%v: the source has no kernel template %s", in, in.Template)
		}
	}
	return b.String() + source[done:], nil
}

// instancesOf returns the device function of a template and the kernels that are its instances.
func instancesOf(source string, d Declaration, list []Instance) (string, error) {
	t, err := readTemplate(source, d)
	if err != nil {
		return "", err
	}
	text := t.function(source)
	made := map[string]bool{}
	for _, in := range list {
		if made[in.Symbol()] {
			continue
		}
		made[in.Symbol()] = true
		k, err := t.kernel(in)
		if err != nil {
			return "", err
		}
		text += k
	}
	return text, nil
}

// LineAt is the number that messages have for the line of an offset: line directives count.
func LineAt(source string, at int) int {
	line := 1
	for text := range strings.Lines(source[:at]) {
		if n, ok := strings.CutPrefix(text, "#line "); ok {
			if number, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
				line = number
				continue
			}
		}
		if strings.HasSuffix(text, "\n") {
			line++
		}
	}
	return line
}

// placed begins a line that is, for messages, the rest of a line of the source from an offset on.
func placed(source string, at int) string {
	line := 1 + strings.Count(source[:at], "\n")
	return fmt.Sprintf("#line %d\n%s", line, strings.Repeat(" ", at-1-strings.LastIndexByte(source[:at], '\n')))
}
