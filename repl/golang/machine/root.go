package machine

import (
	"reflect"
	"slices"
	"unsafe"
)

// attempt gives a node, with as much of what is below it as can be, one closure. It reports whether it could.
func (c *code) attempt(n *Node) bool {
	if n.Gen == nil {
		return false
	}
	if gen(n) == "call" {
		if c.call(n) {
			return true
		}
		c.guards.noteSigns(n)
		return false
	}
	c.leaves, c.guarded = nil, 0
	var make func(next, other Step) Step
	if n.Fnext != nil {
		make = c.branch(n)
	} else if do := c.statement(n); do != nil {
		make = func(next, _ Step) Step {
			return func(f *Frame) Step {
				do(f)
				return next
			}
		}
	}
	if make == nil {
		return gen(n) == "callBin" && c.native(n)
	}
	c.install(n, func(n *Node) {
		n.Exec = make(exec(n.Tnext), exec(n.Fnext))
	})
	return true
}

// exec is what yaegi has made, or will have made, of what follows a node.
func exec(n *Node) Step {
	if n == nil {
		return nil
	}
	return n.Exec
}

// install takes the nodes below n out of the graph, but for the leaves.
func (c *code) install(n *Node, generate func(*Node)) {
	n.Gen = generate
	first, leaves := n, c.leaves
	for i, leaf := range leaves {
		leaf.Tnext = n
		if i+1 < len(leaves) {
			leaf.Tnext = leaves[i+1].Start
		}
	}
	if len(leaves) > 0 {
		first = leaves[0].Start
	}
	if n.Start != nil && n.Start != first {
		c.entries[n.Start] = first
	}
	for _, leaf := range leaves {
		c.visit(leaf)
	}
}

// branch compiles a condition.
func (c *code) branch(n *Node) func(next, other Step) Step {
	var get func(*Frame) bool
	switch g := gen(n); {
	case g == "branch" && n.Kind == kinds.identExpr && isVariable(n):
		get = stored[bool](c, n.Level, n.Sym.Index).get
	case isCondition(g) || isRead(g):
		if x := value(c, n, boolOperators); x != nil && len(c.leaves) == 0 ||
			x != nil && c.leaves[len(c.leaves)-1] != n {
			get = x.get
		}
	}
	if get == nil {
		return nil
	}
	if n.Anc.Kind == kinds.parenExpr || gen(n.Anc) == "land" || gen(n.Anc) == "lor" || gen(n.Anc) == "not" {
		if gen(n) == "branch" {
			return nil
		}
		i, up := n.Findex, frameUp(n.Level)
		if kindIn(c.slotType(n.Level, i)) != reflect.Bool {
			return nil
		}
		return func(next, other Step) Step {
			return func(f *Frame) Step {
				v := get(f)
				*at[bool](up(f), i) = v
				if v {
					return next
				}
				return other
			}
		}
	}
	return func(next, other Step) Step {
		return func(f *Frame) Step {
			if get(f) {
				return next
			}
			return other
		}
	}
}

// statement compiles what a node does, or returns nil.
func (c *code) statement(n *Node) func(*Frame) {
	switch g := gen(n); {
	case g == "assign":
		return c.assign(n)
	case g == "nop" && n.Kind == kinds.assignStmt && n.Child[0].Kind != kinds.identExpr &&
		operations[gen(n.Child[len(n.Child)-1])]:
		return c.assign(n) // the operator would have left its result in the place
	case g == "nop" && n.Kind == kinds.assignStmt && n.nleft == 1 && n.nright == 1 && isRead(gen(n.Child[0])) &&
		n.Child[1].Kind == kinds.callExpr:
		return c.assignCall(n)
	case g == "inc" || g == "dec":
		return c.step(n, g)
	case changes[g]:
		return c.change(n, g)
	case g == "_return":
		return c.result(n)
	case g == "reset":
		return c.reset(n)
	case isCondition(g) || isRead(g) || g == "getIndexMap" || g == "_len" || g == "_append" || g == "slice" ||
		g == "slice0" || operations[g]:
		return c.computation(n)
	case g == "callBin" && n.Findex >= 0 && n.Anc.Kind != kinds.deferStmt && n.Anc.Kind != kinds.goStmt &&
		n.Anc.Kind != kinds.assignXStmt && n.Anc.Kind != kinds.defineXStmt && n.Anc.Kind != kinds.returnStmt:
		return c.computation(n)
	case g == "convert":
		if t := c.typeOf(n); t != nil && t.PkgPath() == "" {
			return c.computation(n)
		}
	}
	return nil
}

// isCondition reports whether a generator is one of an operator with a boolean result.
func isCondition(gen string) bool {
	return comparisons[gen] || gen == "not" || gen == "land" || gen == "lor" || gen == "isNilChild" || gen == "isNotNil"
}

// isRead reports whether a generator is one of an element, a field or what a pointer points to.
func isRead(gen string) bool { return gen == "getIndexArray" || gen == "deref" || isField(gen) }

// operations and changes are the generators of the operators of numbers and strings, and of the assignments with them.
var operations = map[string]bool{"add": true, "sub": true, "mul": true, "quo": true, "rem": true, "and": true,
	"or": true, "xor": true, "andNot": true,
	"shl": true, "shr": true, "neg": true, "bitNot": true}

var changes = map[string]bool{"addAssign": true, "subAssign": true, "mulAssign": true, "quoAssign": true,
	"remAssign": true, "andAssign": true, "orAssign": true,
	"xorAssign": true, "andNotAssign": true, "shlAssign": true, "shrAssign": true}

// computation compiles a node that leaves a value in its place in the frame.
func (c *code) computation(n *Node) func(*Frame) {
	t := c.slotType(n.Level, n.Findex)
	s, ok := shapes[kindIn(t)]
	if !ok || kindIn(t) != kindIn(c.typeOf(n)) {
		return nil
	}
	do := s.store(c, n, n.Level, n.Findex)
	if do == nil || len(c.leaves) > 0 && c.leaves[len(c.leaves)-1] == n {
		return nil
	}
	return do
}

// assign compiles an assignment of one value.
func (c *code) assign(n *Node) func(*Frame) {
	if n.nleft != 1 || n.nright != 1 {
		return nil
	}
	dst, src := n.Child[0], n.Child[len(n.Child)-1]
	t := c.typeOf(dst)
	s, ok := shapes[kindIn(t)]
	if !ok || dst.Ident == "_" {
		return nil
	}
	if u := c.typeOf(src); u == nil && !isConstant(src) || u != nil && u.Kind() != t.Kind() {
		return nil
	}
	if n.Kind == kinds.defineStmt || dst.Kind == kinds.identExpr {
		if dst.Kind != kinds.identExpr || dst.Level != 0 && n.Kind == kinds.defineStmt || isSymbol(dst) {
			return nil
		}
		i, level := dst.Findex, dst.Level
		if n.Kind != kinds.defineStmt && isVariable(dst) {
			i = dst.Sym.Index
		} else if level != 0 || c.captured[i] {
			return nil // a new variable each time
		}
		if c.slotType(level, i) != t {
			return nil
		}
		return s.store(c, src, level, i)
	}
	if c.isEntry(dst) {
		return s.setEntry(c, src, dst)
	}
	to := c.address(dst)
	if to == nil {
		return nil
	}
	return s.assign(c, src, to)
}

// assignCall compiles an assignment of a call's result to an element or a field. The call would have left it in the
// place, which must not be looked for before the call has ended.
func (c *code) assignCall(n *Node) func(*Frame) {
	call, types := n.Child[1], c.fn.Types
	index, level := call.Findex, call.Level
	call.Findex, call.Level = len(types), 0
	c.fn.Types = append(types[:len(types):len(types)], c.typeOf(n.Child[0]))
	do := c.assign(n)
	if do == nil || len(c.leaves) == 0 || c.leaves[len(c.leaves)-1] != call {
		call.Findex, call.Level, c.fn.Types = index, level, types
		return nil
	}
	if isNumber(c.typeOf(call)) {
		return do
	}
	at := call.Findex
	return func(f *Frame) {
		do(f)
		if v := f.Data[at]; v.CanSet() { // a function literal may keep the frame
			v.SetZero()
		}
	}
}

// change compiles an assignment with an operator.
func (c *code) change(n *Node, op string) func(*Frame) {
	dst, src := n.Child[0], n.Child[len(n.Child)-1]
	s, ok := shapes[kindIn(c.typeOf(dst))]
	if !ok {
		return nil
	}
	if u := c.typeOf(src); u != nil && op != "shlAssign" && op != "shrAssign" && u.Kind() != c.typeOf(dst).Kind() {
		return nil
	}
	if c.isEntry(dst) {
		if op != "addAssign" {
			return nil
		}
		return c.changeEntry(dst, src)
	}
	to := c.address(dst)
	if to == nil {
		return nil
	}
	slot := -1
	if isVariable(dst) && dst.Level == 0 {
		slot = dst.Sym.Index
	}
	return s.change(c, op, src, to, slot)
}

// step compiles ++ and --.
func (c *code) step(n *Node, op string) func(*Frame) {
	dst := n.Child[0]
	d := 1
	if op == "dec" {
		d = -1
	}
	if c.isEntry(dst) {
		return c.stepEntry(dst, d)
	}
	to := c.address(dst)
	if to == nil {
		return nil
	}
	if isVariable(dst) && dst.Level == 0 && kindIn(c.typeOf(dst)) == reflect.Int {
		i := dst.Sym.Index
		return func(f *Frame) { *at[int](f, i) += d }
	}
	switch kindIn(c.typeOf(dst)) {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(f *Frame) { *(*int)(to(f)) += d }
	case reflect.Int32, reflect.Uint32:
		return func(f *Frame) { *(*int32)(to(f)) += int32(d) }
	case reflect.Int16, reflect.Uint16:
		return func(f *Frame) { *(*int16)(to(f)) += int16(d) }
	case reflect.Int8, reflect.Uint8:
		return func(f *Frame) { *(*int8)(to(f)) += int8(d) }
	case reflect.Float64:
		return func(f *Frame) { *(*float64)(to(f)) += float64(d) }
	case reflect.Float32:
		return func(f *Frame) { *(*float32)(to(f)) += float32(d) }
	}
	return nil
}

// reset compiles the declaration of variables without values.
func (c *code) reset(n *Node) func(*Frame) {
	if len(n.Child) != 2 {
		return nil
	}
	i := n.Child[0].Findex
	t := c.slotType(0, i)
	if t == nil || c.captured[i] || n.Child[0].Level != 0 {
		return nil
	}
	if _, ok := shapes[kindIn(t)]; !ok || kindIn(t) == reflect.Pointer {
		return nil
	}
	size := t.Size()
	if t.Kind() == reflect.String || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.String {
			return func(f *Frame) { *at[string](f, i) = "" }
		}
		return func(f *Frame) { *at[slice](f, i) = slice{} }
	}
	return func(f *Frame) { clear(unsafe.Slice(at[byte](f, i), size)) }
}

// result compiles a return of values that are not in their places already.
func (c *code) result(n *Node) func(*Frame) {
	if len(n.Child) == 0 {
		return nil
	}
	if x := n.Child[0]; len(n.Child) == 1 &&
		(x.Kind == kinds.binaryExpr || x.Kind == kinds.callExpr && gen(x) != "convert") {
		return nil // which leaves its value in the result
	}
	if len(n.Child) > 1 && c.mentionsResult(n) {
		return nil
	}
	var do []func(*Frame)
	for i, x := range n.Child {
		t := c.slotType(0, i)
		s, ok := shapes[kindIn(t)]
		if !ok || !isConstant(x) && kindIn(c.typeOf(x)) != kindIn(t) {
			return nil
		}
		d := s.store(c, x, 0, i)
		if d == nil {
			return nil
		}
		do = append(do, d)
	}
	if len(do) == 1 {
		return do[0]
	}
	return func(f *Frame) {
		for _, d := range do {
			d(f)
		}
	}
}

// mentionsResult reports whether there is one of the function's results below a node.
func (ps *places) mentionsResult(n *Node) bool {
	if isVariable(n) && n.Level == 0 && n.Sym.Index < results(ps.fn) {
		return true
	}
	return slices.ContainsFunc(n.Child, ps.mentionsResult)
}
