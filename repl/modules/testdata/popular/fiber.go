// %get github.com/gofiber/fiber/v2@v2.52.15

package main

import (
	"fmt"
	"github.com/gofiber/fiber/v2"
	"io"
	"net/http/httptest"
)

func main() {
	app := fiber.New()
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString("hi " + c.Query("name")) })
	r, err := app.Test(httptest.NewRequest("GET", "/?name=ada", nil), -1)
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(r.Body)
	fmt.Println(r.StatusCode, string(b), err)
}

// Output:
// 200 hi ada <nil>
