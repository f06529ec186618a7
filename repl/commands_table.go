package repl

import (
	_ "embed"
	"fmt"
	"strings"
)

// commandsHelp is what %help tells of each command, in the order of %help: a sentence, paragraphs, and indented
// examples, which a tab separates from what they do.
//
//go:embed commands.txt
var commandsHelp string

func commandTable() []Command {
	return []Command{
		{Name: "help", Aliases: []string{"lsmagic"}, Args: "[COMMAND]", Beside: true, Run: (*Call).help,
			Complete: completeCommandName},
		{Name: "vars", Aliases: []string{"who", "whos"}, Args: "[PATTERN]", Run: (*Call).vars, Complete: completeName},
		{Name: "tensors", Run: (*Call).tensors},
		{Name: "memory", Beside: true, Run: (*Call).memory},
		{Name: "gpu", Beside: true, Run: (*Call).gpu},
		{Name: "time", Args: "CODE", Go: true, Body: true, Run: (*Call).time, Complete: completeGo},
		{Name: "timeit", Args: "[-n LOOPS] [-r RUNS] [-q] CODE", Go: true, Body: true, Run: (*Call).timeit,
			Complete: completeGo},
		{Name: "prun", Args: "[-o FILE] CODE", Go: true, Body: true, Run: (*Call).prun, Complete: completeGo},
		{Name: "trace", Aliases: []string{"tb"}, Run: (*Call).showTrace},
		{Name: "break", Args: "[-d] [NAME[:LINE]|CELL:LINE|FILE:LINE] [if CONDITION]",
			Run: (*Call).breakpoint, Complete: completeName},
		{Name: "debug", Args: "[on|off]", Run: (*Call).debug, Complete: completeSwitch},
		{Name: "doc", Aliases: []string{"pinfo"}, Args: "NAME", Go: true, Beside: true, Run: (*Call).doc, Complete: completeGo},
		{Name: "src", Aliases: []string{"source", "psource", "pinfo2"}, Args: "NAME", Beside: true, Run: (*Call).src,
			Complete: completeGo},
		{Name: "type", Args: "EXPRESSION", Go: true, Beside: true, Run: (*Call).typeOf, Complete: completeGo},
		{Name: "native", Args: "[NAME]", Run: (*Call).native, Complete: completeName},
		{Name: "import", Args: "[NAME] PATH…", Run: (*Call).importPackages, Complete: completeImport},
		{Name: "get", Args: "MODULE[@VERSION]", Run: (*Call).get, Complete: completeDir},
		{Name: "modules", Run: showModules},
		{Name: "autoreload", Args: "[on|off]", Run: (*Call).autoreload, Complete: completeSwitch},
		{Name: "test", Args: "[FLAG…] [PACKAGE…]", Run: (*Call).test, Complete: completeDir},
		{Name: "vet", Args: "[on|off]", Run: (*Call).vet, Complete: completeSwitch},
		{Name: "history", Aliases: []string{"hist"}, Args: "[-n] [-l COUNT] [-g [TEXT]] [CELLS]",
			Run: (*Call).pastCells},
		{Name: "edit", Aliases: []string{"ed"}, Args: "[CELLS|NAME]", Run: (*Call).edit, Complete: completeName},
		{Name: "save", Args: "[-f] FILE|FOLDER/ [CELLS]", Run: (*Call).save, Complete: completeFile},
		{Name: "load", Args: "[-r LINES] FILE", Run: (*Call).load, Complete: completeFile},
		{Name: "run", Args: "FILE [ARGUMENT…]", Run: (*Call).run, Complete: completeFile},
		{Name: "writefile", Args: "[-a] FILE", Sign: "%%", Body: true, Run: (*Call).writeFile, Complete: completeFile},
		{Name: "capture", Args: "[NAME]", Sign: "%%", Body: true, Run: (*Call).capture},
		{Name: "html", Sign: "%%", Body: true, Run: (*Call).html},
		{Name: "markdown", Sign: "%%", Body: true, Run: (*Call).markdown},
		{Name: "latex", Sign: "%%", Body: true, Run: (*Call).latex},
		{Name: "svg", Aliases: []string{"SVG"}, Sign: "%%", Body: true, Run: (*Call).svg},
		{Name: "javascript", Sign: "%%", Body: true, Run: (*Call).javascript},
		{Name: "hip", Sign: "%%", Body: true, Run: (*Call).hip},
		{Name: "isa", Args: "[-r] KERNEL", Go: true, Run: (*Call).isa, Complete: completeGo},
		{Name: "profile", Args: "[-o FILE] CODE", Go: true, Body: true, Run: (*Call).profile, Complete: completeGo},
		{Name: "sanitize", Args: "[CHECKS]", Run: (*Call).sanitize, Complete: completeSanitize},
		{Name: "sh", Aliases: []string{"bash", "system"}, Args: "[COMMAND]", Body: true, Run: (*Call).sh,
			Complete: completeFile},
		{Name: "jobs", Beside: true, Run: (*Call).jobs},
		{Name: "cd", Args: "[-q] [DIRECTORY]", Run: (*Call).cd, Complete: completeDir},
		{Name: "pwd", Beside: true, Run: (*Call).pwd},
		{Name: "env", Aliases: []string{"set_env"}, Args: "[NAME[=VALUE]]", Run: (*Call).env, Complete: completeEnv},
		{Name: "reset", Args: "[-f] [NAME…]", Run: (*Call).reset, Complete: completeName},
		{Name: "restart", Run: (*Call).restartCommand},
		{Name: "replay", Args: "[CELLS]", Run: (*Call).replay},
		{Name: "checkpoint", Args: "[-a] [FILE|off]", Run: (*Call).checkpoint, Complete: completeFile},
		{Name: "restore", Args: "[-f] [-r] [FILE]", Run: (*Call).restore, Complete: completeFile},
		{Name: "version", Beside: true, Run: (*Call).version},
	}
}

// Commands are all commands, in the order of %help.
var Commands []Command

// commandNames finds commands by name and alias.
var commandNames = map[string]*Command{}

func init() { // methods of the table use Commands
	Commands = commandTable()
	texts := helpTexts(commandsHelp)
	for i := range Commands {
		c := &Commands[i]
		text, ok := texts[c.Name]
		if !ok {
			panic(fmt.Sprintf("repl: commands.txt has no %s", c.Name))
		}
		c.Doc, c.More, c.Examples = text.doc, text.more, text.examples
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			commandNames[n] = c
		}
	}
}

// helpText is what %help tells of a command.
type helpText struct {
	doc, more string
	examples  [][2]string
}

// helpTexts reads commands.txt.
func helpTexts(all string) map[string]helpText {
	r := map[string]helpText{}
	for section := range strings.SplitSeq("\n"+all, "\n-- ") {
		name, text, ok := strings.Cut(section, " --\n")
		if !ok {
			continue
		}
		var h helpText
		var more []string
		for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
			switch {
			case strings.HasPrefix(p, "    "):
				for line := range strings.SplitSeq(p, "\n") {
					example, does, _ := strings.Cut(strings.TrimSpace(line), "\t")
					h.examples = append(h.examples, [2]string{example, does})
				}
			case i == 0:
				h.doc = strings.ReplaceAll(p, "\n", " ")
			default:
				more = append(more, strings.ReplaceAll(p, "\n", " "))
			}
		}
		h.more = strings.Join(more, "\n")
		r[name] = h
	}
	return r
}
