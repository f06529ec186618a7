package machine

import (
	"reflect"
	"strings"

	"github.com/traefik/yaegi/interp"
)

// Optimize gives the functions of a program that has been compiled, and not yet been executed, faster code. The code
// calls grow with the number of bytes before it allocates many in one step; grow may panic.
func Optimize(p *interp.Program, grow func(uint64)) {
	root := Root(p)
	if root != nil {
		describeAll(root)
		straighten(root)
		eachFunction(root, nil, grow)
	}
}

// straighten has the nodes go on that yaegi takes for the first operand of && or ||, because they are the first to run
// of it: a key of a literal, for one. What branches knows where to go when the operand is false.
func straighten(n *Node) {
	if n.Fnext == nil && gen(n) == "branch" {
		n.Gen = proceed
	}
	for _, c := range n.Child {
		straighten(c)
	}
}

// proceed makes a node that does nothing.
func proceed(n *Node) {
	next := exec(n.Tnext)
	n.Exec = func(*Frame) Step { return next }
}

func describeAll(n *Node) {
	if n.IsFunction() {
		n.meta = describe(n)
	}
	for _, c := range n.Child {
		describeAll(c)
	}
}

// eachFunction optimizes the functions in a tree. outer are the functions around it, the innermost first.
func eachFunction(n *Node, outer []*Node, grow func(uint64)) {
	if n.IsFunction() {
		c := newCode(n, outer, grow)
		outer = append([]*Node{n}, outer...)
		if n.Kind == kinds.funcLit && len(outer) == 2 {
			unmake(n.Child[3])
		}
		defer func() {
			c.run()
			if n.Kind == kinds.funcLit {
				generate(n.Child[3].Start)
			}
		}()
	}
	for _, c := range n.Child {
		eachFunction(c, outer, grow)
	}
}

// unmake takes back the code of a function literal, which yaegi makes while it compiles what is around the literal.
func unmake(n *Node) {
	n.Exec = nil
	for _, c := range n.Child {
		unmake(c)
	}
}

// generate makes the code of a function, as yaegi's setExec does. The code of a return without results is nil: it ends
// the function.
func generate(start *Node) {
	const inWork, made = 1, 2
	state := map[*Node]int{}
	var set func(n *Node)
	follow := func(n *Node) {
		switch {
		case n == nil || n.Exec != nil || state[n] == made:
		case state[n] == inWork: // a loop
			n.Exec = func(f *Frame) Step { return n.Exec(f) }
		default:
			set(n)
		}
	}
	set = func(n *Node) {
		state[n] = inWork
		follow(n.Tnext)
		follow(n.Fnext)
		n.Gen(n)
		state[n] = made
	}
	follow(start)
}

// code is a function on its way to faster code.
type code struct {
	*places
	guards  guards
	entries map[*Node]*Node // what runs in the place of the first node of a subtree
	leaves  []*Node         // of the expression in work: the operands that run by themselves before it, in their order
	guarded int             // how many operators the expression in work is in that may leave their operands out
	cells   map[*Node]int   // for each function that is called, the place of its next frame
}

func newCode(fn *Node, outer []*Node, grow func(uint64)) *code {
	ps := &places{fn: fn, outer: outer, captured: map[int]bool{}}
	return &code{places: ps, guards: guards{places: ps, grow: grow}, entries: map[*Node]*Node{},
		cells: map[*Node]int{}}
}

// run rewrites the function.
func (c *code) run() {
	body := c.fn.Child[3]
	c.capture(body, 0)
	c.visit(body)
	c.redirect(body)
	body.Start = c.entry(body.Start)
	c.fn.Start = c.entry(c.fn.Start)
}

// entry is what to run in the place of a node.
func (c *code) entry(n *Node) *Node {
	for n != nil {
		to, ok := c.entries[n]
		if !ok {
			break
		}
		n = to
	}
	return n
}

func (c *code) redirect(n *Node) {
	n.Start, n.Tnext, n.Fnext = c.entry(n.Start), c.entry(n.Tnext), c.entry(n.Fnext)
	if n.Kind == kinds.funcLit {
		return
	}
	for _, x := range n.Child {
		c.redirect(x)
	}
}

// capture finds the variables of the frame whose memory something else may come to refer to. depth counts function
// literals.
func (ps *places) capture(n *Node, depth int) {
	if n.Kind == kinds.funcLit {
		depth++
	}
	switch g := gen(n); {
	case n.Kind == kinds.identExpr && n.Sym != nil && depth > 0 && n.Level == depth:
		ps.captured[n.Sym.Index] = true
	case depth > 0:
	case g == "addr" || g == "slice" || g == "slice0" || g == "getIndexBinPtrMethod" || g == "getIndexSeqPtrMethod" ||
		g == "getMethod":
		if len(n.Child) > 0 {
			if i := ps.base(n.Child[0]); i >= 0 {
				ps.captured[i] = true
			}
		}
	}
	for _, x := range n.Child {
		ps.capture(x, depth)
	}
}

// base is the place in the frame whose memory an expression is a part of, or -1.
func (ps *places) base(n *Node) int {
	for {
		g := gen(n)
		switch {
		case isVariable(n) && n.Level == 0:
			return n.Sym.Index
		case n.Kind == kinds.identExpr || n.Rval.IsValid() || n.Level != 0:
			return -1
		case n.Kind == kinds.parenExpr:
		case isField(g) && ps.kindOf(n.Child[0]) == reflect.Struct, g == "getIndexArray" &&
			ps.kindOf(n.Child[0]) == reflect.Array:
		case isField(g), g == "getIndexArray", g == "deref", strings.HasPrefix(g, "compositeBinStruct"),
			strings.HasPrefix(g, "compositeLit"):
			return -1 // behind a pointer or a slice, or memory of its own
		default:
			return n.Findex
		}
		n = n.Child[0]
	}
}

func (ps *places) kindOf(n *Node) reflect.Kind {
	if t := ps.typeOf(n); t != nil {
		return t.Kind()
	}
	return reflect.Invalid
}

// visit rewrites what is below a node, as much at a time as it can.
func (c *code) visit(n *Node) {
	if n.Kind == kinds.funcLit { // what is in it has been visited by itself
		c.literal(n)
		return
	}
	wait := c.guards.waitingCall(n)
	if c.attempt(n) {
		if wait != nil {
			noting(n, func(*Frame) *Wait { return wait })
		}
		return
	}
	g := gen(n)
	c.guards.check(n) // which may give the node a generator of its own
	switch g {        // once their operands are as they will be
	case "call":
		defer c.callLiteral(n)
	case "_range":
		defer c.loop(n)
	}
	places := 0 // how many of the first children are wanted for where they are, not for what they hold
	switch {
	case g == "addr" || g == "slice" || g == "slice0" || isField(g) || strings.Contains(g, "Method"):
		places = 1
	case n.Kind == kinds.assignStmt || n.Kind == kinds.assignXStmt || strings.HasSuffix(g, "Assign"):
		places = max(n.nleft, 1)
	case g == "inc" || g == "dec":
		places = 1
	case n.Kind == kinds.commClause: // what it waits for is run by the select
		n = n.Child[len(n.Child)-1]
	}
	for i, x := range n.Child {
		if i < places {
			if g == "assign" && c.isEntry(x) {
				x.Gen = proceed // yaegi reads an entry before it sets it to a constant
			}
			c.visitAddress(x)
		} else {
			c.visit(x)
		}
	}
}

// visitAddress rewrites what is below a node whose address is wanted, not its value.
func (c *code) visitAddress(n *Node) {
	switch g := gen(n); {
	case n.Kind == kinds.parenExpr || isField(g) && c.kindOf(n.Child[0]) == reflect.Struct:
		c.visitAddress(n.Child[0])
	case g == "getIndexArray":
		c.guards.check(n)
		if t := c.typeOf(n.Child[0]); t == nil || t.Kind() == reflect.Array {
			c.visitAddress(n.Child[0])
		} else {
			c.visit(n.Child[0])
		}
		c.visit(n.Child[1])
	case n.Kind == kinds.identExpr:
	default:
		if c.isEntry(n) {
			c.guards.watchMaps(n)
		}
		for _, x := range n.Child {
			c.visit(x)
		}
	}
}
