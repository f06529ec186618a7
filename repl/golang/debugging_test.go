package golang

import (
	"fmt"

	"github.com/gorocm/gorocm/repl/golang/debug"
)

// maxStops is how often stepped stops.
const maxStops = 500

// stepped turns the debugger on and has a session stop at the first statements of its cells. At each stop all variables
// are looked at.
func stepped(e *Engine) {
	if f := e.Debugging().Turn(true); f != nil {
		panic(f.Message)
	}
	stops := 0
	e.Debugging().Debugger().Handlers(func(s *debug.Stop) {
		for _, f := range s.Frames {
			for _, v := range e.Debugging().FrameVariables(f) {
				_ = fmt.Sprintf("%s %s %T", v.Name, v.Type, v.Value)
			}
		}
		if stops++; stops < maxStops {
			s.Resume(debug.StepIn)
		} else {
			s.Resume(debug.Continue)
		}
	}, nil, nil)
	e.Debugging().Debugger().Pause()
}
