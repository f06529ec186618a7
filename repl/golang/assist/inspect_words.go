package assist

// word is what is to be known of a predeclared function or a keyword.
type word struct{ sig, doc string }

// builtins are the functions that the language defines: those that need no package, and those of unsafe.
var builtins = map[string]word{
	"append":  {"(slice []T, elems ...T) []T", "append adds elements to the end of a slice and returns the slice, which is a new array when the old one has no room:\n\n\ts = append(s, 1, 2)\n\ts = append(s, other...)"},
	"cap":     {"(v T) int", "cap returns the capacity of a slice, an array or a channel."},
	"clear":   {"(t T)", "clear deletes all entries of a map, or sets all elements of a slice to their zero value."},
	"close":   {"(c chan<- T)", "close closes a channel. Values that were sent before are still received; then receiving gives zero values at once. Sending on a closed channel, and closing it again, panics."},
	"complex": {"(r, i float64) complex128", "complex makes a complex number of its real and imaginary parts, which have the same float type."},
	"copy":    {"(dst, src []T) int", "copy copies elements from src to dst, as many as both have, and returns their number. The slices may overlap. src may be a string when dst is of bytes."},
	"delete":  {"(m map[K]V, key K)", "delete removes the entry of a key from a map. Without such an entry, or with a nil map, it does nothing."},
	"imag":    {"(c complex128) float64", "imag returns the imaginary part of a complex number."},
	"len":     {"(v T) int", "len returns the number of elements of a slice, array, map or channel, or of the bytes of a string."},
	"make":    {"(t T, size ...int) T", "make makes a slice (length, and capacity), a map (room for as many entries) or a channel (buffer size):\n\n\tmake([]int, 3, 10)\n\tmake(map[string]int)\n\tmake(chan int, 1)"},
	"max":     {"(x T, y ...T) T", "max returns the largest of its arguments. If one of them is NaN, the result is NaN."},
	"min":     {"(x T, y ...T) T", "min returns the smallest of its arguments. If one of them is NaN, the result is NaN."},
	"new":     {"(t T) *T", "new makes a variable, of a type with its zero value or with the value of an expression, and returns its address."},
	"panic":   {"(v any)", "panic stops the function: its deferred calls run, then those of its callers. recover in a deferred call ends that; otherwise the cell stops with the value as its error."},
	"print":   {"(args ...T)", "print writes its arguments to standard error, for debugging."},
	"println": {"(args ...T)", "println writes its arguments to standard error, with spaces between them and a newline, for debugging."},
	"real":    {"(c complex128) float64", "real returns the real part of a complex number."},
	"recover": {"() any", "recover, called by a deferred function, ends a panic and returns its value; without a panic it returns nil."},

	"Add":        {"(ptr unsafe.Pointer, len IntegerType) unsafe.Pointer", "Add returns the address that is so many bytes after another."},
	"Alignof":    {"(x T) uintptr", "Alignof returns what a variable's address is a multiple of. It is a constant."},
	"Offsetof":   {"(x T) uintptr", "Offsetof returns how many bytes a field, written s.f, begins after its struct. It is a constant."},
	"Sizeof":     {"(x T) uintptr", "Sizeof returns how many bytes a value takes, without what it refers to. It is a constant."},
	"Slice":      {"(ptr *T, len IntegerType) []T", "Slice returns a slice of the memory that begins where the pointer points to."},
	"SliceData":  {"(slice []T) *T", "SliceData returns a pointer to where the elements of a slice are."},
	"String":     {"(ptr *byte, len IntegerType) string", "String returns a string of the bytes that begin where the pointer points to. They must not change afterwards."},
	"StringData": {"(s string) *byte", "StringData returns a pointer to the bytes of a string. They must not be changed."},
}

// keywords are Go's.
var keywords = map[string]word{
	"break":       {"break [label]", "break ends the innermost for, switch or select, or the one with the label."},
	"case":        {"case value, …:", "case begins an alternative of a switch or a select."},
	"chan":        {"chan T, <-chan T, chan<- T", "chan is the type of channels: of both directions, to receive from, to send to."},
	"const":       {"const name [T] = value", "const declares constants. In a group, iota counts the lines from 0."},
	"continue":    {"continue [label]", "continue begins the next round of the innermost for, or of the one with the label."},
	"default":     {"default:", "default begins the alternative of a switch or select that is taken when no other is."},
	"defer":       {"defer f(x)", "defer calls a function when the surrounding one returns or panics; its arguments are evaluated now. In a cell, when the cell ends."},
	"else":        {"if … { … } else { … }", "else is what runs when the condition is false."},
	"fallthrough": {"fallthrough", "fallthrough goes on with the next case of a switch."},
	"for":         {"for [init; ] [cond] [; post] { … }", "for is Go's loop:\n\n\tfor i := 0; i < n; i++ { … }\n\tfor cond { … }\n\tfor i, x := range xs { … }\n\tfor i := range 10 { … }\n\tfor { … }"},
	"func":        {"func name(params) results { … }", "func declares a function or a method; without a name it is a function's value or type."},
	"go":          {"go f(x)", "go calls a function in a new goroutine. It goes on after its cell has ended."},
	"goto":        {"goto label", "goto goes on at the label, in the same function."},
	"if":          {"if [init; ] cond { … } [else { … }]", "if runs a block when the condition is true."},
	"import":      {"import [name] \"path\"", "import makes a package known. Cells import the standard library and gorocm's packages by using their names."},
	"interface":   {"interface { Method(params) results; … }", "interface is the type of all values that have its methods; any is interface{}."},
	"map":         {"map[K]V", "map is the type of hash tables from K to V:\n\n\tm := map[string]int{\"a\": 1}\n\tv, ok := m[\"b\"]"},
	"package":     {"package name", "package names the package of a file. Cells need none."},
	"range":       {"for key, value := range x", "range goes over a slice, array, string, map, channel, integer or iterator function."},
	"return":      {"return [values]", "return ends the function with its results."},
	"select":      {"select { case v := <-c: … }", "select waits until one of several channel operations can go on; with default it does not wait."},
	"struct":      {"struct { Name T `tag`; … }", "struct is the type of values with named fields."},
	"switch":      {"switch [init; ] [value] { case …: }", "switch runs the first case that equals the value, or that is true:\n\n\tswitch x := v.(type) { case int: … }"},
	"type":        {"type Name T, type Name = T", "type declares a new type, or with = another name of a type."},
	"var":         {"var name [T] [= value]", "var declares variables."},
}
