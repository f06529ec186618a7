package run

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"
)

// StandIns are functions of the session that lowered code calls in place of methods of compiled packages: those that
// write to files, those that call os.Exit, those that start programs, and those that tell functions apart. A method
// that is called through an interface or a method value is the compiled one.
var StandIns = map[string]string{
	"(*log.Logger).Output":     "LoggerOutput",
	"(*log.Logger).SetOutput":  "LoggerSetOutput",
	"(log/slog.Record).Source": "RecordSource",

	"(reflect.Value).Pointer":       "FuncPointer",
	"(reflect.Value).UnsafePointer": "FuncUnsafe",

	"(*os.File).Write":       "FileWrite",
	"(*os.File).WriteString": "FileWriteString",
	"(*log.Logger).Fatal":    "LogFatal",
	"(*log.Logger).Fatalf":   "LogFatalf",
	"(*log.Logger).Fatalln":  "LogFatalln",
	"(*flag.FlagSet).Parse":  "FlagParse",

	"(*os/exec.Cmd).Start":          "CmdStart",
	"(*os/exec.Cmd).Run":            "CmdRun",
	"(*os/exec.Cmd).Output":         "CmdOutput",
	"(*os/exec.Cmd).CombinedOutput": "CmdCombinedOutput",
	"(*os.Process).Release":         "Release",
}

// exit is os.Exit: it ends the cell and the session.
func (x *exits) exit(code int) {
	if x.process != nil && !ownGoroutine() {
		x.process(code)
	}
	panic(exited{code})
}

// ownGoroutine reports whether the calling goroutine is one that interpreted code has started, so that the session sees
// its panics. Others belong to compiled packages, such as those in which net/http calls handlers.
func ownGoroutine() bool {
	pc := make([]uintptr, 64)
	n := runtime.Callers(0, pc)
	for n == len(pc) {
		pc = make([]uintptr, 2*len(pc))
		n = runtime.Callers(0, pc)
	}
	first := ""
	frames := runtime.CallersFrames(pc[:n])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function != "runtime.goexit" {
			first = f.Function
		}
	}
	return strings.HasPrefix(first, "github.com/gorocm/gorocm/repl/golang") ||
		strings.HasPrefix(first, "github.com/traefik/yaegi/")
}

func (ls *logs) logFatal(l *log.Logger, v ...any)            { ls.fatal(l, fmt.Sprint(v...)) }
func (ls *logs) logFatalf(l *log.Logger, f string, v ...any) { ls.fatal(l, fmt.Sprintf(f, v...)) }
func (ls *logs) logFatalln(l *log.Logger, v ...any)          { ls.fatal(l, fmt.Sprintln(v...)) }

func (ls *logs) fatal(l *log.Logger, message string) {
	_ = ls.loggerOutput(l, 1, message) // a failing output has nowhere to be reported
	ls.exit(1)
}

// parseFlags is flag.Parse.
func (x *exits) parseFlags() { _ = x.flagParse(flag.CommandLine, os.Args[1:]) }

// flagParse is (*flag.FlagSet).Parse, where flags of the mode ExitOnError end the session.
func (x *exits) flagParse(f *flag.FlagSet, arguments []string) error {
	if f.ErrorHandling() != flag.ExitOnError {
		return f.Parse(arguments)
	}
	f.Init(f.Name(), flag.ContinueOnError)
	defer f.Init(f.Name(), flag.ExitOnError)
	err := f.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		x.exit(0)
	case err != nil:
		x.exit(2)
	}
	return nil
}

// exits stand in for what ends a process.
type exits struct {
	process func(code int) // nil where the process cannot be ended
}
