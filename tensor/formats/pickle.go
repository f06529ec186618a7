package formats

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/gorocm/gorocm/tensor/limits"
)

// A pickle is a program that builds Python objects. This machine builds only data: None, bool, numbers, strings,
// lists, tuples and dicts. Calls are recorded and never made: readers know the few calls that mean something to them.
type (
	pyGlobal struct{ module, name string }
	pyCall   struct {
		fn    pyGlobal
		args  []any
		items *pyDict // what was set in what the call gives
		state any     // its attributes
	}
	pyTuple []any
	pyList  struct{ items []any }
	pyDict  struct{ keys, values []any }
	pyID    struct{ of any } // a persistent id: something outside of the pickle
	pyMark  struct{}
)

type unpickler struct {
	data  []byte
	at    int
	stack []any
	memo  map[uint32]any
}

// unpickle runs a pickle and returns the object that it builds.
func unpickle(data []byte) (v any, err error) {
	u := &unpickler{data: data, memo: map[uint32]any{}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(pickleError)
			if !ok {
				panic(r)
			}
			v, err = nil, fmt.Errorf("pickle: at byte %d: %w", u.at, e.error)
		}
	}()
	for {
		if v, done := u.step(); done {
			return v, nil
		}
		if most := limits.PickleValues.Value(); len(u.stack) > most || len(u.memo) > most {
			u.fail("%v", limits.PickleValues.Reached("there are more values"))
		}
	}
}

// brief is a value for an error message. Values may contain each other many times over, and are not written out.
func brief(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%.60q", v)
	case nil, bool, int64, float64:
		return fmt.Sprint(v)
	case pyTuple:
		if n, ok := integers(v); ok && len(n) <= 8 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("a tuple of %d", len(v))
	case pyGlobal:
		return fmt.Sprintf("%.60q.%.60q", v.module, v.name)
	case *pyCall:
		return "what " + brief(v.fn) + " makes"
	case *pyList:
		return fmt.Sprintf("a list of %d", len(v.items))
	case *pyDict:
		return fmt.Sprintf("a dict of %d", len(v.keys))
	}
	return fmt.Sprintf("a %T", v)
}

type pickleError struct{ error }

func (u *unpickler) fail(format string, args ...any) { panic(pickleError{fmt.Errorf(format, args...)}) }

func (u *unpickler) take(n int) []byte {
	if n < 0 || n > len(u.data)-u.at {
		u.fail("%d bytes are wanted, %d are left", n, len(u.data)-u.at)
	}
	u.at += n
	return u.data[u.at-n : u.at]
}

func (u *unpickler) number(n int) uint64 {
	var raw [8]byte
	copy(raw[:], u.take(n))
	return binary.LittleEndian.Uint64(raw[:])
}

func (u *unpickler) line() string {
	n := bytes.IndexByte(u.data[u.at:], '\n')
	if n < 0 {
		u.fail("a line does not end")
	}
	return string(u.take(n + 1)[:n])
}

func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

func (u *unpickler) pop() any {
	if len(u.stack) == 0 {
		u.fail("the stack is empty")
	}
	v := u.stack[len(u.stack)-1]
	u.stack = u.stack[:len(u.stack)-1]
	return v
}

func (u *unpickler) top() any {
	v := u.pop()
	u.push(v)
	return v
}

// marked pops the values that were pushed since the last mark.
func (u *unpickler) marked() []any {
	for i := len(u.stack) - 1; i >= 0; i-- {
		if _, ok := u.stack[i].(pyMark); ok {
			items := append([]any{}, u.stack[i+1:]...)
			u.stack = u.stack[:i]
			return items
		}
	}
	u.fail("there is no mark")
	return nil
}

func (u *unpickler) remember(n uint64) { u.memo[uint32(n)] = u.top() }

func (u *unpickler) recall(n uint64) {
	v, ok := u.memo[uint32(n)]
	if !ok {
		u.fail("nothing is remembered as %d", n)
	}
	u.push(v)
}

// step runs one instruction. done is true for the last one, with the object.
func (u *unpickler) step() (v any, done bool) {
	switch op := u.take(1)[0]; op {
	case '.': // STOP
		return u.pop(), true
	case 0x80: // PROTO
		u.take(1)
	case 0x95: // FRAME
		u.take(8)
	case '(':
		u.push(pyMark{})
	case '0': // POP
		u.pop()
	case '1': // POP_MARK
		u.marked()
	case '2': // DUP
		u.push(u.top())
	case 'N':
		u.push(nil)
	case 0x88:
		u.push(true)
	case 0x89:
		u.push(false)
	case 'I', 'L': // text of a number
		text := u.line()
		n, err := strconv.ParseInt(trimL(text), 10, 64)
		if err != nil {
			u.fail("%w", err)
		}
		u.push(n)
	case 'F':
		f, err := strconv.ParseFloat(u.line(), 64)
		if err != nil {
			u.fail("%w", err)
		}
		u.push(f)
	case 'J': // BININT
		u.push(int64(int32(u.number(4))))
	case 'K': // BININT1
		u.push(int64(u.number(1)))
	case 'M': // BININT2
		u.push(int64(u.number(2)))
	case 0x8a: // LONG1
		u.push(u.long(int(u.number(1))))
	case 0x8b: // LONG4
		u.push(u.long(int(int32(u.number(4)))))
	case 'G': // BINFLOAT
		u.push(math.Float64frombits(binary.BigEndian.Uint64(u.take(8))))
	case 'X', 'B', 'T': // BINUNICODE, BINBYTES, BINSTRING
		u.push(string(u.take(int(int32(u.number(4))))))
	case 0x8c, 'C', 'U': // short forms
		u.push(string(u.take(int(u.number(1)))))
	case 0x8d, 0x8e: // long forms
		u.push(string(u.take(int(int64(u.number(8))))))
	case ']':
		u.push(&pyList{})
	case '}', 0x8f: // EMPTY_DICT, EMPTY_SET
		u.push(&pyDict{})
	case ')':
		u.push(pyTuple{})
	case 't':
		u.push(pyTuple(u.marked()))
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		items := make(pyTuple, op-0x84)
		for i := len(items) - 1; i >= 0; i-- {
			items[i] = u.pop()
		}
		u.push(items)
	case 'l':
		u.push(&pyList{u.marked()})
	case 'd':
		items := u.marked()
		d := &pyDict{}
		u.setItems(d, items)
		u.push(d)
	default:
		u.object(op)
	}
	return nil, false
}

func trimL(s string) string {
	if n := len(s); n > 0 && s[n-1] == 'L' {
		return s[:n-1]
	}
	return s
}

func (u *unpickler) long(n int) any {
	if n > 8 {
		u.fail("a whole number of %d bytes", n)
	}
	raw := bytes.Clone(u.take(n))
	negative := n > 0 && raw[n-1]&0x80 != 0
	for i := range n / 2 {
		raw[i], raw[n-1-i] = raw[n-1-i], raw[i]
	}
	v := new(big.Int).SetBytes(raw)
	if negative {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v.Int64()
}

// object runs the instructions that add to objects, remember them, and call.
func (u *unpickler) object(op byte) {
	switch op {
	case 'a', 'e': // APPEND, APPENDS
		items := u.several(op == 'e', 1)
		list, ok := u.top().(*pyList)
		if !ok {
			u.fail("append to a %T", u.top())
		}
		list.items = append(list.items, items...)
	case 's', 'u': // SETITEM, SETITEMS
		u.setItems(u.after(op == 'u', 2))
	case 0x90: // ADDITEMS: a set, as a dict whose keys are its items
		items := u.marked()
		set, ok := u.top().(*pyDict)
		if !ok {
			u.fail("add items to a %T", u.top())
		}
		for _, item := range items {
			set.keys, set.values = append(set.keys, item), append(set.values, nil)
		}
	case 'p':
		n, err := strconv.ParseUint(u.line(), 10, 32)
		if err != nil {
			u.fail("%w", err)
		}
		u.remember(n)
	case 'q':
		u.remember(u.number(1))
	case 'r':
		u.remember(u.number(4))
	case 0x94: // MEMOIZE
		u.remember(uint64(len(u.memo)))
	case 'g':
		n, err := strconv.ParseUint(u.line(), 10, 32)
		if err != nil {
			u.fail("%w", err)
		}
		u.recall(n)
	case 'h':
		u.recall(u.number(1))
	case 'j':
		u.recall(u.number(4))
	case 'c': // GLOBAL
		module := u.line()
		u.push(pyGlobal{module, u.line()})
	case 0x93: // STACK_GLOBAL
		name, okName := u.pop().(string)
		module, okModule := u.pop().(string)
		if !okName || !okModule {
			u.fail("a name that is not text")
		}
		u.push(pyGlobal{module, name})
	case 'Q': // BINPERSID
		u.push(pyID{u.pop()})
	case 'R', 0x81: // REDUCE, NEWOBJ
		args, ok := u.pop().(pyTuple)
		fn, named := u.pop().(pyGlobal)
		if !ok || !named {
			u.fail("a call of something that is not a name, or without arguments")
		}
		u.push(&pyCall{fn: fn, args: args})
	case 'b': // BUILD: attributes
		state := u.pop()
		if c, ok := u.top().(*pyCall); ok {
			c.state = state
		}
	default:
		u.fail("the instruction %#x is unknown", op)
	}
}

// several takes one item, or those since the mark.
func (u *unpickler) several(marked bool, n int) []any {
	if marked {
		return u.marked()
	}
	items := make([]any, n)
	for i := n - 1; i >= 0; i-- {
		items[i] = u.pop()
	}
	return items
}

// after is several, with the object below the items first.
func (u *unpickler) after(marked bool, n int) (any, []any) {
	items := u.several(marked, n)
	return u.top(), items
}

// setItems adds keys and values to a dict, or to an object that is called for, such as an OrderedDict.
func (u *unpickler) setItems(to any, items []any) {
	d, ok := to.(*pyDict)
	if c, called := to.(*pyCall); called {
		if c.items == nil {
			c.items = &pyDict{}
		}
		d, ok = c.items, true
	}
	if !ok || len(items)%2 != 0 {
		u.fail("set items of a %T", to)
	}
	for i := 0; i < len(items); i += 2 {
		d.keys, d.values = append(d.keys, items[i]), append(d.values, items[i+1])
	}
}
