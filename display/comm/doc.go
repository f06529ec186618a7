// Package comm exchanges messages with code in a front end, like Jupyter's comms. Widgets are built on it.
//
//	c := comm.Open("plotter", map[string]any{"points": 3})     // the front end has a target of this name
//	c.OnMessage(func(m comm.Message) { fmt.Println(m.Data) })
//	c.Send(map[string]any{"color": "red"})
//
// Register names a target here, which code in the front end can open.
//
// # Callbacks
//
// Functions registered by OnMessage, OnClose and Register run on one goroutine, one call after the other, as soon as a
// message arrives, whether a cell runs or not. Their output is shown under the running cell, or else under the last
// one. A panic in a callback is reported there and stops nothing else.
//
// Without a front end that supports comms, as in a terminal, all functions can be called and nothing is sent: see
// Connected.
package comm
