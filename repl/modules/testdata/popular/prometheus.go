// %get github.com/prometheus/client_golang@v1.25.0

package main

import (
	"fmt"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"net/http/httptest"
)

func main() {
	reg := prometheus.NewRegistry()
	hits := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "hits_total", Help: "Hits."}, []string{"path"})
	reg.MustRegister(hits)
	hits.WithLabelValues("/a").Add(3)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	fmt.Print(w.Body)
}

// Output:
// # HELP hits_total Hits.
// # TYPE hits_total counter
// hits_total{path="/a"} 3
