// %get go.opentelemetry.io/otel@v1.47.0

package main

import (
	"context"
	"fmt"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
)

func main() {
	ctx, span := otel.Tracer("t").Start(context.Background(), "op")
	span.SetAttributes(attribute.Int("n", 1))
	span.End()
	m := propagation.MapCarrier{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	ctx = propagation.TraceContext{}.Extract(ctx, m)
	out := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, out)
	fmt.Println(out.Get("traceparent"))
}

// Output:
// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
