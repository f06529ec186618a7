package compile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// template is a kernel template of a source.
type template struct {
	Declaration
	head    string // template <…>
	params  []templateParam
	before  string // what stands between head and name: __global__ void __launch_bounds__(N)
	list    string // the parameters of the kernel, as in the source
	names   []string
	without []string // the parameters of the kernel without default arguments
}

// templateParam is a parameter of a template.
type templateParam struct {
	text     string // as in the source
	name     string // empty for none
	isType   bool
	standard string // the default argument, empty for none
}

// readTemplate reads a declaration of a kernel template.
func readTemplate(source string, d Declaration) (*template, error) {
	t := &template{Declaration: d}
	tokens, _ := cTokens(source[:d.bodyAt])
	tokens = tokens[slices.IndexFunc(tokens, func(t cToken) bool { return t.at == d.At }):]
	begin := slices.IndexFunc(tokens, func(t cToken) bool { return t.text == "template" })
	end := closingAngle(tokens, begin+1)
	if end >= len(tokens) || tokens[begin+1].text != "<" {
		return nil, fmt.Errorf("%s: template is not followed by its parameters, as <…>", d.Name)
	}
	rest := tokens[end+1:]
	if slices.ContainsFunc(rest, func(t cToken) bool { return t.text == "template" || t.text == "requires" }) {
		return nil, fmt.Errorf("%s: a template in a template, or with requirements, has no instances here", d.Name)
	}
	for _, p := range splitParams(tokens[begin+2 : end]) {
		param, err := readTemplateParam(source, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		t.params = append(t.params, param)
	}
	name := slices.IndexFunc(rest, func(t cToken) bool { return t.text == d.Name })
	if len(t.params) == 0 || name < 1 || name+1 >= len(rest) || rest[name+1].text != "(" {
		return nil, fmt.Errorf("%s: only a template with parameters, and no specialization of one, has instances here",
			d.Name)
	}
	close := closing(rest, name+1)
	if close >= len(rest) {
		return nil, fmt.Errorf("%s: its parameters do not end", d.Name)
	}
	t.head, t.before = textOf(source, tokens[begin:end+1]), source[rest[0].at:rest[name].at]
	t.list = source[rest[name+1].at+1 : rest[close].at]
	for i, p := range splitParams(rest[name+2 : close]) {
		if t.names = append(t.names, d.Params[i].Name); d.Params[i].Name == "" {
			return nil, fmt.Errorf("%s: parameter %d has no name, which its instances need", d.Name, i+1)
		}
		if standard := slices.IndexFunc(p, func(t cToken) bool { return t.text == "=" }); standard >= 0 {
			p = p[:standard]
		}
		t.without = append(t.without, textOf(source, p))
	}
	return t, nil
}

// TemplateName is a declaration of a kernel template with the names of its parameters, as in saxpy<T, N>. What cannot
// be named is an ellipsis.
func TemplateName(source string, d Declaration) string {
	if !d.Template {
		return d.Name
	}
	t, err := readTemplate(source, d)
	if err != nil {
		return d.Name + "<…>"
	}
	in := Instance{Template: d.Name}
	for _, p := range t.params {
		in.Args = append(in.Args, cmp.Or(p.name, "…"))
	}
	return in.String()
}

func readTemplateParam(source string, tokens []cToken) (templateParam, error) {
	p := templateParam{text: textOf(source, tokens)}
	if len(tokens) == 0 || tokens[0].text == "=" {
		return p, errors.New("a parameter of the template has no type")
	}
	if strings.Contains(p.text, "...") || tokens[0].text == "template" {
		return p, fmt.Errorf("templates with the parameter %s have no instances here: packs, and templates", p.text)
	}
	if i := slices.IndexFunc(tokens, func(t cToken) bool { return t.text == "=" }); i >= 0 {
		p.standard, tokens = textOf(source, tokens[i+1:]), tokens[:i]
	}
	p.isType = tokens[0].text == "typename" || tokens[0].text == "class"
	if len(tokens) > 1 {
		p.name = tokens[len(tokens)-1].text
	}
	return p, nil
}

// function is a device function that does what the kernels do.
func (t *template) function(source string) string {
	return fmt.Sprintf("%s __device__ __forceinline__ void %s_instance(%s)\n%s%s\n", t.head, t.Name, t.list,
		placed(source, t.bodyAt), t.Body)
}

// kernel is an instance. Its types have names that no other has.
func (t *template) kernel(in Instance) (string, error) {
	var b strings.Builder
	bound := map[string]string{}
	args := slices.Clone(in.Args)
	for i, p := range t.params {
		if i >= len(args) && p.standard != "" {
			args = append(args, renamed(p.standard, bound))
		}
		if i >= len(args) || len(in.Args) > len(t.params) {
			return "", fmt.Errorf("%v has %d arguments, and the template has the parameters %s", in, len(in.Args), t.head)
		}
		if p.name == "" {
			continue
		}
		if bound[p.name] = "(" + args[i] + ")"; p.isType {
			bound[p.name] = "gorocm_" + in.Symbol() + "_" + strconv.Itoa(i)
			fmt.Fprintf(&b, "typedef %s %s;\n", args[i], bound[p.name])
		}
	}
	fmt.Fprintf(&b, "extern \"C\" %s %s(%s) { %s_instance<%s>(%s); }\n",
		renamed(notInKernels.ReplaceAllString(t.before, ""), bound), in.Symbol(),
		renamed(strings.Join(t.without, ", "), bound), t.Name, strings.Join(args, ", "), strings.Join(t.names, ", "))
	return b.String(), nil
}

// notInKernels is what a template may be declared with, and a kernel with the linkage of C may not.
var notInKernels = regexp.MustCompile(`\b(static|inline|__forceinline__)\b`)

// renamed replaces identifiers in a text.
func renamed(text string, by map[string]string) string {
	tokens, _ := cTokens(text)
	var b strings.Builder
	done := 0
	for _, t := range tokens {
		if new, ok := by[t.text]; ok {
			b.WriteString(text[done:t.at] + new)
			done = t.at + len(t.text)
		}
	}
	return b.String() + text[done:]
}
