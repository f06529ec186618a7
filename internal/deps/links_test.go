package deps

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	mdCode     = regexp.MustCompile("`[^`\n]+`")
	mdLink     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	mdTestName = regexp.MustCompile(`\bTest[A-Z]\w*`)
	testFunc   = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
)

// TestLinks: every link of every page, to a file or to a heading, leads somewhere, and every test that a page names is
// there.
func TestLinks(t *testing.T) {
	var pages []string
	tests := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md"):
			pages = append(pages, path)
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
				tests[m[1]] = true
			}
		}
		return nil
	})
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	for _, page := range pages {
		text := withoutCode(t, page)
		for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(text, "code"), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: no file for the link %s", page, m[1])
			} else if anchor != "" && !headings(t, target)[anchor] {
				t.Errorf("%s: no heading for the link %s", page, m[1])
			}
		}
		for _, name := range mdTestName.FindAllString(text, -1) {
			if !tests[name] {
				t.Errorf("%s: there is no test %s", page, name)
			}
		}
	}
}

// headings are the anchors that GitHub gives the headings of a page.
func headings(t *testing.T, page string) map[string]bool {
	anchors := map[string]bool{}
	for _, m := range mdHeading.FindAllStringSubmatch(withoutCode(t, page), -1) {
		anchors[strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return anchors
}

// withoutCode is a page without its blocks of code, in which brackets are Go's.
func withoutCode(t *testing.T, page string) string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, part := range strings.Split(string(text), "```") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// TestReachable: every page for readers can be reached from the README by links.
func TestReachable(t *testing.T) {
	root := "../.."
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages", err)
	}
	pages = append(pages, filepath.Join(root, "ARCHITECTURE.md"), filepath.Join(root, "CONTRIBUTING.md"))
	seen := map[string]bool{}
	todo := []string{filepath.Join(root, "README.md")}
	for len(todo) > 0 {
		page := todo[0]
		todo = todo[1:]
		if seen[page] {
			continue
		}
		seen[page] = true
		for _, m := range mdLink.FindAllStringSubmatch(mdCode.ReplaceAllString(withoutCode(t, page), "code"), -1) {
			file, _, _ := strings.Cut(m[1], "#")
			if strings.HasSuffix(file, ".md") && !strings.Contains(file, "://") {
				todo = append(todo, filepath.Join(filepath.Dir(page), file))
			}
		}
	}
	for _, p := range pages {
		if !seen[p] {
			t.Errorf("%s cannot be reached from the README", p)
		}
	}
}
