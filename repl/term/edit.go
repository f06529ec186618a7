package term

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gorocm/gorocm/repl"
)

// editors are looked for in this order, where neither the configuration nor the environment names one.
var editors = []string{"nano", "vim", "vi", "emacs"}

// editorCommand is the user's editor, with its arguments.
func (f *front) editorCommand() ([]string, error) {
	for _, text := range []string{f.options.Editor, os.Getenv("VISUAL"), os.Getenv("EDITOR")} {
		if words := strings.Fields(text); len(words) > 0 {
			return words, nil
		}
	}
	for _, name := range editors {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, errors.New("there is no editor: set EDITOR, or gorocm config set editor NAME")
}

// edit lets the user change text in an editor of their own. The terminal must be as the editor expects it.
func (f *front) edit(text string) (string, error) {
	words, err := f.editorCommand()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "gorocm-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cell.go")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command(words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if f.options.In != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = f.options.In, f.options.Out, f.options.Out
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w; the cell is as it was", words[0], err)
	}
	changed, err := os.ReadFile(path)
	return strings.TrimRight(string(changed), "\n"), err
}

// edited is what %edit makes of a text: the next cell.
func (f *front) edited(text string) string {
	f.editor.tty.enter(savedMode)
	changed, err := f.edit(text)
	f.editor.tty.enter(runMode)
	if err != nil {
		f.draw(func() { f.printer.Notice(err.Error()) })
		return text
	}
	return changed
}

// status tells the memory of the devices that cells have opened, on one line.
func (f *front) status() string {
	var parts []string
	info := f.current().Info()
	for _, m := range info.Memory {
		parts = append(parts, memoryText(m))
	}
	if len(parts) == 0 {
		return f.printer.look().text("no device is open")
	}
	return f.printer.look().text(strings.Join(parts, " · "))
}

func memoryText(m repl.DeviceMemory) string {
	text := fmt.Sprintf("%s %s in use, %s reserved", m.Device, bytesText(m.InUse), bytesText(m.Reserved))
	if m.Total > 0 {
		text += " of " + bytesText(m.Total)
	}
	return text
}

func bytesText(n int64) string {
	const units = "KMGTP"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, i := float64(n)/1024, 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return fmt.Sprintf("%.1f %ciB", v, units[i])
}
