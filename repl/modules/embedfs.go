package modules

import (
	"cmp"
	"embed"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// FS reads the embedded files into a value of the variable's type. The error says which file cannot be read, or that
// the running Go lays embed.FS out in a way that is not known here.
func (e Embed) FS() (embed.FS, error) {
	var r embed.FS
	data := map[string]string{}
	for name, file := range e.Files {
		b, err := os.ReadFile(file)
		if err != nil {
			return r, fmt.Errorf("embedded file %s: %w", name, err)
		}
		data[name] = string(b)
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			data[dir+"/"] = ""
		}
	}
	names := make([]string, 0, len(data))
	for name := range data {
		names = append(names, name)
	}
	// As embed's documentation of its sort order says: by folder, then by name in the folder.
	slices.SortFunc(names, func(a, b string) int {
		a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
		return cmp.Or(cmp.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(path.Base(a), path.Base(b)))
	})

	// embed.FS is struct { files *[]file }, and file is struct { name string; data string; hash [16]byte }: the linker
	// writes them.
	fs := reflect.ValueOf(&r).Elem()
	if fs.NumField() != 1 || fs.Field(0).Type().Kind() != reflect.Pointer ||
		fs.Field(0).Type().Elem().Kind() != reflect.Slice {
		return r, fmt.Errorf("embed.FS has another form in this version of Go")
	}
	list := reflect.New(fs.Field(0).Type().Elem())
	files := reflect.MakeSlice(list.Type().Elem(), len(names), len(names))
	file := files.Type().Elem()
	if file.Kind() != reflect.Struct || file.NumField() != 3 || file.Field(0).Type.Kind() != reflect.String ||
		file.Field(1).Type.Kind() != reflect.String {
		return r, fmt.Errorf("embed.FS has another form in this version of Go")
	}
	for i, name := range names {
		at := files.Index(i)
		*(*string)(at.Field(0).Addr().UnsafePointer()) = name
		*(*string)(at.Field(1).Addr().UnsafePointer()) = data[name]
	}
	list.Elem().Set(files)
	*(*unsafe.Pointer)(fs.Field(0).Addr().UnsafePointer()) = list.UnsafePointer()
	return r, nil
}
