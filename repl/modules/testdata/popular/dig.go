// %get go.uber.org/dig@v1.19.0

package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"go.uber.org/dig"
)

// The example of dig's documentation, its graph, and its errors, which have names of functions.

type Config struct{ Prefix string }

func NewLogger(cfg *Config) *log.Logger { return log.New(os.Stdout, cfg.Prefix, 0) }

type service struct{ *log.Logger }

func (s *service) handler(l *log.Logger) fmt.Stringer { return nil }

func main() {
	c := dig.New()
	err := c.Provide(func() (*Config, error) {
		var cfg Config
		err := json.Unmarshal([]byte(`{"prefix": "[foo] "}`), &cfg)
		return &cfg, err
	})
	fmt.Println(err, c.Provide(NewLogger), c.Provide(new(service).handler))
	fmt.Println(c.Invoke(func(l *log.Logger) { l.Print("You've been invoked") }))
	var graph strings.Builder
	fmt.Println(dig.Visualize(c, &graph))
	for line := range strings.Lines(graph.String()) {
		if strings.Contains(line, "label=") {
			fmt.Print(line)
		}
	}
	for _, err := range []error{c.Provide(NewLogger), c.Invoke(func(*strings.Builder) {})} {
		for _, part := range strings.Split(err.Error(), "): ") {
			text, _, _ := strings.Cut(part, " (")
			fmt.Println(text)
		}
	}
}

// Output:
// <nil> <nil> <nil>
// [foo] You've been invoked
// <nil>
// <nil>
// 		constructor_0 [shape=plaintext label="main.func1"];
// 		"*main.Config" [label=<*main.Config>];
// 		constructor_1 [shape=plaintext label="NewLogger"];
// 		"*log.Logger" [label=<*log.Logger>];
// 		constructor_2 [shape=plaintext label="(*service).handler-fm"];
// 		"fmt.Stringer" [label=<fmt.Stringer>];
// cannot provide function "main".NewLogger
// cannot provide *log.Logger from [0]: already provided by "main".NewLogger
// missing dependencies for function "main".main.func3
// missing type: *strings.Builder
