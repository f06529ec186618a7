// %get github.com/rs/cors@v1.11.1

package main

import (
	"fmt"
	"github.com/rs/cors"
	"net/http"
	"net/http/httptest"
)

func main() {
	h := cors.New(cors.Options{AllowedOrigins: []string{"https://go.dev"}}).Handler(http.NotFoundHandler())
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Origin", "https://go.dev")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Access-Control-Allow-Origin"))
}

// Output:
// 404 https://go.dev
