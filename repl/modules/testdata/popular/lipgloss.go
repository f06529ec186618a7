// %get github.com/charmbracelet/lipgloss@v1.1.0

package main

import (
	"fmt"
	"github.com/charmbracelet/lipgloss"
)

func main() {
	s := lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).Padding(0, 1)
	fmt.Println(s.Render("hi"))
}

// Output:
// ╭────╮
// │ hi │
// ╰────╯
