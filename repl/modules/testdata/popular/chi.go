// %get github.com/go-chi/chi/v5@v5.2.3

package main

import (
	"fmt"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"net/http"
	"net/http/httptest"
)

func main() {
	r := chi.NewRouter()
	r.Use(middleware.RequestID)
	r.Get("/u/{id}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", chi.URLParam(r, "id")) })
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/u/5", nil))
	fmt.Println(w.Code, w.Body)
}

// Output:
// 200 user 5
