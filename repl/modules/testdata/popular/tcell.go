// %get github.com/gdamore/tcell/v2@v2.8.1

package main

import (
	"fmt"

	"github.com/gdamore/tcell/v2"
)

func main() {
	s := tcell.NewSimulationScreen("UTF-8")
	fmt.Println(s.Init())
	s.SetSize(10, 2)
	for i, r := range "héllo" {
		_ = i
		s.SetContent(len([]rune("héllo"[:i])), 0, r, nil, tcell.StyleDefault.Foreground(tcell.ColorRed).Bold(true))
	}
	s.Show()
	cells, w, h := s.GetContents()
	fg, _, attr := cells[0].Style.Decompose()
	fmt.Println(w, h, string(cells[1].Runes), fg == tcell.ColorRed, attr&tcell.AttrBold != 0)
	s.InjectKey(tcell.KeyCtrlC, 0, tcell.ModNone)
	for {
		if e, ok := s.PollEvent().(*tcell.EventKey); ok {
			fmt.Println(e.Name())
			break
		}
	}
	s.Fini()
}

// Output:
// <nil>
// 10 2 é true true
// Ctrl-C
