package modules

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// embed notes the variables of a file that //go:embed lines give their initial values.
func (r *parsed) embed(p *Package, f *ast.File) error {
	if len(p.Embedded) == 0 {
		return nil
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			var patterns []string
			for _, doc := range []*ast.CommentGroup{g.Doc, v.Doc} {
				if doc != nil && (doc == v.Doc || len(g.Specs) == 1) {
					patterns = append(patterns, embedPatterns(doc)...)
				}
			}
			if len(patterns) == 0 || len(v.Names) != 1 || v.Type == nil {
				continue
			}
			files := map[string]string{}
			for _, name := range p.Embedded {
				for _, pattern := range patterns {
					if embeds(pattern, name) {
						files[name] = filepath.Join(p.Dir, filepath.FromSlash(name))
					}
				}
			}
			if sel, ok := v.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "FS" {
				r.embeds[v.Names[0]] = Embed{Files: files}
				continue
			}
			for name, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					return failure(fmt.Sprintf("%s embeds %s, which cannot be read: %v", p.Path, name, err))
				}
				r.embeds[v.Names[0]] = Embed{Text: text}
			}
		}
	}
	return nil
}

// embedPatterns are those of the //go:embed lines of a comment.
func embedPatterns(doc *ast.CommentGroup) []string {
	var r []string
	for _, c := range doc.List {
		text, ok := strings.CutPrefix(c.Text, "//go:embed ")
		for text = strings.TrimSpace(text); ok && text != ""; text = strings.TrimSpace(text) {
			if quoted, err := strconv.QuotedPrefix(text); err == nil {
				if s, err := strconv.Unquote(quoted); err == nil {
					r = append(r, s)
				}
				text = text[len(quoted):]
				continue
			}
			word, rest, _ := strings.Cut(text, " ")
			r, text = append(r, word), rest
		}
	}
	return r
}

// embeds reports whether a pattern means a file: it matches the file, or a folder around it in which nothing on the way
// to the file begins with a dot or an underscore.
func embeds(pattern, file string) bool {
	pattern, all := strings.CutPrefix(pattern, "all:")
	if ok, err := path.Match(pattern, file); ok && err == nil {
		return true
	}
	for dir, below := path.Dir(file), path.Base(file); ; dir, below = path.Dir(dir), path.Base(dir) {
		if !all && (below[0] == '.' || below[0] == '_') {
			return false
		}
		if ok, err := path.Match(pattern, dir); ok && err == nil {
			return true
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}
