package golang

import (
	"context"
	"flag"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/repl/golang/run"
	"golang.org/x/tools/txtar"
)

// reachesOut finds what a mutated cell must not use: what can change this machine, end the process, or write to its
// memory.
var reachesOut = regexp.MustCompile(`\b(os|exec|syscall|unix|unsafe|runtime|debug|net|http|httptest|plugin|signal|filepath|ioutil|reflect|testing|fsys|modules)\b`)

const (
	fuzzedCells = 200 // in one session
	fuzzedLong  = 4 << 10
	fuzzedTime  = 200 * time.Millisecond
	fuzzedLeft  = 50 // goroutines
)

// FuzzCell: whatever a cell says, it ends with an outcome that is not a bug of the session, and the session goes on. Every
// input is run as it is and with its tokens changed as the number says.
func FuzzCell(f *testing.F) {
	if thorough.Race {
		f.Skip("a goroutine that one cell leaves behind may use what the next one assigns")
	}
	f.Setenv(run.MemoryVar, "256MiB")
	seeds := fuzzedSeeds(f)
	if flag.Lookup("test.fuzz").Value.String() == "" {
		seeds = thorough.Sample(seeds, 4, 0)
	}
	for _, s := range seeds {
		f.Add(s, uint64(len(s)))
	}
	var e *Engine
	cells := 0
	f.Fuzz(func(t *testing.T, src string, how uint64) {
		if len(src) > fuzzedLong {
			t.Skip("it is long")
		}
		for _, code := range []string{src, mutate(src, how)} {
			if reachesOut.MatchString(code) {
				continue
			}
			if e == nil || cells%fuzzedCells == 0 {
				var err error
				if e, err = New(Options{}); err != nil {
					t.Fatal(err)
				}
			}
			cells++
			before := runtime.NumGoroutine()
			out := evalWithin(fuzzedTime, e, cells, code)
			// Thousands that an interrupted cell leaves behind would keep the cells that follow from ending in their time.
			if few := func() bool { return runtime.NumGoroutine() < before+fuzzedLeft }; !few() {
				run.EndGoroutines(e.rt, few)
			}
			if out.Failure != nil && out.Failure.Name == "InternalError" {
				t.Errorf("%q: %s\n%s", code, out.Failure.Message, out.Failure.Trace)
			}
			if !usable(e) {
				e = nil
				t.Errorf("after %q the session is not usable", code)
			}
		}
	})
}

func evalWithin(limit time.Duration, e *Engine, n int, code string) Outcome {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return e.Eval(ctx, n, code)
}

// usable evaluates a cell. Failures of goroutines that earlier cells left behind may come before its value.
func usable(e *Engine) bool {
	for range 20 {
		out := evalWithin(time.Minute, e, 0, "1 + 1")
		if out.Failure == nil {
			return len(out.Values) == 1 && out.Values[0].V == 2
		}
	}
	return false
}

// fuzzedSeeds are the programs and the sessions of the tests.
func fuzzedSeeds(f *testing.F) (r []string) {
	for _, pattern := range []string{programsDir + "/*.txtar", "../testdata/script/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal("no seeds: ", pattern, err)
		}
		for _, file := range files {
			a, err := txtar.ParseFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, s := range a.Files {
				if strings.HasSuffix(s.Name, ".go") || s.Name == "cell" {
					r = append(r, strings.Replace(string(s.Data), "package main", "", 1))
				}
			}
		}
	}
	return r
}

// mutate deletes, doubles, swaps and replaces a few tokens. The same number makes the same changes.
func mutate(src string, how uint64) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(src)), []byte(src), nil, 0)
	var words []string
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		switch {
		case tok == token.SEMICOLON && lit == "\n":
			lit = "\n"
		case lit == "":
			lit = tok.String()
		}
		words = append(words, lit)
	}
	if len(words) == 0 {
		return src
	}
	r := rand.New(rand.NewPCG(how, 1))
	for range 1 + r.IntN(3) {
		i, j := r.IntN(len(words)), r.IntN(len(words))
		switch r.IntN(5) {
		case 0:
			words[i] = ""
		case 1:
			words[i] += " " + words[i]
		case 2:
			words[i], words[j] = words[j], words[i]
		case 3:
			words[i] = words[j]
		case 4:
			words[i] = odd[r.IntN(len(odd))]
		}
	}
	return strings.Join(words, " ")
}

// odd are tokens that change what a program means more than its own ones do.
var odd = []string{
	"nil", "_", "0", "-1", "1 << 63", "\"\"", "any", "func() {}", "struct{}{}", "[]int{}", "map[string]any{}",
	"make(chan int)", "*", "&", "...", "<-", ":=", "=",
	"go", "defer", "return", "break", "continue", "goto L", "L:", "fallthrough", "range", "error", "comparable", "iota",
	"init", "main", "recover()", "panic(1)",
	"{", "}", "(", ")", "[", "]", ".", "~", "type", "interface{ ~int }", "1i", "'x'", "x", "T", "append", "len",
	"clear", "new", "out", "must",
}
