package machine

import (
	"reflect"
	"runtime"
	"unsafe"
)

// nativeWorks says that compiled functions can be called by their words: that the compiler passes arguments as we think
// it does.
var nativeWorks = (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") && tryNative()

// tried has a bit of everything that a call can have.
type tried struct {
	n int64
	p *int
}

//go:noinline
func (t *tried) method(a int8, s string, x float64, b bool, l []byte, y float32) (string, int, error) {
	if t.n == 7 && a == -3 && s == "text" && x == 2.5 && b && len(l) == 2 && cap(l) == 5 && y == 1.5 {
		return s[1:], int(a) * len(l), errTried
	}
	return "", 0, nil
}

type triedError struct{}

func (triedError) Error() string { return "" }

var errTried error = triedError{}

// tryNative calls a method with many kinds of arguments.
func tryNative() bool {
	t := &tried{n: 7}
	fn := (*tried).method
	list := make([]byte, 2, 5)
	text := "text"
	small := int8(-3)
	var in argRegisters
	in.p[0] = unsafe.Pointer(t)
	in.n[1] = uintptr(small)
	in.p[2], in.n[3] = unsafe.Pointer(unsafe.StringData(text)), uintptr(len(text))
	in.n[4] = 1
	in.p[5], in.n[6], in.n[7] = unsafe.Pointer(&list[0]), uintptr(len(list)), uintptr(cap(list))
	in.x[0] = 2.5
	*(*float32)(unsafe.Pointer(&in.x[1])) = 1.5
	type results struct {
		s   string
		n   int
		err error
	}
	ps, ok := parts(reflect.TypeFor[results](), 0)
	if !ok || pattern(ps) != "pnnpp" {
		return false
	}
	var is [maxResults]byte
	copy(is[:], pattern(ps))
	out := with[results](*(*unsafe.Pointer)(unsafe.Pointer(&fn)), in, is)
	var got results
	for i, p := range ps {
		p.store(unsafe.Pointer(&got), out.p[i], out.n[i])
	}
	return got == results{"ext", -6, errTried}
}
