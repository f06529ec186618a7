package diffusion

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
)

// config is a file of JSON. A key that nothing has read could change the picture, so end names it.
type config struct {
	name string // of the file, for errors
	keys map[string]json.RawMessage
	read map[string]bool
	err  error // the first one
}

// readConfig reads a file of a folder, such as unet/config.json.
func readConfig(folder string, name ...string) (*config, error) {
	path := filepath.Join(name...)
	c := &config{name: filepath.ToSlash(path), read: map[string]bool{}}
	if err := parts.ReadJSON(filepath.Join(folder, path), &c.keys); err != nil {
		return nil, err
	}
	return c, nil
}

// fail keeps the first error.
func (c *config) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("diffusion: %s: "+format, append([]any{c.name}, args...)...)
	}
}

// is reports whether there is a key whose value is not null.
func (c *config) is(key string) bool {
	c.read[key] = true
	text, ok := c.keys[key]
	return ok && string(text) != "null"
}

// value is that of a key, or the usual one where there is none, or null.
func value[T any](c *config, key string, usual T) T {
	if !c.is(key) {
		return usual
	}
	v := usual
	if err := json.Unmarshal(c.keys[key], &v); err != nil {
		c.fail("%s is %s: want a value as %v", key, c.keys[key], usual)
		return usual
	}
	return v
}

// values is a list of n values: that of a key, or one value, which stands for all.
func values[T any](c *config, key string, n int, usual T) []T {
	var list []T
	if c.is(key) && json.Unmarshal(c.keys[key], &list) == nil {
		if len(list) != n {
			c.fail("%s has %d values: want %d", key, len(list), n)
			return slices.Repeat([]T{usual}, n)
		}
		return list
	}
	return slices.Repeat([]T{value(c, key, usual)}, n)
}

// between is a number of a key, which must be one of those from least to most.
func (c *config) between(key string, usual, least, most int) int {
	n := value(c, key, usual)
	if n < least || n > most {
		c.fail("%s is %d: want %d to %d", key, n, least, most)
		return usual
	}
	return n
}

// only refuses other values of a key than these, of which the first is the usual one. null is as false.
func (c *config) only(key string, allowed ...any) {
	text, ok := c.keys[key]
	c.read[key] = true
	if !ok {
		return
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		c.fail("%s: %v", key, err)
		return
	}
	for _, a := range allowed {
		if reflect.DeepEqual(a, v) || a == false && v == nil {
			return
		}
	}
	var want []string
	for _, a := range allowed {
		b, _ := json.Marshal(a)
		want = append(want, string(b))
	}
	c.fail("%s is %s, which is not supported: want %s", key, text, strings.Join(want, " or "))
}

// ignore accepts keys whose values do not change pictures.
func (c *config) ignore(keys ...string) {
	for _, key := range keys {
		c.read[key] = true
	}
}

// end returns the first error: of a value, or of a key that nothing has read.
func (c *config) end() error {
	for _, key := range slices.Sorted(maps.Keys(c.keys)) {
		if !c.read[key] && !strings.HasPrefix(key, "_") && string(c.keys[key]) != "null" {
			c.fail("the key %s (%s) is not known, and may change pictures", key, short(c.keys[key]))
		}
	}
	return c.err
}

// short is the beginning of a text.
func short(text []byte) string {
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}

// longest is how much of a value errors have.
const longest = 60
