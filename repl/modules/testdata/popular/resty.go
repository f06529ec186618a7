// %get github.com/go-resty/resty/v2@v2.17.2

package main

import (
	"fmt"
	"github.com/go-resty/resty/v2"
	"net/http"
	"net/http/httptest"
)

func main() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"a": 3}`)
	}))
	defer s.Close()
	var r struct{ A int }
	resp, err := resty.New().R().SetResult(&r).Get(s.URL)
	fmt.Println(resp.StatusCode(), r.A, err)
}

// Output:
// 200 3 <nil>
