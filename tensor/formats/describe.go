package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/internal/visible"
)

// Of a file with many tensors, String lists this many first and last ones.
const (
	listedFirst = 24
	listedLast  = 8
)

// String lists the tensors of the files, with their element types as files name them, shapes and bytes.
func (s *Safetensors) String() string {
	if len(s.files) == 0 {
		return "safetensors, closed"
	}
	var names, kinds []string
	bytes := int64(0)
	for _, f := range s.files {
		for _, e := range f.entries {
			names = append(names, e.name)
			kinds = append(kinds, shapeText(e.Shape)+" "+e.DType)
			bytes += e.Offsets[1] - e.Offsets[0]
		}
	}
	files := s.files[0].path
	if n := len(s.files); n > 1 {
		files = fmt.Sprintf("%d files", n)
	}
	return contents("safetensors, "+files, names, kinds, bytes)
}

// String lists the tensors of the file, with their formats, shapes and bytes, below the architecture and the name of
// the model, if the metadata has them.
func (g *GGUF) String() string {
	if g.byName == nil {
		return "GGUF, closed"
	}
	var names, kinds []string
	bytes := int64(0)
	for _, e := range g.entries {
		names = append(names, e.name)
		kinds = append(kinds, shapeText(e.shape)+" "+e.kind())
		bytes += e.bytes
	}
	head := fmt.Sprintf("GGUF %d, %s", g.Version, g.path)
	for _, key := range []string{"general.architecture", "general.name"} {
		if v, ok := g.Metadata[key].(string); ok {
			head += fmt.Sprintf(", %.80q", v)
		}
	}
	return contents(fmt.Sprintf("%s, %d entries of metadata", head, len(g.Metadata)), names, kinds, bytes)
}

func shapeText(shape []int) string { return strings.ReplaceAll(fmt.Sprint(shape), " ", ", ") }

// contents is a list of tensors below a head.
func contents(head string, names, kinds []string, bytes int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: tensors: %d, bytes: %d", head, len(names), bytes)
	width := 0
	names = slices.Clone(names)
	for i := range names {
		names[i] = strings.ReplaceAll(visible.Text(names[i]), "\n", `\n`)
	}
	shown := func(i int) bool { return i < listedFirst || i >= len(names)-listedLast }
	for i, name := range names {
		if shown(i) {
			width = max(width, len(name))
		}
	}
	for i, name := range names {
		switch {
		case shown(i):
			fmt.Fprintf(&b, "\n  %-*s  %s", width, name, kinds[i])
		case i == listedFirst:
			fmt.Fprintf(&b, "\n  … %d more", len(names)-listedFirst-listedLast)
		}
	}
	return b.String()
}
