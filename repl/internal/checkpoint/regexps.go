package checkpoint

import (
	"reflect"
	"regexp"
	"unsafe"
)

// Regexp.MarshalText is the expression alone. Before that of a regular expression that prefers leftmost-longest matches
// comes a byte that no expression can begin with, since expressions are UTF-8.
const (
	longestMark = 0xfe // of Compile and Longest
	posixMark   = 0xff // of CompilePOSIX
)

func writeRegexp(re *regexp.Regexp) []byte {
	text := re.String()
	if !regexpField(re, "longest").Bool() {
		return []byte(text)
	}
	posix, err := regexp.CompilePOSIX(text)
	if err == nil && reflect.DeepEqual(regexpField(posix, "prog").Interface(), regexpField(re, "prog").Interface()) {
		return append([]byte{posixMark}, text...)
	}
	return append([]byte{longestMark}, text...)
}

func readRegexp(re *regexp.Regexp, text []byte) (err error) {
	made, mark := (*regexp.Regexp)(nil), byte(0)
	if len(text) > 0 && text[0] >= longestMark {
		mark, text = text[0], text[1:]
	}
	if mark == posixMark {
		made, err = regexp.CompilePOSIX(string(text))
	} else {
		made, err = regexp.Compile(string(text))
	}
	if err != nil {
		return err
	}
	*re = *made
	if mark == longestMark {
		re.Longest()
	}
	return nil
}

// regexpField is a field that is not exported.
func regexpField(re *regexp.Regexp, name string) reflect.Value {
	f := reflect.ValueOf(re).Elem().FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}
