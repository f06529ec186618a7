package repl

import (
	_ "embed"
	"fmt"
	"strings"
)

// commandsHelp is what %help tells of each command, in the order of %help: a sentence, paragraphs, and indented examples, which a tab
// separates from what they do.
//
//go:embed commands.txt
var commandsHelp string

func commandTable() []Command {
	return []Command{
		{Name: "help", Aliases: []string{"lsmagic"}, Args: "[COMMAND]", Run: (*Local).help, Complete: completeCommandName},
		{Name: "vars", Aliases: []string{"who", "whos"}, Args: "[PATTERN]", Run: (*Local).vars, Complete: completeName},
		{Name: "tensors", Run: (*Local).tensors},
		{Name: "gpu", Run: (*Local).gpu},
		{Name: "time", Args: "CODE", Go: true, Body: true, Run: (*Local).time, Complete: completeGo},
		{Name: "timeit", Args: "[-n LOOPS] [-r RUNS] [-q] CODE", Go: true, Body: true, Run: (*Local).timeit, Complete: completeGo},
		{Name: "trace", Aliases: []string{"tb"}, Run: (*Local).showTrace},
		{Name: "doc", Aliases: []string{"pinfo"}, Args: "NAME", Go: true, Run: (*Local).doc, Complete: completeGo},
		{Name: "src", Aliases: []string{"source", "psource", "pinfo2"}, Args: "NAME", Run: (*Local).src, Complete: completeGo},
		{Name: "type", Args: "EXPRESSION", Go: true, Run: (*Local).typeOf, Complete: completeGo},
		{Name: "import", Args: "[NAME] PATH…", Run: (*Local).importPackages, Complete: completeImport},
		{Name: "get", Args: "MODULE[@VERSION]", Run: (*Local).get, Complete: completeDir},
		{Name: "history", Aliases: []string{"hist"}, Args: "[-n] [-l COUNT] [-g [TEXT]] [CELLS]", Run: (*Local).pastCells},
		{Name: "edit", Aliases: []string{"ed"}, Args: "[CELLS|NAME]", Run: (*Local).edit, Complete: completeName},
		{Name: "save", Args: "[-f] FILE [CELLS]", Run: (*Local).save, Complete: completeFile},
		{Name: "load", Args: "[-r LINES] FILE", Run: (*Local).load, Complete: completeFile},
		{Name: "run", Args: "FILE [ARGUMENT…]", Run: (*Local).run, Complete: completeFile},
		{Name: "writefile", Args: "[-a] FILE", Sign: "%%", Body: true, Run: (*Local).writeFile, Complete: completeFile},
		{Name: "hip", Sign: "%%", Body: true, Run: (*Local).hip},
		{Name: "isa", Args: "[-r] KERNEL", Go: true, Run: (*Local).isa, Complete: completeGo},
		{Name: "profile", Args: "CODE", Go: true, Body: true, Run: (*Local).profile, Complete: completeGo},
		{Name: "sanitize", Args: "[CHECKS]", Run: (*Local).sanitize, Complete: completeSanitize},
		{Name: "sh", Aliases: []string{"bash", "system"}, Args: "[COMMAND]", Body: true, Run: (*Local).sh, Complete: completeFile},
		{Name: "cd", Args: "[-q] [DIRECTORY]", Run: (*Local).cd, Complete: completeDir},
		{Name: "pwd", Run: (*Local).pwd},
		{Name: "env", Aliases: []string{"set_env"}, Args: "[NAME[=VALUE]]", Run: (*Local).env, Complete: completeEnv},
		{Name: "reset", Args: "[-f] [NAME…]", Run: (*Local).reset, Complete: completeName},
		{Name: "restart", Run: (*Local).restartCommand},
		{Name: "replay", Args: "[CELLS]", Run: (*Local).replay},
		{Name: "version", Run: (*Local).version},
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
