package display

import (
	"encoding/base64"
	"fmt"
	"image"
	"maps"
	"reflect"
)

// hook is a method by which a type provides a representation of its own.
type hook struct {
	method string
	mime   string
	call   func(v any) (content string, ok bool)
}

// hooks is the list of methods that Render looks for, besides MIMEBundle, Mime and the text methods.
var hooks = []hook{
	{"HTML", MIMEHTML, func(v any) (string, bool) {
		h, ok := v.(interface{ HTML() string })
		return call(ok, func() string { return h.HTML() })
	}},
	{"Markdown", MIMEMarkdown, func(v any) (string, bool) {
		h, ok := v.(interface{ Markdown() string })
		return call(ok, func() string { return h.Markdown() })
	}},
	{"LaTeX", MIMELaTeX, func(v any) (string, bool) {
		h, ok := v.(interface{ LaTeX() string })
		return call(ok, func() string { return h.LaTeX() })
	}},
	{"SVG", MIMESVG, func(v any) (string, bool) {
		h, ok := v.(interface{ SVG() string })
		return call(ok, func() string { return h.SVG() })
	}},
	{"PNG", MIMEPNG, func(v any) (string, bool) {
		h, ok := v.(interface{ PNG() []byte })
		return call(ok, func() string { return base64.StdEncoding.EncodeToString(h.PNG()) })
	}},
	{"JSON", MIMEJSON, func(v any) (string, bool) {
		h, ok := v.(interface{ JSON() string })
		return call(ok, func() string { return h.JSON() })
	}},
}

func call(ok bool, f func() string) (string, bool) {
	if !ok {
		return "", false
	}
	return f(), true
}

// Render returns v in every useful representation: always text/plain; HTML, images and others if v's type or methods
// provide them. It never panics: a panic in a method of v is reported in the text.
func Render(v any) Bundle {
	shown, note, ok := registered(v)
	if !ok {
		b := renderOwn(v)
		b[MIMEText] += note
		return b
	}
	if s, isText := shown.(string); isText {
		return Bundle{MIMEText: s}
	}
	return renderOwn(shown) // not Render: a function may show a value of its own type
}

// renderOwn renders a value without the registered functions.
func renderOwn(v any) Bundle {
	switch b := v.(type) {
	case nil:
		return Bundle{MIMEText: "nil"}
	case Bundle:
		return complete(b)
	case Methods:
		return b.bundle()
	case *Picture:
		if b != nil {
			return b.bundle()
		}
	case *Chart:
		if b != nil {
			return b.bundle()
		}
	case *Charts:
		if b != nil {
			return b.bundle()
		}
	case *Animation:
		if b != nil {
			return b.bundle()
		}
	case *Sound:
		if b != nil {
			return b.bundle()
		}
	case *Pages:
		if b != nil {
			return b.bundle()
		}
	}
	v = entries(v)
	out, notes := Bundle{}, ""
	if !isNil(v) {
		notes = guard(v, "TableCells", func() { maps.Copy(out, tabularBundle(v)) })
		if len(out) > 0 {
			return out
		}
		notes += runHooks(v, out)
		if img, ok := v.(image.Image); ok && len(out) == 0 && !isRectangle(v) {
			notes += guard(v, "image", func() { maps.Copy(out, pictureOf(img).bundle()) })
		}
		if len(out) == 0 {
			notes += guard(v, "Scan", func() { maps.Copy(out, sqlBundle(v)) })
		}
	}
	if len(out) == 0 && notes == "" && v != nil {
		notes += guard(v, "fields", func() {
			if text, ok := fileText(v); ok {
				out[MIMEText] = text
			} else if text, ok := treeOf(v); ok {
				out[MIMEText] = text
			}
		})
		if !isNil(v) && len(out) == 0 {
			notes += guard(v, "At", func() {
				if m := matrixOf(v); m != nil && !hasMethod(reflect.TypeOf(v)) {
					out[MIMEText] = m.text()
				}
			})
		}
		if len(out) > 0 {
			return out
		}
	}
	if _, ok := out[MIMEText]; !ok {
		out[MIMEText] = plainText(v)
	}
	out[MIMEText] += notes
	if len(out) == 1 && notes == "" {
		guard(v, "table", func() {
			if t := tableOf(reflect.ValueOf(v)); t != nil {
				out[MIMEHTML] = t.html()
			}
		})
	}
	return out
}

// isRectangle reports whether v is a rectangle, which is a picture, too, for whoever draws through it: the bounds of a
// picture are numbers.
func isRectangle(v any) bool {
	switch v.(type) {
	case image.Rectangle, *image.Rectangle:
		return true
	}
	return false
}

// runHooks adds the results of v's methods to out and returns a line for each method that panicked.
func runHooks(v any, out Bundle) (notes string) {
	if h, ok := v.(interface{ MIMEBundle() map[string]string }); ok {
		notes += guard(v, "MIMEBundle", func() { maps.Copy(out, h.MIMEBundle()) })
	}
	if h, ok := v.(interface{ Mime() map[string]string }); ok {
		notes += guard(v, "Mime", func() { maps.Copy(out, h.Mime()) })
	}
	for _, h := range hooks {
		notes += guard(v, h.method, func() {
			if content, ok := h.call(v); ok {
				out[h.mime] = content
			}
		})
	}
	return notes
}

// guard runs f, which calls a method of v, and returns a line about its panic, if any.
func guard(v any, method string, f func()) (note string) {
	defer func() {
		if r := recover(); r != nil {
			note = fmt.Sprintf("\n(method %s of %T panicked: %s)", method, v, panicText(r))
		}
	}()
	f()
	return ""
}

// panicText describes a panic's value even when its own methods panic.
func panicText(r any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T", r)
		}
	}()
	return elide(fmt.Sprint(r), maxCell)
}

// complete returns a copy of b that has text/plain.
func complete(b Bundle) Bundle {
	out := maps.Clone(b)
	if out == nil {
		out = Bundle{}
	}
	if _, ok := out[MIMEText]; ok {
		return out
	}
	for _, mime := range []string{MIMEMarkdown, MIMELaTeX, MIMEHTML, MIMEJSON} {
		if s, ok := out[mime]; ok {
			out[MIMEText] = elide(s, maxString)
			return out
		}
	}
	out[MIMEText] = fmt.Sprintf("display.Bundle with %d representations", len(b))
	return out
}

func isNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface,
		reflect.UnsafePointer:
		return r.IsNil()
	}
	return false
}
