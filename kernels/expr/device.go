package expr

import (
	"fmt"
	"strconv"
	"strings"
)

// deviceFunctions are the functions that device code has under another name; the others have their own.
var deviceFunctions = map[string]string{
	"sqr": "mul(%[1]s, %[1]s)", "recip": "(C(1) / %s)", "sigmoid": "logistic(C(1), %s, C(0))",
	"tanh": "tanh_as<Stored>(%s)",
	"add":  "(%s + %s)", "sub": "(%s - %s)", "mul": "(%s * %s)", "div": "(%s / %s)", "neg": "(-%s)",
	"eq": "(%s == %s)", "ne": "(%s != %s)", "lt": "(%s < %s)", "le": "(%s <= %s)", "gt": "(%s > %s)",
	"ge":    "(%s >= %s)",
	"where": "(%s ? %s : %s)",
}

// Device returns the formula as an expression of kernels, in which operands have the compute type C.
func (e Expr) Device() string { return device(e.root) }

func device(n *Node) string {
	switch {
	case n.Name == "":
		return "C(" + strconv.FormatFloat(n.Number, 'g', -1, 64) + ")"
	case n.Args == nil:
		return n.Name
	}
	args := make([]any, len(n.Args))
	for i, a := range n.Args {
		args[i] = device(a)
	}
	if form, ok := deviceFunctions[n.Name]; ok {
		return fmt.Sprintf(form, args...)
	}
	return n.Name + "(" + strings.TrimSuffix(fmt.Sprintln(join(args)...), "\n") + ")"
}

// join puts commas behind all but the last.
func join(args []any) []any {
	for i := range args[:len(args)-1] {
		args[i] = fmt.Sprint(args[i]) + ","
	}
	return args
}
