// %get github.com/gin-gonic/gin@v1.12.0

package main

import (
	"fmt"
	"github.com/gin-gonic/gin"
	"net/http/httptest"
)

func main() {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.GET("/ping/:name", func(c *gin.Context) { c.JSON(200, gin.H{"message": "pong " + c.Param("name")}) })
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/ping/ada", nil))
	fmt.Println(w.Code, w.Body)
}

// Output:
// 200 {"message":"pong ada"}
