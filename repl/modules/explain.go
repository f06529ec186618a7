package modules

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// sign is a piece of the go command's error text, and what it means for the one who asked for a module or package. In
// message and notes $what is what was asked for, $path that without a version, $1… what the expression matched; $module
// is $1 too, the module that the mistake is about: the one asked for, or one that it needs.
type sign struct {
	text    *regexp.Regexp
	message string
	notes   []string
}

// signs are looked for in this order: what is more telling stands first.
var signs = sync.OnceValue(func() []sign {
	return []sign{
		{regexp.MustCompile(`requires go >= ([0-9.a-z]+) \(running go ([0-9.a-z]+)`),
			"$what needs Go $1, and the go command here is $2",
			[]string{"install a newer Go, or let the go command fetch one with GOTOOLCHAIN=auto, or get an older version of it"}},
		{regexp.MustCompile(`(?s)verifying (\S+):.*(checksum mismatch|SECURITY ERROR)`),
			"the checksum of $1 is not the one that is on record",
			[]string{"what was downloaded was changed on the way or by its author: do not use it before you know why"}},
		{regexp.MustCompile(`declares its path as: (\S+)\s+but was required as: (\S+)`),
			"$2 calls itself $1", []string{"get $1"}},
		{regexp.MustCompile(`invalid version: (?:module contains a go\.mod file, so )?module path must match major version \("([^"]+)"\)`),
			"$what is of another major version than its path says", []string{"get $1"}},
		{regexp.MustCompile(`version "[^"]+" invalid: should be (v\d+), not (v\d+)`),
			"$what is of another major version than its path says",
			[]string{"versions of $2 have /$2 at the end of the path, those of v0 and v1 have nothing"}},
		{regexp.MustCompile(`module (\S+?)(?:@\S+)? found \((v[^,)]+)[^)]*\), but does not contain package (\S+)`),
			"module $1 $2 has no package $3", nil},
		{regexp.MustCompile(`module lookup disabled by GOPROXY=off`),
			"$what is not in the module cache, and GOPROXY=off forbids to download it",
			[]string{"set GOPROXY, or go env -u GOPROXY"}},
		{regexp.MustCompile(`terminal prompts disabled|could not read Username|Permission denied \(publickey|Authentication failed|401 Unauthorized`),
			"there is no public module $path",
			[]string{"check the spelling; for a private one set GOPRIVATE to its path, and give git credentials for it (an ssh key, or ~/.netrc)"}},
		{regexp.MustCompile(`exec: "(git|hg|svn|bzr|fossil)": executable file not found`),
			"$what is downloaded with $1, which is not installed",
			[]string{"install $1, or set GOPROXY to a proxy that has the module"}},
		{regexp.MustCompile(`dial tcp[^\n]*?: (lookup [^\n]+: [^\n]+|connect: [^\n]+|i/o timeout)`),
			"$what cannot be downloaded: no connection ($1)",
			[]string{"is this machine offline? GOPROXY is $proxy; modules in the module cache need no connection when a version is named"}},
		{regexp.MustCompile(`(TLS handshake[^\n]*|tls: [^\n]+|x509: [^\n]+|unexpected EOF|connection reset by peer|net/http: [^\n]+|context deadline exceeded)`),
			"$what cannot be downloaded: $1", []string{"GOPROXY is $proxy"}},
		{regexp.MustCompile(`(\S+)@(v[^:\s]+): reading \S+/@v/[^/\s]+\.(?:info|mod|zip): (?:403|404|410|[^\n]*no such file|[^\n]*cannot find)`),
			"$module has no version $2 that the proxy knows", []string{"GOPROXY is $proxy"}},
		{regexp.MustCompile(`module (\S+): reading [^\n]+: (?:403|404|410|[^\n]*no such file|[^\n]*cannot find)`),
			"there is no module $module",
			[]string{"check the spelling; a private module needs GOPRIVATE set to its path. GOPROXY is $proxy"}},
		{regexp.MustCompile(`no matching versions for query "([^"]+)"`), "$path has no version $1", nil},
		{regexp.MustCompile(`unknown revision (\S+)`), "$path has no version $1", nil},
		{regexp.MustCompile(`(?:403|404|410) [A-Z]|[Rr]epository not found|unrecognized import path|cannot find module|not a git repository`),
			"there is no module $path", []string{"check the spelling; a private module needs GOPRIVATE set to its path. GOPROXY is $proxy"}},
		{regexp.MustCompile(`malformed (?:module|import) path "([^"]+)": ([^\n]+)`), "$1 is not a module path: $2",
			nil},
		{regexp.MustCompile(`no space left on device`),
			"$what cannot be downloaded: the disk of the module cache is full",
			[]string{"the module cache is $cache; go clean -modcache empties it"}},
	}
})

// explain makes one sentence of what the go command said when it was asked for a module or package.
func (t *tool) explain(ctx context.Context, what string, err error) error {
	var f *failed
	if !errors.As(err, &f) {
		return err
	}
	e := t.sentence(what, f.stderr)
	if p, v, ok := strings.Cut(what, "@"); ok && strings.HasPrefix(e.Message, p+" has no version ") && v != "latest" {
		if have := t.versions(ctx, p); have != "" {
			e.Notes = []string{have}
		}
	}
	if p, _, _ := strings.Cut(what, "@"); insteadOf(p) != "" {
		e.Notes = append([]string{"it needs cgo, which cells do not have: " + insteadOf(p)}, e.Notes...)
	}
	return e
}

func (t *tool) sentence(what, text string) *Error {
	p, _, _ := strings.Cut(what, "@")
	for _, s := range signs() {
		m := s.text.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		pairs := []string{"$what", what, "$path", p, "$proxy", t.set.GOPROXY, "$cache", t.set.GOMODCACHE}
		if len(m) > 1 {
			pairs = append(pairs, "$module", m[1])
		}
		for i, g := range m[1:] {
			pairs = append(pairs, fmt.Sprint("$", i+1), g)
		}
		fill := strings.NewReplacer(pairs...)
		e := &Error{Message: fill.Replace(s.message), Output: text}
		for _, n := range s.notes {
			e.Notes = append(e.Notes, fill.Replace(n))
		}
		if strings.Contains(s.message, "$module") && m[1] != p {
			e.Notes = append([]string{what + " needs it"}, e.Notes...)
		}
		return e
	}
	return &Error{Message: what + ": " + strings.TrimPrefix(lastWords(text), what+": "), Output: text}
}

// lastWords is the first line of the go command's last complaint.
func lastWords(text string) string {
	words := "the go command failed and did not say why"
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != '\t' && line[0] != ' ' && !strings.HasPrefix(line, "go: downloading ") &&
			!strings.HasPrefix(line, "go: finding ") {
			words = strings.TrimPrefix(line, "go: ")
		}
	}
	return words
}

// versions says which versions a module has, empty when that cannot be found out.
func (t *tool) versions(ctx context.Context, module string) string {
	const most = 6
	out, err := t.run(ctx, nil, "list", "-m", "-versions", "-f", `{{join .Versions " "}}`, module)
	v := strings.Fields(string(out))
	if err != nil || len(v) == 0 {
		return ""
	}
	if len(v) > most {
		return fmt.Sprintf("its latest versions are %s (%d in all)", strings.Join(v[len(v)-most:], ", "), len(v))
	}
	return "its versions are " + strings.Join(v, ", ")
}
