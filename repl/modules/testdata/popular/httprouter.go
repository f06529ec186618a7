// %get github.com/julienschmidt/httprouter@v1.3.0

package main

import (
	"fmt"
	"github.com/julienschmidt/httprouter"
	"net/http"
	"net/http/httptest"
)

func main() {
	r := httprouter.New()
	r.GET("/hello/:name", func(w http.ResponseWriter, _ *http.Request, ps httprouter.Params) {
		fmt.Fprint(w, "hello ", ps.ByName("name"))
	})
	for _, path := range []string{"/hello/ada", "/nothing"} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Body)
	}
}

// Output:
// 200 hello ada
// 404 404 page not found
//
