// %get go.uber.org/fx@v1.24.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
)

// The server of fx's documentation, and what fx tells of its functions.

type EchoHandler struct{}

func NewEchoHandler() *EchoHandler { return &EchoHandler{} }

func (*EchoHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(w, r.Body)
}

func NewServeMux(echo *EchoHandler) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/echo", echo)
	return mux
}

type Address struct{ text string }

func NewHTTPServer(lc fx.Lifecycle, mux *http.ServeMux, at *Address) *http.Server {
	srv := &http.Server{Handler: mux}
	lc.Append(fx.Hook{
		OnStart: func(ctx context.Context) error {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			at.text = ln.Addr().String()
			go srv.Serve(ln)
			return nil
		},
		OnStop: srv.Shutdown,
	})
	return srv
}

type names struct{}

func (names) LogEvent(event fxevent.Event) {
	switch e := event.(type) {
	case *fxevent.Provided:
		fmt.Println("provide", e.ConstructorName, e.OutputTypeNames)
	case *fxevent.Run:
		fmt.Println("run", e.Name, e.Err)
	case *fxevent.Invoking:
		fmt.Println("invoke", e.FunctionName)
	case *fxevent.OnStartExecuted:
		fmt.Println("start", e.FunctionName, e.CallerName, e.Err)
	case *fxevent.OnStopExecuted:
		fmt.Println("stop", e.FunctionName, e.CallerName, e.Err)
	}
}

func use(*http.Server) {}

func main() {
	var at Address
	app := fx.New(
		fx.WithLogger(func() fxevent.Logger { return names{} }),
		fx.Supply(&at),
		fx.Provide(NewHTTPServer, NewServeMux, NewEchoHandler),
		fx.Invoke(use, func(*http.ServeMux) {}),
	)
	fmt.Println(app.Err(), app.Start(context.Background()))
	r, err := http.Post("http://"+at.text+"/echo", "text/plain", strings.NewReader("hello"))
	if err != nil {
		panic(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	fmt.Println(string(body), err, app.Stop(context.Background()))

	err = fx.New(fx.NopLogger, fx.Provide(NewServeMux), fx.Invoke(func(*http.ServeMux) {})).Err()
	text, _, _ := strings.Cut(err.Error(), " (")
	fmt.Println(text, errors.Unwrap(err) != nil)
}

// Output:
// provide go.uber.org/fx.New.func1() [fx.Lifecycle]
// provide go.uber.org/fx.(*App).shutdowner-fm() [fx.Shutdowner]
// provide go.uber.org/fx.(*App).dotGraph-fm() [fx.DotGraph]
// provide main.NewHTTPServer() [*http.Server]
// provide main.NewServeMux() [*http.ServeMux]
// provide main.NewEchoHandler() [*main.EchoHandler]
// invoke main.use()
// run go.uber.org/fx.New.func1() <nil>
// run main.NewEchoHandler() <nil>
// run main.NewServeMux() <nil>
// run stub(*main.Address) <nil>
// run main.NewHTTPServer() <nil>
// invoke main.main.func2()
// start main.NewHTTPServer.func1() main.NewHTTPServer <nil>
// <nil> <nil>
// stop net/http.(*Server).Shutdown-fm() main.NewHTTPServer <nil>
// hello <nil> <nil>
// could not build arguments for function "main".main.func3 true
