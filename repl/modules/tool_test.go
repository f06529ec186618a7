package modules

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSentences has what go 1.26 said to each mistake, and what becomes of it.
func TestSentences(t *testing.T) {
	tool := &tool{set: settings{GOPROXY: "https://proxy.golang.org,direct", GOMODCACHE: "/cache"}}
	tests := []struct{ what, text, message, note string }{
		{"github.com/google/uuid@v9.9.9",
			"go: github.com/google/uuid@v9.9.9: reading https://proxy.golang.org/github.com/google/uuid/@v/v9.9.9.info: 404 Not Found\n\tserver response: not found: github.com/google/uuid@v9.9.9: invalid version: unknown revision v9.9.9\n",
			"github.com/google/uuid has no version v9.9.9 that the proxy knows", ""},
		{"github.com/google/nosuch", "go: module github.com/google/nosuch: reading https://proxy.golang.org/github.com/google/nosuch/@v/list: 404 Not Found\n\tserver response: not found: module github.com/google/nosuch: git ls-remote -q origin in /tmp: exit status 128:\n\tfatal: could not read Username for 'https://github.com': terminal prompts disabled\n",
			"there is no public module github.com/google/nosuch", "GOPRIVATE"},
		{"github.com/google/nosuch", "go: module github.com/google/nosuch: reading https://proxy.golang.org/github.com/google/nosuch/@v/list: 404 Not Found\n",
			"there is no module github.com/google/nosuch", "GOPROXY is https://proxy.golang.org,direct"},
		{"github.com/foo/bar", "go: github.com/foo/bar: module lookup disabled by GOPROXY=off\n",
			"github.com/foo/bar is not in the module cache, and GOPROXY=off forbids to download it", ""},
		{"github.com/foo/bar", "go: module github.com/foo/bar: Get \"http://127.0.0.1:9/github.com/foo/bar/@v/list\": dial tcp 127.0.0.1:9: connect: connection refused\n",
			"github.com/foo/bar cannot be downloaded: no connection (connect: connection refused)", "offline"},
		{"github.com/foo/bar", "go: module github.com/foo/bar: Get \"https://nosuch.invalid/github.com/foo/bar/@v/list\": dial tcp: lookup nosuch.invalid on 10.0.0.1:53: no such host\n",
			"github.com/foo/bar cannot be downloaded: no connection (lookup nosuch.invalid on 10.0.0.1:53: no such host)", "offline"},
		{"example.com/x", "go: example.com/x@v1.0.0 requires go >= 1.27 (running go 1.26.8; GOTOOLCHAIN=local)\n",
			"example.com/x needs Go 1.27, and the go command here is 1.26.8", "GOTOOLCHAIN=auto"},
		{"example.com/x", "verifying example.com/x@v1.0.0: checksum mismatch\n\tdownloaded: h1:a\n\tgo.sum:     h1:b\n\nSECURITY ERROR\nThis download does NOT match an earlier download recorded in go.sum.\n",
			"the checksum of example.com/x@v1.0.0 is not the one that is on record", "do not use it"},
		{"example.com/x@v2.0.0", "go: example.com/x@v2.0.0: invalid version: module contains a go.mod file, so module path must match major version (\"example.com/x/v2\")\n",
			"example.com/x@v2.0.0 is of another major version than its path says", "get example.com/x/v2"},
		{"github.com/a/b", "go: github.com/a/b@v1.0.0: git init --bare: exec: \"git\": executable file not found in $PATH\n", "github.com/a/b is downloaded with git, which is not installed", "install git"},
		{"github.com/xuri/excelize/v2", "go: downloading github.com/xuri/efp v0.0.3\ngo: github.com/xuri/excelize/v2 imports\n\tgithub.com/xuri/efp: github.com/xuri/efp@v0.0.3: reading https://proxy.golang.org/github.com/xuri/efp/@v/v0.0.3.zip: 403 Forbidden\n\tserver response: This module version is not available.\n",
			"github.com/xuri/efp has no version v0.0.3 that the proxy knows", "github.com/xuri/excelize/v2 needs it"},
		{"example.com/x", "go: something that no one has seen before\n\tat all\n",
			"example.com/x: something that no one has seen before", ""},
		{"example.com/x", "", "example.com/x: the go command failed and did not say why", ""},
	}
	for _, test := range tests {
		e := tool.sentence(test.what, test.text)
		if e.Message != test.message || e.Output != test.text ||
			!strings.Contains(strings.Join(e.Notes, "\n"), test.note) {
			t.Errorf("%q: %q, want %q\nnotes %q, want %q", test.text, e.Message, test.message, e.Notes, test.note)
		}
	}
}

func TestFlags(t *testing.T) {
	flags, tags := split("-modcacherw -mod=vendor --tags=a,b -modfile=x.mod -trimpath -tags=c")
	if !slices.Equal(flags, []string{"-modcacherw", "-trimpath"}) || !slices.Equal(tags, []string{"a", "b", "c"}) {
		t.Error(flags, tags)
	}
}

func TestNoGo(t *testing.T) {
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, "go"), 0o755); err != nil { // a folder of that name is not a command
		t.Fatal(err)
	}
	_, err := find([]string{"", ".", empty, filepath.Join(empty, "nowhere")})
	if !errors.Is(err, ErrNoGo) || !strings.Contains(err.Error(), "third-party packages need a Go toolchain") {
		t.Error(err)
	}
}

func TestNewDir(t *testing.T) {
	cache := t.TempDir()
	for _, v := range []string{"XDG_CACHE_HOME", "LocalAppData", "HOME"} { // what os.UserCacheDir asks for
		t.Setenv(v, cache)
	}
	a, b := NewDir(), NewDir()
	if a == b || !strings.HasPrefix(a, cache) {
		t.Fatal(a, b)
	}
	for _, dir := range []string{a, b} {
		if err := open(dir, "1.26"); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * keep)
	for _, dir := range []string{a, b} {
		if err := os.Chtimes(filepath.Join(dir, "go.mod"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{b, NewDir()} { // b is in use
		if err := open(dir, "1.26"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(a); err == nil {
		t.Error("a folder that no session has used for long is still there")
	}
	if _, err := os.Stat(b); err != nil {
		t.Error(err)
	}
}
