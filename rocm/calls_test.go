package rocm

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestCallNames: the names by which Device.call reports failures are fields of the driver's table.
func TestCallNames(t *testing.T) {
	named := regexp.MustCompile(`\.call\("(\w+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	table, found := reflect.TypeFor[driver.Table](), 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if found++; !hasField(table, m[1]) {
				t.Errorf("%s calls %q, which is not a field of driver.Table", file, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("%d calls found only", found)
	}
}

func hasField(table reflect.Type, name string) bool {
	_, ok := table.FieldByName(name)
	return ok
}
