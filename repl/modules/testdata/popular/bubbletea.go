// %get github.com/charmbracelet/bubbletea@v1.3.10 github.com/creack/pty@v1.1.24

package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"
)

type model struct {
	cursor  int
	choices []string
	chosen  map[int]bool
	ready   chan bool // for the next key
}

func (m model) Init() tea.Cmd {
	return func() tea.Msg { m.ready <- true; return nil }
}

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyMsg); ok {
		switch key.String() {
		case "q":
			return m, tea.Quit
		case "down", "j":
			m.cursor = min(m.cursor+1, len(m.choices)-1)
		case " ":
			m.chosen[m.cursor] = !m.chosen[m.cursor]
		}
		m.ready <- true
	}
	return m, nil
}

func (m model) View() string {
	var b strings.Builder
	for i, c := range m.choices {
		mark := " "
		if m.chosen[i] {
			mark = "x"
		}
		fmt.Fprintf(&b, "[%s] %s\n", mark, c)
	}
	return b.String()
}

// main is a user at a pseudo-terminal.
func main() {
	user, tty, err := pty.Open()
	if err != nil {
		panic(err)
	}
	pty.Setsize(user, &pty.Winsize{Rows: 24, Cols: 80})
	var screen bytes.Buffer
	read, ready := make(chan error), make(chan bool, 10)
	go func() {
		for _, key := range []string{"j", " ", "j", "q"} {
			<-ready
			user.WriteString(key)
		}
	}()
	go func() {
		_, err := io.Copy(&screen, user)
		read <- err
	}()
	m, err := tea.NewProgram(model{choices: []string{"carrots", "celery", "kohlrabi"}, chosen: map[int]bool{}, ready: ready},
		tea.WithInput(tty), tea.WithOutput(tty)).Run()
	fmt.Println(err)
	fmt.Print(m.View())
	tty.Close()
	<-read // an error: the terminal is gone
	fmt.Println(strings.Contains(screen.String(), "kohlrabi"), strings.Contains(screen.String(), "\x1b["))
}

// Output:
// <nil>
// [ ] carrots
// [x] celery
// [ ] kohlrabi
// true true
