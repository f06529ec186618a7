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

// standIns are functions of the session that lowered code calls in place of methods of compiled packages: those that write to files, those that
// call os.Exit, and those that start programs. A method that is called through an interface or a method value is the compiled one.
var StandIns = map[string]string{
	"(*log.Logger).Output":     "LoggerOutput",
	"(*log.Logger).SetOutput":  "LoggerSetOutput",
	"(log/slog.Record).Source": "RecordSource",

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
func (e *Runtime) exit(code int) {
	if e.opt.Exit != nil && !ownGoroutine() {
		e.opt.Exit(code)
	}
	panic(exited{code})
}

// ownGoroutine reports whether the calling goroutine is one that interpreted code has started, so that the session sees its panics. Others belong to compiled
// packages, such as those in which net/http calls handlers.
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
	return strings.HasPrefix(first, "github.com/gorocm/gorocm/repl/golang") || strings.HasPrefix(first, "github.com/traefik/yaegi/")
}

func (e *Runtime) logFatal(l *log.Logger, v ...any)            { e.fatal(l, fmt.Sprint(v...)) }
func (e *Runtime) logFatalf(l *log.Logger, f string, v ...any) { e.fatal(l, fmt.Sprintf(f, v...)) }
func (e *Runtime) logFatalln(l *log.Logger, v ...any)          { e.fatal(l, fmt.Sprintln(v...)) }

func (e *Runtime) fatal(l *log.Logger, message string) {
	_ = e.loggerOutput(l, 1, message) // a failing output has nowhere to be reported
	e.exit(1)
}

// parseFlags is flag.Parse.
func (e *Runtime) parseFlags() { _ = e.flagParse(flag.CommandLine, os.Args[1:]) }

// flagParse is (*flag.FlagSet).Parse, where flags of the mode ExitOnError end the session.
func (e *Runtime) flagParse(f *flag.FlagSet, arguments []string) error {
	if f.ErrorHandling() != flag.ExitOnError {
		return f.Parse(arguments)
	}
	f.Init(f.Name(), flag.ContinueOnError)
	defer f.Init(f.Name(), flag.ExitOnError)
	err := f.Parse(arguments)
	switch {
	case errors.Is(err, flag.ErrHelp):
		e.exit(0)
	case err != nil:
		e.exit(2)
	}
	return nil
}
