// %get github.com/labstack/echo/v4@v4.16.0

package main

import (
	"fmt"
	"github.com/labstack/echo/v4"
	"net/http/httptest"
)

func main() {
	e := echo.New()
	e.GET("/u/:id", func(c echo.Context) error { return c.JSON(200, map[string]string{"id": c.Param("id")}) })
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest("GET", "/u/5", nil))
	fmt.Print(w.Code, " ", w.Body)
}

// Output:
// 200 {"id":"5"}
