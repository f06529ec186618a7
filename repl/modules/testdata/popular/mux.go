// %get github.com/gorilla/mux@v1.8.1

package main

import (
	"fmt"
	"github.com/gorilla/mux"
	"net/http"
	"net/http/httptest"
)

func main() {
	r := mux.NewRouter()
	r.HandleFunc("/u/{id:[0-9]+}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "user ", mux.Vars(r)["id"]) }).Methods("GET")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/u/5", nil))
	fmt.Println(w.Code, w.Body)
}

// Output:
// 200 user 5
