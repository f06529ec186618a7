// %get github.com/google/go-github/v66@v66.0.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/google/go-github/v66/github"
)

func main() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/repos/a/b" {
			http.Error(w, `{"message": "Not Found"}`, http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, `{"id": 7, "full_name": "a/b", "stargazers_count": 3, "topics": ["go"], "created_at": "2024-05-06T07:08:09Z"}`)
	}))
	defer srv.Close()
	c := github.NewClient(nil).WithAuthToken("t")
	c.BaseURL, _ = url.Parse(srv.URL + "/")
	repo, _, err := c.Repositories.Get(context.Background(), "a", "b")
	fmt.Println(err, repo.GetFullName(), repo.GetStargazersCount(), repo.Topics, repo.GetCreatedAt().UTC())
	_, resp, err := c.Repositories.Get(context.Background(), "a", "c")
	var e *github.ErrorResponse
	fmt.Println(resp.StatusCode, err != nil, fmt.Sprintf("%T", err) == fmt.Sprintf("%T", e))
	fmt.Println(github.Stringify(github.IssueRequest{Title: github.String("t"), Labels: &[]string{"x"}}))
}

// Output:
// <nil> a/b 3 [go] 2024-05-06 07:08:09 +0000 UTC
// 404 true true
// github.IssueRequest{Title:"t", Labels:["x"]}
