package symbols

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/display"
)

// TestShown: no value of a type of tensor's packages is shown by its private fields, on the last line of a cell.
func TestShown(t *testing.T) {
	types := 0
	for path, names := range Symbols {
		if !strings.HasPrefix(path, "github.com/gorocm/gorocm/tensor") {
			continue
		}
		for name, v := range names {
			if v.Kind() != reflect.Pointer || v.Type().Elem().Kind() != reflect.Struct || !v.IsNil() {
				continue
			}
			typ := v.Type().Elem()
			types++
			text := display.Render(reflect.New(typ).Interface())[display.MIMEText]
			for i := range typ.NumField() {
				if f := typ.Field(i); !f.IsExported() && regexp.MustCompile(`[{ ]`+f.Name+`:`).MatchString(text) {
					t.Errorf("%s.%s is shown with its field %s: %.200s", path, name, f.Name, text)
					break
				}
			}
		}
	}
	if types < 100 {
		t.Errorf("%d types", types)
	}
}
