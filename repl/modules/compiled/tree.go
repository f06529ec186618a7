package compiled

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/gorocm/gorocm/internal/tables"
)

// The source of a program is a folder with gorocm's own packages, and everything else in its vendor folder. The modules
// that gorocm itself needs have other import paths there, with hostPrefix before them, so that a session's modules have
// exactly the versions of the session's go.mod. Each included package has one file more, with its table.

const (
	hostPrefix = "gorocm.host/"
	modulePath = "github.com/gorocm/gorocm"
	intoPath   = modulePath + "/repl/golang/included"
	tableFile  = "gorocm_table_included.go"
)

// tree is such a folder.
type tree struct {
	dir     string
	own     *source
	plan    *plan
	has     func(string) bool
	renamed map[string]string // import paths of packages that gorocm needs
}

// write writes the folder. goMod is gorocm's go.mod.
func (t *tree) write(goMod []byte, key string) error {
	t.renamed = map[string]string{}
	for _, p := range t.own.host {
		if !p.Standard && !p.Module.Main && !t.has(p.ImportPath) {
			t.renamed[p.ImportPath] = hostPrefix + p.ImportPath
		}
	}
	for _, p := range t.own.host {
		switch {
		case p.Standard:
		case p.Module.Main:
			rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, modulePath), "/")
			if err := t.copy(p, filepath.FromSlash(rel), true); err != nil {
				return err
			}
		default:
			at := cmp.Or(t.renamed[p.ImportPath], p.ImportPath)
			if err := t.copy(p, filepath.Join("vendor", filepath.FromSlash(at)), true); err != nil {
				return err
			}
		}
	}
	for _, p := range t.plan.packages {
		at := filepath.Join("vendor", filepath.FromSlash(p.ImportPath))
		if err := t.copy(p, at, false); err != nil {
			return err
		}
		if text := t.plan.hiddenSource(p); text != nil {
			if err := t.put(filepath.Join(at, hiddenFile), text); err != nil {
				return err
			}
		}
		src, err := tables.Own(t.plan.types[p.ImportPath], intoPath).Source("go1.21")
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if err := t.put(filepath.Join(at, tableFile), src); err != nil {
			return err
		}
	}
	if err := t.writeMain(key); err != nil {
		return err
	}
	return t.writeModFiles(goMod)
}

func (t *tree) put(name string, data []byte) error {
	file := filepath.Join(t.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// copy copies a package's files. Rename says that what it imports may have another path.
func (t *tree) copy(p *listed, to string, rename bool) error {
	global := map[string]bool{}
	if rename {
		if err := globals(p, global); err != nil {
			return err
		}
	}
	for _, name := range p.files() {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		if rename && strings.HasSuffix(name, ".go") && slices.Contains(p.GoFiles, name) {
			if text, err = t.rename(name, text); err != nil {
				return fmt.Errorf("%s: %w", p.ImportPath, err)
			}
		}
		if !rename && slices.Contains(p.GoFiles, name) {
			text = registers(name, text)
		}
		if len(global) > 0 && !strings.HasSuffix(name, ".go") && !slices.Contains(p.EmbedFiles, name) {
			text = word.ReplaceAllFunc(text, func(w []byte) []byte {
				if global[string(w)] {
					return slices.Concat([]byte("gorocm_host_"), w)
				}
				return w
			})
		}
		if err := t.put(filepath.Join(to, name), text); err != nil {
			return err
		}
	}
	return nil
}

// A constant of assembly belongs to no package: that of a module in two versions would be there twice.
var (
	constants = regexp.MustCompile(`(?m)^[ \t]*GLOBL[ \t]+([A-Za-z_][A-Za-z0-9_]*)\(SB\)`)
	word      = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
)

// globals notes the constants of a package's assembly that have no package before their names and are not of one file.
func globals(p *listed, names map[string]bool) error {
	for _, name := range p.SFiles {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		for _, m := range constants.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
	}
	return nil
}

var linkname = regexp.MustCompile(`(?m)^(//go:linkname[ \t]+\S+[ \t]+)(\S+)`)

// rename gives the imports of a file of gorocm's, or of a module that gorocm needs, their paths in the tree.
func (t *tree) rename(name string, text []byte) ([]byte, error) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	last := 0
	for _, i := range f.Imports {
		old, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		if now := t.renamed[old]; now != "" {
			at := int(i.Path.Pos() - f.FileStart)
			b.Write(text[last:at])
			b.WriteString(strconv.Quote(now))
			last = at + len(i.Path.Value)
		}
	}
	b.Write(text[last:])
	return linkname.ReplaceAllFunc(b.Bytes(), func(line []byte) []byte {
		m := linkname.FindSubmatch(line)
		dir, base := path.Split(string(m[2]))
		pkg, _, _ := strings.Cut(base, ".")
		if t.renamed[dir+strings.ReplaceAll(pkg, "%2e", ".")] == "" {
			return line
		}
		return slices.Concat(m[1], []byte(hostPrefix), m[2])
	}), nil
}

// writeMain adds the file that links the packages to gorocm's program, and the types that it embeds.
func (t *tree) writeMain(key string) error {
	archive, err := t.archive()
	if err != nil {
		return err
	}
	const folder, name = "cmd/gorocm", "included"
	if err := t.put(filepath.Join(folder, name+".zip"), archive); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n_ \"embed\"\n\nincluded %q\n\n", intoPath)
	versions := map[string]string{}
	for _, p := range t.plan.packages {
		versions[p.Module.Path] = p.version()
		if !internal(p.ImportPath) {
			fmt.Fprintf(&b, "_ %q\n", p.ImportPath)
		}
	}
	fmt.Fprintf(&b, ")\n\n//go:embed %s.zip\nvar includedArchive []byte\n\nfunc init() {\n"+
		"included.Archive, included.Key = includedArchive, %q\nincluded.Versions = map[string]string{\n", name, key)
	for _, m := range slices.Sorted(maps.Keys(versions)) {
		fmt.Fprintf(&b, "%q: %q,\n", m, versions[m])
	}
	b.WriteString("}\nincluded.Refused = map[string]bool{\n")
	for _, p := range t.plan.packages {
		if t.plan.refused[p.ImportPath] {
			fmt.Fprintf(&b, "%q: true,\n", p.ImportPath)
		}
	}
	b.WriteString("}\n}\n")
	return t.put(filepath.Join(folder, name+".go"), b.Bytes())
}

// archive has the types and the documentation of the packages, in the form of library's.
func (t *tree) archive() ([]byte, error) {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, p := range t.plan.packages {
		data, err := tables.Types(t.plan.types[p.ImportPath])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		uses := map[string]*types.Package{}
		if _, err := gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), uses, p.ImportPath); err != nil {
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		docs, err := tables.Docs(p.ImportPath, p.Dir, p.GoFiles)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		list := []byte(strings.Join(slices.Sorted(maps.Keys(uses)), "\n"))
		for folder, data := range map[string][]byte{"types/": data, "doc/": docs, "uses/": list} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: folder + p.ImportPath, Method: zip.Store})
			if err != nil {
				return nil, err
			}
			if _, err := w.Write(data); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range t.plan.sources {
		for i, name := range p.GoFiles {
			text := t.plan.checked[p.ImportPath].text(i)
			w, err := z.CreateHeader(&zip.FileHeader{Name: "src/" + p.ImportPath + "/" + name, Method: zip.Store})
			if err != nil {
				return nil, err
			}
			if _, err := w.Write(text); err != nil {
				return nil, err
			}
		}
	}
	err := z.Close()
	return buf.Bytes(), err
}

// vendored is a module as vendor/modules.txt has it.
type vendored struct {
	version, goVersion string
	packages           []string
}

// writeModFiles writes go.mod and vendor/modules.txt, which the go command needs nothing beside for.
func (t *tree) writeModFiles(goMod []byte) error {
	modules := map[string]*vendored{}
	add := func(module, version string, p *listed, pkg string) {
		m := modules[module]
		if m == nil {
			m = &vendored{version: version, goVersion: p.goVersion()}
			modules[module] = m
		}
		m.packages = append(m.packages, pkg)
	}
	for _, p := range t.own.host {
		switch now := t.renamed[p.ImportPath]; {
		case p.Standard || p.Module.Main:
		case now != "":
			add(hostPrefix+p.Module.Path, hostVersion(p.Module.Path), p, now)
		default:
			add(p.Module.Path, p.version(), p, p.ImportPath)
		}
	}
	for _, p := range t.plan.packages {
		add(p.Module.Path, p.Module.Version, p, p.ImportPath)
	}
	var mod, list bytes.Buffer
	fmt.Fprintf(&mod, "module %s\n\n", modulePath)
	for line := range strings.Lines(string(goMod)) {
		if words := strings.Fields(line); len(words) > 1 && (words[0] == "go" || words[0] == "godebug") {
			mod.WriteString(line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		m := modules[name]
		fmt.Fprintf(&mod, "require %s %s\n", name, m.version)
		fmt.Fprintf(&list, "# %s %s\n## explicit; go %s\n", name, m.version, m.goVersion)
		slices.Sort(m.packages)
		for _, p := range m.packages {
			fmt.Fprintln(&list, p)
		}
	}
	if err := t.put("go.mod", mod.Bytes()); err != nil {
		return err
	}
	return t.put(filepath.Join("vendor", "modules.txt"), list.Bytes())
}

var major = regexp.MustCompile(`/v([2-9]|[1-9][0-9]+)$`)

// hostVersion is a version that a module of that path may have. Which it is does not matter: its files are there.
func hostVersion(module string) string {
	if m := major.FindStringSubmatch(module); m != nil {
		return "v" + m[1] + ".0.0"
	}
	return "v0.0.0"
}
