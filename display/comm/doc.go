// Package comm exchanges messages with code in a front end, as Jupyter's comms do: widgets are made of it.
//
//	c := comm.Open("plotter", map[string]any{"points": 3})     // the front end has a target of this name
//	c.OnMessage(func(m comm.Message) { fmt.Println(m.Data) })
//	c.Send(map[string]any{"color": "red"})
//
// Register names a target here, which code in the front end can open.
//
// # Callbacks
//
// What OnMessage, OnClose and Register were given runs on one goroutine of its own, one call after the other, as soon
// as a message comes: also while a cell runs, and also when none does. What it prints is shown under the cell that runs
// then, or else under the last one. A callback that panics is reported there, and ends nothing.
//
// Without a front end that knows comms, as in a terminal, everything can be called and nothing is sent: see Connected.
package comm
