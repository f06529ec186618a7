package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// wordHints are for functions and modules of Python that Go does not have; $1 is the first argument of their call.
var wordHints = map[string]string{
	"help": "%help lists the commands; $1? shows what $1 is", "dir": "$1. and the Tab key list what $1 has",
	"type":       `fmt.Printf("%T", $1) writes the type of $1`,
	"isinstance": "x.(T) is the T in an interface x",
	"exit":       "exit on a line of its own, or Ctrl-D, ends a session; os.Exit(0) ends a script",
	"quit":       "exit on a line of its own, or Ctrl-D, ends a session; os.Exit(0) ends a script",
	"str":        "did you mean fmt.Sprint($1)?", "repr": `did you mean fmt.Sprintf("%#v", $1)?`,
	"enumerate": "did you mean for i, v := range $1 { … }?", "zip": "did you mean for i := range $1 { … }?",
	"sorted": "did you mean slices.Sorted(slices.Values($1))?", "reversed": "did you mean slices.Backward($1)?",
	"open": "did you mean os.ReadFile($1)?", "tqdm": "did you mean display.Progress(n)?",
	"display": "did you mean Display($1)?", "float": "did you mean float64($1)?",
	"chr": "did you mean string(rune($1))?", "ord": "did you mean int($1[0])?",
	"System": "did you mean fmt.Println?", "exec": "did you mean exec.Command?",
}

// tensorMembers are methods of arrays of Python's that tensors do not need, or have under several names, in lower case.
var tensorMembers = map[string]string{
	"numpy": "$1.ToVec1(), $1.ToVec2() and $1.ToVec3() copy the elements to Go", "cpu": `did you mean $1.To("cpu")?`,
	"cuda": `did you mean $1.To("cuda")?`, "float": "did you mean $1.ToDType(tensor.F32)?",
	"double": "did you mean $1.ToDType(tensor.F64)?", "half": "did you mean $1.ToDType(tensor.F16)?",
	"int": "did you mean $1.ToDType(tensor.I32)?", "long": "did you mean $1.ToDType(tensor.I64)?",
	"bool": "did you mean $1.Ne(0)?", "grad": "grads := loss.Backward(), then grads.Get($1)",
	"len": sizesOf, "length": sizesOf,
	"requires_grad_": "did you mean tensor.NewVar($1)?", "requires_grad": "did you mean tensor.NewVar($1)?",
}

const sizesOf = "$1.Dim(0) is the size of the first dim, $1.ElemCount() the number of elements"

// memberHints is for a name that a tensor, x in the text, does not have.
func memberHints(name, x string, t types.Type) string {
	if !isTensorType(t) {
		return ""
	}
	return filled(tensorMembers[strings.ToLower(name)], []string{x})
}

// chartFunctions are what matplotlib's functions are here.
var chartFunctions = map[string]string{
	"plot": "display.Line(x, y)", "scatter": "display.Scatter(x, y)", "hist": "display.Hist(x)", "bar": "display.Bar(names, heights)",
	"barh": "display.Bar(names, heights)", "boxplot": "display.Box(names, a, b)", "contour": "display.Contour(x, y, z)",
	"contourf": "display.ContourFilled(x, y, z)", "imshow": "display.Imshow(x)", "matshow": "display.Heatmap(x)",
	"heatmap": "display.Heatmap(x)", "lineplot": "display.Line(x, y)", "scatterplot": "display.Scatter(x, y)", "histplot": "display.Hist(x)",
	"subplots": "display.Grid(2, display.Line(x), display.Hist(y))", "subplot": "display.Grid(2, display.Line(x), display.Hist(y))",
	"semilogy": "display.Line(x, y).LogY()", "semilogx": "display.Line(x, y).LogX()", "title": `display.Line(x, y).Title("title")`,
	"xlabel": `display.Line(x, y).XLabel("x")`, "ylabel": `display.Line(x, y).YLabel("y")`, "errorbar": "display.Line(x, y).ErrorBars(e)",
}

// chartModules are the names by which Python programs call what package display has.
const chartModules = " plt matplotlib sns seaborn px plotly "

// wordHint is for an unknown name at a place that has a meaning in Python or in a shell.
func (k *Checker) wordHint(name string, at token.Pos) string {
	var call *ast.CallExpr
	last := ""
	k.inspect(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Fun.Pos() == at && call == nil && !IsOut(n) {
				call = n
			}
		case *ast.SelectorExpr:
			if n.Pos() == at && last == "" {
				last = n.Sel.Name
			}
		}
		return true
	})
	arg := "x"
	if call != nil && len(call.Args) > 0 {
		arg = k.text(call.Args[0])
	}
	switch hint := wordHints[name]; {
	case strings.Contains(chartModules, " "+name+" "):
		if s := chartFunctions[last]; s != "" {
			if f, _, _ := strings.Cut(s, "("); call != nil && len(call.Args) > 0 && strings.Count(s, "(") == 1 {
				s = f + k.callAfter(call.Fun, "")
			}
			return didYouMean(s)
		}
		return "a chart is shown when it is a cell's last expression: display.Line(x, y)"
	case statements{k}.functionOfTensor(name, at) != "":
		return statements{k}.functionOfTensor(name, at)
	case hint != "":
		return filled(hint, []string{arg})
	case call == nil && last == "":
		return shellHint(name)
	}
	return ""
}

// notes are about what compiles and is not what its author may have meant.
func (c *Checked) notes() []string {
	return slices.Concat(c.comparedTensors(), c.shownMethod(), c.writtenAddresses())
}

// shownMethod notes that the shown value is a method, where Python has an attribute: x.T for x.T().
func (c *Checked) shownMethod() []string {
	if !c.Shows || c.Quiet || c.Body == nil || len(c.Body.List) == 0 {
		return nil
	}
	last, ok := c.Body.List[len(c.Body.List)-1].(*ast.ExprStmt)
	if !ok {
		return nil
	}
	x := last.X
	if IsOut(x) {
		x = x.(*ast.CallExpr).Args[0]
	}
	sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	s := c.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	name, args := UserText(types.ExprString(sel)), ""
	if s.Obj().(*types.Func).Signature().Params().Len() > 0 {
		args = "…"
	}
	return []string{name + " is a method: " + name + "(" + args + ") calls it"}
}

// kernelHint is for a kernel that is called as a function.
func (k *Checker) kernelHint(p *Problem) (hint string) {
	if !strings.Contains(p.Message, "*rocm.Kernel is not a function") {
		return ""
	}
	k.inspect(func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Pos() <= p.at && p.at < c.End() {
			if t := k.typeOf(c.Fun); t != nil && types.TypeString(t, Qualifier) == "*rocm.Kernel" {
				args := strings.TrimPrefix(k.callAfter(c.Fun, ""), "(")
				hint = k.text(c.Fun) + ".Launch(n, " + args + " runs it with n threads"
			}
		}
		return hint == ""
	})
	return hint
}
