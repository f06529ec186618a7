// %get github.com/urfave/cli/v2@v2.27.7

package main

import (
	"fmt"
	"github.com/urfave/cli/v2"
)

func main() {
	app := &cli.App{Name: "greet", Flags: []cli.Flag{&cli.StringFlag{Name: "to", Value: "you"}},
		Action: func(c *cli.Context) error { fmt.Println("hello", c.String("to"), c.Args().Slice()); return nil }}
	fmt.Println(app.Run([]string{"greet", "--to", "ada", "x"}))
}

// Output:
// hello ada [x]
// <nil>
