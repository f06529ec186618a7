package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/library"
)

// A hint says what an error's author may have meant. It stands under Go's own message, which stays as it is.

// hints adds a hint to each problem that has one.
func (k *Checker) hints() {
	told := map[string]bool{}
	k.Problems = slices.DeleteFunc(k.Problems, func(p Problem) bool { // once for each unknown name
		again := undefinedRE.MatchString(p.Message) && told[p.Message]
		told[p.Message] = true
		return again
	})
	for i := range k.Problems {
		if p := &k.Problems[i]; p.Hint == "" {
			p.Hint = cmp.Or(messageHint(p.Message), k.hint(p))
		}
	}
}

var (
	undefinedRE  = regexp.MustCompile(`^undefined: (\w+)$`)
	qualifiedRE  = regexp.MustCompile(`^undefined: (\w+)\.(\w+)$`)
	noMemberRE   = regexp.MustCompile(`undefined \((?:type .* has no (?:field or )?method|cannot refer to unexported (?:field|method)) (\w+)(?:, but does have unexported \w+ \w+)?\)$`)
	otherCaseRE  = regexp.MustCompile(`undefined \(type .* has no (?:field or )?method \w+, but does have (?:field|method) (\w+)\)$`)
	noFieldRE    = regexp.MustCompile(`^unknown field (\w+) in struct literal`)
	importRE     = regexp.MustCompile(`^could not import (\S+) \(`)
	receiverRE   = regexp.MustCompile(`cannot use .* value in .*: (\S+) does not implement .* \(method (\w+) has pointer receiver\)`)
	parseRE      = regexp.MustCompile(`^cannot convert (.+) \((?:untyped string constant|variable of type string|value of type string).*\) to type (int|float64)$`)
	inferRE      = regexp.MustCompile(`^in call to ([\w.]+), cannot infer (\w+)`)
	operatorRE   = regexp.MustCompile(`^invalid operation: operator (\S+) not defined on .* of type (float\d+|complex\d+)|^invalid operation: operator (%) not defined on .*untyped float`)
	cannotUseRE  = regexp.MustCompile(`^cannot use .* \((?:.* of |)(?:\w+ )?type (\S+)\) as (\S+) value`)
	spreadRE     = regexp.MustCompile(`^cannot use .* \(.*type \[\](\S+)\) as (\S+) value in argument`)
	dtypeRE      = regexp.MustCompile(`^cannot use .* type (?:tensor|kernels)\.DType\) as int value in argument to tensor\.(\w+)$`)
	negativeRE   = regexp.MustCompile(`^invalid argument: index -\d+ \(constant of type int\) must not be negative$`)
	indirectRE   = regexp.MustCompile(`^invalid operation: cannot indirect`)
	mismatchedRE = regexp.MustCompile(`^invalid operation: .* \(mismatched types (?:untyped )?(\S+) and (?:untyped )?(\S+)\)$`)
)

// messageHint is for messages that say all that there is to know.
func messageHint(message string) string {
	if strings.Contains(message, "as time.Duration value") && strings.HasSuffix(message, "(truncated)") {
		return "durations are whole nanoseconds: 500 * time.Millisecond is half a second"
	}
	return ""
}

func (k *Checker) hint(p *Problem) string {
	m := []string(nil)
	undefined := matched(undefinedRE, p.Message, &m)
	if h := cmp.Or(k.tensorHint(p.at), k.frameHint(p.at), k.kernelHint(p)); h != "" && !undefined {
		return h
	}
	switch {
	case undefined:
		if h := cmp.Or(failedHint(k, m[1]), k.moduleHint(m[1], p.at), k.wordHint(m[1], p.at)); h != "" {
			return h
		}
		if why := k.Scope.Results.missing(k.indexedAt(m[1], p.at)); why != "" {
			return why
		}
		s := k.similarName(m[1], p.at)
		if s == "" && k.assignedAt(p.at) {
			return "= assigns to a variable that is already declared; " + m[1] + " := … declares one"
		}
		return didYouMean(s)
	case matched(qualifiedRE, p.Message, &m):
		return k.qualifiedHint(m[1], m[2], p.at)
	case matched(noMemberRE, p.Message, &m):
		return k.memberHint(m[1], p.at)
	case matched(otherCaseRE, p.Message, &m):
		if sel := k.selectorAt(p.at); sel != nil {
			return didYouMean(k.text(sel.X) + "." + m[1] + k.callAfter(sel, m[1]))
		}
	case matched(noFieldRE, p.Message, &m):
		if st := k.literalAt(p.at); st != nil {
			return didYouMean(Similar(m[1], fieldNames(st)))
		}
	case matched(importRE, p.Message, &m):
		if s := Similar(m[1], k.Scope.Library.Paths()); s != "" && !library.Refused(m[1]) {
			return didYouMean(`"` + s + `"`)
		}
	case matched(receiverRE, p.Message, &m):
		return "*" + m[1] + " has the method " + m[2] + ": take the address with &"
	case matched(parseRE, p.Message, &m):
		if m[2] == "int" {
			return didYouMean("strconv.Atoi(" + m[1] + ")")
		}
		return didYouMean("strconv.ParseFloat(" + m[1] + ", 64)")
	case matched(inferRE, p.Message, &m):
		return k.inferHint(m[1], m[2])
	case matched(operatorRE, p.Message, &m) && m[1]+m[3] == "%":
		return "math.Mod is the remainder of floats"
	case matched(mismatchedRE, p.Message, &m):
		return mismatchHint(p.Message, m[1], m[2])
	case matched(negativeRE, p.Message, nil):
		return fromEndHint(k, p.at)
	case matched(indirectRE, p.Message, nil) && k.powerAt(p.at):
		return "Go has no operator **: math.Pow(x, y) is x to the power of y"
	case matched(dtypeRE, p.Message, &m):
		return "a device makes tensors of any dtype, as in dev." + m[1] + "(tensor.F16, 2, 3)"
	case matched(spreadRE, p.Message, &m) && m[1] == m[2] && k.spreadable(p.at):
		return "to pass the elements of a slice, write ... after it, as in f(xs...)"
	case matched(cannotUseRE, p.Message, &m) && strings.Trim(m[1], "*[]") == strings.Trim(m[2], "*[]"):
		return cmp.Or(statements{k}.gathered(p.at), sliceHint(p.Message, m[1], m[2]), k.olderHint(p.at))
	case strings.HasPrefix(p.Message, "too many arguments in call to "):
		return statements{k}.gathered(p.at)
	case p.Message == "no new variables on left side of :=":
		return "= assigns to a variable that is already declared"
	}
	return ""
}

// qualifiedHint is for a name that a package does not have.
func (k *Checker) qualifiedHint(name, member string, at token.Pos) string {
	pkg := k.packageNamed(name)
	if pkg == nil {
		return ""
	}
	if path := k.namesake(pkg, member); path != "" {
		return `import "` + path + `" has ` + name + "." + member
	}
	s := synonym(member, exported(pkg))
	if s == "" && methodIn(pkg, member) == "" {
		if below := k.belowHint(pkg.Path(), member, "", nil); below != "" {
			return didYouMean(below)
		}
	}
	s = cmp.Or(s, Similar(member, exported(pkg)))
	if made := makerIn(pkg, member); made != "" {
		return didYouMean(name + "." + made)
	}
	if method := methodIn(pkg, member); method != "" && !strings.EqualFold(s, member) {
		return method
	}
	if s == "" {
		return didYouMeanOne(name+".", partOf(member, fitting(k, pkg, at)), func(string) string { return "" })
	}
	return didYouMean(name + "." + s)
}

// sliceHint is for an element where a slice of such is wanted.
func sliceHint(message, elem, want string) string {
	if want != "[]"+elem {
		return ""
	}
	x, _, _ := strings.Cut(strings.TrimPrefix(message, "cannot use "), " (")
	return "a slice is wanted, as in " + want + "{" + UserText(x) + "}"
}

// inferHint tells how to name the type arguments of a function of which one cannot be inferred.
func (k *Checker) inferHint(name, param string) string {
	for id, o := range k.Result.Info.Uses {
		f, ok := o.(*types.Func)
		if !ok || id.Name != name[strings.LastIndexByte(name, '.')+1:] {
			continue
		}
		var before []string
		for t := range f.Origin().Signature().TypeParams().TypeParams() {
			before = append(before, t.Obj().Name())
			if t.Obj().Name() != param {
				continue
			}
			arg, noun := argument(t), "type"
			if len(before) > 1 {
				noun = "types"
			}
			before[len(before)-1] = arg
			return "name the " + noun + ": " + name + "[" + strings.Join(before, ", ") + "](…), where " + arg +
				" stands for " + param
		}
	}
	return ""
}

// argument is a type that may stand for a type parameter: int, or else the first of its constraint's union.
func argument(p *types.TypeParam) string {
	constraint := p.Constraint().Underlying().(*types.Interface)
	if !types.Satisfies(types.Typ[types.Int], constraint) && constraint.NumEmbeddeds() == 1 {
		if u, ok := constraint.EmbeddedType(0).(*types.Union); ok {
			return types.TypeString(u.Term(0).Type(), Qualifier)
		}
	}
	return "int"
}

func matched(re *regexp.Regexp, s string, m *[]string) bool {
	r := re.FindStringSubmatch(s)
	if m != nil {
		*m = r
	}
	return r != nil
}

func didYouMean(s string) string {
	if s == "" {
		return ""
	}
	return "did you mean " + s + "?"
}

func mismatchHint(msg, a, b string) string {
	text := a == "string" || b == "string"
	number := func(s string) bool { _, ok := numberKinds[s]; return ok }
	switch {
	case text && strings.Contains(msg, " * "):
		return "strings.Repeat(s, n) is n times the string s"
	case text && (number(a) || number(b)) && strings.Contains(msg, " + "):
		return "fmt.Sprint(n) is the text of a number"
	case number(a) && number(b):
		return "Go converts no numbers by itself: " + conversion(a, b)
	}
	return ""
}

// numberKind is what a type of numbers holds: digits of so many bits, below 0 too, and fractions.
type numberKind struct {
	bits             int
	signed, fraction bool
}

var numberKinds = map[string]numberKind{
	"int": {63, true, false}, "int8": {7, true, false}, "int16": {15, true, false}, "int32": {31, true, false},
	"rune": {31, true, false}, "int64": {63, true, false},
	"uint": {64, false, false}, "uint8": {8, false, false}, "byte": {8, false, false}, "uint16": {16, false, false},
	"uint32": {32, false, false}, "uint64": {64, false, false},
	"uintptr": {64, false, false}, "float32": {24, true, true}, "float64": {53, true, true},
}

// conversion is how x of type a and y of type b become numbers of one type that keeps the values of both; of 64-bit
// integers a float64 keeps most.
func conversion(a, b string) string {
	x, y := numberKinds[a], numberKinds[b]
	holds := func(wide, small numberKind) bool {
		return wide.bits >= small.bits && (wide.signed || !small.signed) && (wide.fraction || !small.fraction)
	}
	switch {
	case holds(x, y) || a == "float64":
		return a + "(y)"
	case holds(y, x) || b == "float64":
		return b + "(x)"
	case x.fraction || y.fraction:
		return "float64(x) and float64(y)"
	case x.bits == 64 || y.bits == 64:
		return a + "(y) or " + b + "(x), where the values fit"
	}
	return "int64(x) and int64(y)"
}

// foreign are words of other languages.
var foreign = map[string]string{
	"None": "nil", "null": "nil", "NULL": "nil", "nullptr": "nil", "undefined": "nil", "True": "true", "False": "false",
	"str": "string", "String": "string", "double": "float64", "float": "float64", "boolean": "bool",
	"char": "byte or rune",
	"long": "int64", "short": "int16", "list": "[]T", "dict": "map[K]V", "object": "any", "Integer": "int",
	"size_t": "int",
	"self":   "the receiver's own name", "this": "the receiver's own name", "console": "fmt.Println",
	"printf": "fmt.Printf", "sprintf": "fmt.Sprintf",
	"puts": "fmt.Println", "echo": "fmt.Println", "cout": "fmt.Println", "sizeof": "unsafe.Sizeof",
	"typeof": "reflect.TypeOf", "input": "fmt.Scanln",
	"raise": "panic", "throw": "panic",
}

// usual are the packages whose names are looked for when one stands without its package.
var usual = []string{"fmt", "tensor", "math", "strings", "os", "time", "errors", "strconv", "sort", "slices", "maps",
	"bytes", "display", "nn", "sync", "rand", "filepath", "json", "io", "log"}

// inspect visits the cell's own nodes.
func (k *Checker) inspect(f func(ast.Node) bool) {
	if b := k.Result.Cell.Body; b != nil {
		ast.Inspect(b, f)
	}
	for _, d := range k.Result.Decls {
		ast.Inspect(d.Node, f)
	}
}

// selected reports whether the name at a place is the operand of a selector.
func (k *Checker) selected(at token.Pos) bool {
	r := false
	k.inspect(func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && id.Pos() == at {
				r = true
			}
		}
		return !r
	})
	return r
}

// powerAt reports whether x ** y stands at a place, which is x * *y to Go.
func (k *Checker) powerAt(at token.Pos) bool {
	r := false
	k.inspect(func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && b.Op == token.MUL {
			if s, ok := b.Y.(*ast.StarExpr); ok && s.Star == b.OpPos+1 && (s.X.Pos() == at || s.Pos() == at) {
				r = true
			}
		}
		return !r
	})
	return r
}

// assignedAt reports whether an assignment gives the name at a place a value, all of it.
func (k *Checker) assignedAt(at token.Pos) bool {
	r := false
	k.inspect(func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
			for _, x := range a.Lhs {
				_, isName := x.(*ast.Ident)
				r = r || isName && x.Pos() == at
			}
		}
		return !r
	})
	return r
}

// spreadable reports whether the argument at a place is the last of a call, and its function takes any number of them.
func (k *Checker) spreadable(at token.Pos) bool {
	r := false
	k.inspect(func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || len(c.Args) == 0 || c.Args[len(c.Args)-1].Pos() != at {
			return !r
		}
		sg, ok := Underlying(k.Result.Info.TypeOf(c.Fun)).(*types.Signature)
		r = r || ok && sg.Variadic() && len(c.Args) == sg.Params().Len()
		return !r
	})
	return r
}
