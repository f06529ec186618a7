package display

import (
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"sync"
)

// entries is the map that a sync.Map stands for, or v itself where it is no sync.Map.
func entries(v any) any {
	m, ok := v.(*sync.Map)
	if !ok && reflect.TypeOf(v) == reflect.TypeFor[sync.Map]() {
		p := reflect.New(reflect.TypeFor[sync.Map]())
		p.Elem().Set(reflect.ValueOf(v))
		m = p.Interface().(*sync.Map)
	}
	if m == nil {
		return v
	}
	all := map[any]any{}
	m.Range(func(key, value any) bool {
		all[key] = value
		return true
	})
	return all
}

// fileText is the name of an open file, or the mode, size, time and name of what describes one.
func fileText(v any) (text string, ok bool) {
	if isNil(v) {
		return "", false
	}
	switch f := v.(type) {
	case *os.File:
		return "file " + strconv.Quote(f.Name()), true
	case fs.FileInfo:
		if !hasMethod(reflect.TypeOf(v)) {
			return fs.FormatFileInfo(f), true
		}
	}
	return "", false
}
