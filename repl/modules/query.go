package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// hosts are those of repositories whose modules have no .git in their paths, unlike some of other servers.
var hosts = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}

var (
	scheme   = regexp.MustCompile(`^(?:https?|ssh|git|git\+ssh|git\+https)://`)
	scpLike  = regexp.MustCompile(`^[\w.-]+@([\w-]+(?:\.[\w-]+)+):`) // git@github.com:
	viewOf   = regexp.MustCompile(`/(?:-/)?(?:tree|releases/tag)/([^/@]+)$`)
	account  = regexp.MustCompile(`^[\w.-]+@`)
	someSite = regexp.MustCompile(`^pkg\.go\.dev/`)
)

// PathOf is the module path, with its version, that a query stands for: one that was copied from a browser or from a
// README may be the address of a repository, or a command.
func PathOf(q string) string {
	q = strings.TrimSpace(q)
	if words := strings.Fields(q); len(words) > 2 && words[0] == "go" && words[1] == "get" {
		q = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(q, "go")), "get"))
	}
	if n := len(q); n > 2 && strings.ContainsRune("\"'`", rune(q[0])) && q[n-1] == q[0] {
		q = q[1 : n-1]
	}
	if rest, home := strings.CutPrefix(q, "~/"); home {
		if dir, err := os.UserHomeDir(); err == nil {
			return filepath.Join(dir, rest)
		}
	}
	if isLocal(q) {
		return q
	}
	address := scheme.MatchString(q)
	if address {
		q = someSite.ReplaceAllString(account.ReplaceAllString(scheme.ReplaceAllString(q, ""), ""), "")
		q, _, _ = strings.Cut(q, "#")
		q, _, _ = strings.Cut(q, "?")
	} else if scpLike.MatchString(q) {
		q, address = scpLike.ReplaceAllString(q, "$1/"), true
	}
	p, version, named := strings.Cut(q, "@")
	host, _, _ := strings.Cut(p, "/")
	known := slices.Contains(hosts, host)
	if p = strings.TrimSuffix(p, "/"); address || known {
		if m := viewOf.FindStringSubmatch(p); m != nil && known && !named {
			p, version, named = strings.TrimSuffix(p, m[0]), m[1], true
		}
		p = strings.TrimSuffix(p, ".git")
	}
	if named {
		p += "@" + version
	}
	return p
}

// checkQuery refuses what the go command would take for something else than a module.
func checkQuery(q string) error {
	p, _, _ := strings.Cut(q, "@")
	switch first, _, _ := strings.Cut(p, "/"); {
	case q == "":
		return failure("there is no module to get", "github.com/google/uuid, or github.com/google/uuid@v1.6.0")
	case strings.ContainsAny(q, " \t\n\"'`;"):
		return failure(fmt.Sprintf("%q is not one module path", q),
			"get one module at a time: github.com/google/uuid@v1.6.0")
	case strings.HasPrefix(q, "-"):
		return failure(q+" is not a module path", "flags of go get are not taken; GOFLAGS is")
	case isLocal(q):
	case strings.Contains(p, "..."):
		return failure(p+" stands for many packages", "get the module by its path: its packages can be imported then")
	case strings.Contains(p, ":"):
		return failure(p+" is not a module path", "a module path has neither a scheme nor a port: github.com/google/uuid")
	case !strings.Contains(first, "."):
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			return failure(p+" is not a module path", "for the module of this folder: %get ./"+p)
		}
		return failure(p+" is not a module path: the part before the first slash must be a host, such as github.com",
			"packages of the standard library need no %get")
	}
	return nil
}

func isLocal(q string) bool {
	return q == "." || q == ".." || strings.HasPrefix(q, "./") || strings.HasPrefix(q, "../") || filepath.IsAbs(q)
}

// getting is the command that adds a module which has a package: the one around the working directory, if that is it.
func getting(path string) string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			if m := modfile.ModulePath(text); m != "" && (path == m || strings.HasPrefix(path, m+"/")) {
				return "%get ."
			}
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "%get " + path
}
