package run

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
)

// printedWords is an interface as print writes it.
func printedWords(v any) string {
	w := interfaceWords(v)
	return fmt.Sprintf("(%#x,%#x)", w[0], w[1])
}

// printTo writes what the built-in functions print and println write: at once, as one piece.
func printTo(w io.Writer, between, end string, args []any) {
	var b []byte
	for i, v := range args {
		if i > 0 {
			b = append(b, between...)
		}
		b = appendPrinted(b, reflect.ValueOf(v))
	}
	_, _ = w.Write(append(b, end...)) // neither reports a standard error that is closed
}

// appendPrinted appends a value as the runtime prints it.
func appendPrinted(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.AppendFloat(b, v.Float(), 'g', -1, v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return append(b, strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())...)
	case reflect.String:
		return append(b, v.String()...)
	case reflect.Slice:
		return fmt.Appendf(b, "[%d/%d]%#x", v.Len(), v.Cap(), v.Pointer())
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Appendf(b, "%#x", v.Pointer())
	}
	return append(b, "(0x0,0x0)"...) // nothing else is let through by the compiler
}
