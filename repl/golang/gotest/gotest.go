// Package gotest runs tests and benchmarks that are values of this program, with the flags and the output of go test.
package gotest

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Flags are the flags that are taken, without their dash. What they mean is go test's. -cpu is not among them: package
// testing keeps its numbers for all that runs later in the process.
var Flags = []string{"bench", "benchmem", "benchtime", "count", "failfast", "list", "parallel", "run", "short",
	"shuffle", "skip", "timeout", "v"}

// Suite is what there is to run.
type Suite struct {
	Tests      []testing.InternalTest
	Benchmarks []testing.InternalBenchmark
	Fuzz       []testing.InternalFuzzTarget // their seeds are tests
	Examples   []testing.InternalExample
	// Main is TestMain, nil without one. It returns the exit status where it ends by os.Exit.
	Main func(*testing.M) (code int, ended bool)
	// FailFast is called where no test is to begin after a failure. From then on Failed reports whether the function of
	// a test has ended, and failed.
	FailFast func()
	Failed   func() bool
}

// registered has the flags of package testing, in a set of their own unless the program has them already.
var registered = sync.OnceValue(func() *flag.FlagSet {
	if flag.Lookup("test.v") != nil {
		return flag.CommandLine
	}
	saved := flag.CommandLine
	defer func() { flag.CommandLine = saved }()
	flag.CommandLine = flag.NewFlagSet("test", flag.ContinueOnError)
	testing.Init()
	return flag.CommandLine
})

// running is held while a suite runs: package testing has its flags in variables.
var running sync.Mutex

// Run runs a suite under the name of a package and returns the exit status of go test: 0, 1 where something failed, 2
// for flags that are wrong, which err tells of. What package testing writes goes to out.
func Run(s Suite, name string, args []string, out *os.File) (code int, err error) {
	if !running.TryLock() {
		return 2, errors.New("the tests of an earlier call still run: wait for them, or %restart")
	}
	defer running.Unlock()
	failFast, restore, err := set(args)
	if err != nil {
		return 2, err
	}
	defer restore()
	commands, stdout := flag.CommandLine, os.Stdout
	defer func() { flag.CommandLine, os.Stdout = commands, stdout }()
	flag.CommandLine, os.Stdout = flag.NewFlagSet("test", flag.ContinueOnError), out
	if err := flag.CommandLine.Parse(nil); err != nil { // package testing asks whether it has been
		return 2, err
	}
	start := time.Now()
	if failFast {
		s.FailFast()
	}
	code, err = runMain(s, name)
	if err != nil {
		return 2, err
	}
	took := time.Since(start).Seconds()
	if code != 0 {
		fmt.Fprintf(out, "exit status %d\nFAIL\t%s\t%.3fs\n", code, name, took)
		return code, nil
	}
	fmt.Fprintf(out, "ok  \t%s\t%.3fs\n", name, took)
	return 0, nil
}

// badPattern is the panic of MatchString, for which package testing would end the process.
type badPattern struct{ err error }

// runMain runs the tests, and what is around them. A pattern is wrong where err is not nil.
func runMain(s Suite, name string) (code int, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case badPattern:
			err = v.err
		default:
			panic(v)
		}
	}()
	m := testing.MainStart(dependencies{name, s.Failed}, s.Tests, s.Benchmarks, s.Fuzz, s.Examples)
	if s.Main == nil {
		return m.Run(), nil
	}
	if code, ended := s.Main(m); ended {
		return code, nil
	}
	return int(reflect.ValueOf(m).Elem().FieldByName("exitCode").Int()), nil // as the go command's main does
}

// check refuses the values for which package testing would end the process, or print the usage of another command.
func check(all *flag.FlagSet) error {
	value := func(name string) string { return all.Lookup("test." + name).Value.String() }
	if n, err := strconv.Atoi(value("parallel")); err != nil || n < 1 {
		return fmt.Errorf("-parallel %s: it must be 1 or more", value("parallel"))
	}
	if v := value("shuffle"); v != "on" && v != "off" {
		if _, err := strconv.ParseInt(v, 10, 64); err != nil {
			return fmt.Errorf("-shuffle %s: it is on, off, or a number", v)
		}
	}
	return nil
}

// timeout is the flag that is not package testing's to obey: that ends the process.
const timeout = "timeout"

// Timeout is how long the tests may run by their flags, 0 without a limit. Run leaves it to its caller to stop them.
func Timeout(args []string) (d time.Duration, err error) {
	parse := parser(registered(), func(v flag.Value) flag.Value { return unset{v} })
	parse.DurationVar(&d, timeout, 0, "")
	return d, parse.Parse(args)
}

// parser takes the flags of package testing that are taken, as given by value, but for the timeout.
func parser(all *flag.FlagSet, value func(flag.Value) flag.Value) *flag.FlagSet {
	parse := flag.NewFlagSet("test", flag.ContinueOnError)
	parse.SetOutput(io.Discard)
	for _, name := range Flags {
		if name != timeout {
			parse.Var(value(all.Lookup("test."+name).Value), name, "")
		}
	}
	return parse
}

// unset is a flag whose value is not set.
type unset struct{ flag.Value }

// Set does nothing.
func (unset) Set(string) error { return nil }

// IsBoolFlag reports whether it needs no value.
func (u unset) IsBoolFlag() bool {
	b, ok := u.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// set sets the flags of package testing. All others have their defaults until restore is called. -failfast is left to
// dependencies.MatchString: package testing counts the failures of the whole process.
func set(args []string) (failFast bool, restore func(), err error) {
	all := registered()
	before := map[string]string{}
	all.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "test.") {
			before[f.Name] = f.Value.String()
		}
	})
	restore = func() {
		for name, v := range before {
			_ = all.Set(name, v) // what it has been
		}
	}
	for name := range before {
		_ = all.Set(name, all.Lookup(name).DefValue)
	}
	parse := parser(all, func(v flag.Value) flag.Value { return v })
	parse.Duration(timeout, 0, "")
	if err = parse.Parse(args); err == nil && parse.NArg() > 0 {
		err = fmt.Errorf("%s is no flag", parse.Arg(0))
	}
	if err == nil {
		err = check(all)
	}
	if err != nil {
		restore()
		return false, nil, err
	}
	if failFast = all.Lookup("test.failfast").Value.String() == "true"; failFast {
		_ = all.Set("test.failfast", "false")
		if all.Lookup("test.run").Value.String() == "" {
			_ = all.Set("test.run", ".") // without a pattern no names are compared
		}
	}
	return failFast, restore, nil
}

// dependencies is what package testing wants of the go command's main package of a test: see testing.MainStart, which
// may want more with another version of Go.
type dependencies struct {
	name string
	stop func() bool // reports whether no other test is to begin
}

// ImportPath is the name of what is tested.
func (d dependencies) ImportPath() string { return d.name }

// ModulePath is that of no module.
func (dependencies) ModulePath() string { return "" }

// MatchString is that of regular expressions. Once tests are to stop no name matches but those of examples, which go
// test runs then, too. Of a subtest the name of its test is compared first.
func (d dependencies) MatchString(pat, str string) (bool, error) {
	ok, err := regexp.MatchString(pat, str)
	if err != nil {
		panic(badPattern{err})
	}
	return ok && (!d.stop() || strings.HasPrefix(str, "Example")), nil
}

// SetPanicOnExit0 does nothing: os.Exit is the session's.
func (dependencies) SetPanicOnExit0(bool) {}

// StartCPUProfile starts a profile.
func (dependencies) StartCPUProfile(w io.Writer) error { return pprof.StartCPUProfile(w) }

// StopCPUProfile ends it.
func (dependencies) StopCPUProfile() { pprof.StopCPUProfile() }

// StartTestLog does nothing: there is no cache of results.
func (dependencies) StartTestLog(io.Writer) {}

// StopTestLog does nothing.
func (dependencies) StopTestLog() error { return nil }

// WriteProfileTo writes a profile.
func (dependencies) WriteProfileTo(name string, w io.Writer, debug int) error {
	return pprof.Lookup(name).WriteTo(w, debug)
}

var errFuzzing = errors.New("fuzzing needs a package: save the cells and use go test")

type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

// CoordinateFuzzing is not there.
func (dependencies) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type,
	string, string) error {
	return errFuzzing
}

// RunFuzzWorker is not there.
func (dependencies) RunFuzzWorker(func(corpusEntry) error) error { return errFuzzing }

// ReadCorpus finds none.
func (dependencies) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, nil }

// CheckCorpus compares seeds with the arguments that they are for.
func (dependencies) CheckCorpus(values []any, types []reflect.Type) error {
	if len(values) != len(types) {
		return fmt.Errorf("wrong number of values in corpus entry: %d, want %d", len(values), len(types))
	}
	for i, v := range values {
		if reflect.TypeOf(v) != types[i] {
			return fmt.Errorf("mismatched types in corpus entry: %T, want %s", v, types[i])
		}
	}
	return nil
}

// ResetCoverage does nothing.
func (dependencies) ResetCoverage() {}

// SnapshotCoverage does nothing.
func (dependencies) SnapshotCoverage() {}

// InitRuntimeCoverage says that there is none.
func (dependencies) InitRuntimeCoverage() (mode string,
	tearDown func(coverprofile string, gocoverdir string) (string, error), snapcov func() float64) {
	return "", nil, nil
}
