package mathlib

import (
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The enumerations of cuDNN's graphs, since version 8: kinds of descriptors, their attributes, and the types of these.
const (
	graphConvolution = 1
	graphEngine      = 2
	graphConfig      = 3
	graphHeuristics  = 4
	graphPlanned     = 5
	graphForward     = 10
	graphFilter      = 11
	graphData        = 12
	graphOperations  = 15
	graphPack        = 16
	graphTensor      = 17

	convCompute, convMode, convDilations, convSteps, convPadAfter, convPadBefore, convAxes = 100, 101, 102, 103, 104, 105, 106

	heuristicsMode, heuristicsGraph, heuristicsResults = 200, 201, 202
	configEngine                                       = 300
	planHandle, planConfig, planSpace                  = 400, 401, 402
	operationsHandle, operationsList                   = 800, 801
	tensorAlignment, tensorElem, tensorSizes           = 900, 901, 902
	tensorStrides, tensorID                            = 903, 906
	packIDs, packPointers, packSpace                   = 1000, 1001, 1003
	engineNotes                                        = 1303

	typeHandle, typeElem, typeInt64, typeFloat, typeDouble = 0, 1, 3, 4, 5
	typePointer, typeConvMode, typeHeuristics              = 6, 7, 8
	typeNote, typeDescriptor                               = 11, 15

	heuristicsFallback, heuristicsBest = 2, 3

	noteTensorCores, noteFewerBits, noteFewerBitsOfSums, noteFourier, noteOtherBits, noteWinograd = 0, 1, 2, 3, 4, 5
)

// graphAttributes are those of a convolution that is an operation of a graph, which are other numbers for each pass.
type graphAttributes struct{ kind, alpha, beta, conv, x, weights, y int32 }

func (p ConvPass) graph() graphAttributes {
	return [...]graphAttributes{
		{graphForward, 700, 701, 702, 704, 703, 705},
		{graphData, 706, 707, 708, 710, 709, 711},
		{graphFilter, 712, 713, 714, 716, 715, 717},
	}[p]
}

// graphPlan is a convolution as a graph of one operation, with the way that was chosen to compute it.
type graphPlan struct {
	graphWay
	pack uintptr
	at   graphPlaces // of the pack
}

func (p *graphPlan) drop(lib *dnnLibrary) []step {
	return drops(lib.graphDrop(p.pack), lib.graphDrop(p.plan), lib.graphDrop(p.config))
}

func (lib *dnnLibrary) graphDrop(desc uintptr) dropped {
	return dropped{driver.CName[dnnCalls]("GraphDestroy", lib.kind.Platform.Column()), lib.graphDestroy, desc}
}

// graphBuilder makes descriptors. After an error it does nothing more.
type graphBuilder struct {
	n    *DNN
	d    Device
	made []uintptr
	err  error
}

func (b *graphBuilder) call(field string, call func() driver.Code) {
	if b.err == nil {
		b.err = b.n.call(b.d, b.n.step(field, call))
	}
}

// part makes a descriptor of a kind.
func (b *graphBuilder) part(kind int32) (desc uintptr) {
	b.call("graphCreate", func() driver.Code { return b.n.lib.graphCreate(kind, &desc) })
	if desc != 0 {
		b.made = append(b.made, desc)
	}
	return desc
}

// finish ends a descriptor's attributes.
func (b *graphBuilder) finish(desc uintptr) {
	b.call("graphFinalize", func() driver.Code { return b.n.lib.graphFinalize(desc) })
}

// drop gives back the descriptors that were made.
func (b *graphBuilder) drop() {
	for _, desc := range slices.Backward(b.made) {
		l := b.n.lib.graphDrop(desc)
		_ = b.n.call(b.d, step{l.field, func() driver.Code { return l.call(l.desc) }})
	}
	b.made = nil
}

// graphSet tells a descriptor an attribute.
func graphSet[T int32 | int64 | uintptr | float32 | float64](b *graphBuilder, desc uintptr, attribute, kind int32, values ...T) {
	b.call("graphSet", func() driver.Code {
		return b.n.lib.graphSet(desc, attribute, kind, int64(len(values)), unsafe.Pointer(&values[0]))
	})
}

// graphGet asks a descriptor for an attribute, of which there is room for so many values, and says how many there are.
func graphGet[T int32 | int64 | uintptr](b *graphBuilder, desc uintptr, attribute, kind int32, values []T) int {
	var count int64
	b.call("graphGet", func() driver.Code {
		return b.n.lib.graphGet(desc, attribute, kind, int64(len(values)), &count, unsafe.Pointer(unsafe.SliceData(values)))
	})
	return int(count)
}

// tensor describes an operand by the number that a pack gives its place with.
func (b *graphBuilder) tensor(id int64, elem string, sizes, strides []int64) uintptr {
	t := b.part(graphTensor)
	graphSet(b, t, tensorElem, typeElem, b.n.lib.kind.types[elem])
	graphSet(b, t, tensorSizes, typeInt64, sizes...)
	graphSet(b, t, tensorStrides, typeInt64, strides...)
	graphSet(b, t, tensorID, typeInt64, id)
	graphSet(b, t, tensorAlignment, typeInt64, int64(graphAlignment))
	b.finish(t)
	return t
}

// graph describes a pass as a graph of one operation.
func (b *graphBuilder) graph(c *Conv) (graph uintptr) {
	op := b.operation(c)
	graph = b.part(graphOperations)
	graphSet(b, graph, operationsHandle, typeHandle, b.n.handle)
	graphSet(b, graph, operationsList, typeDescriptor, op)
	b.finish(graph)
	return graph
}

// operation describes a pass. Nobody says of groups how many there are: weights have fewer channels than images.
func (b *graphBuilder) operation(c *Conv) (op uintptr) {
	images := func(id int64, channels, h, w int) uintptr {
		return b.tensor(id, c.Elem, longs(c.Images, channels, h, w), longs(c.strides(channels, h, w)...))
	}
	x, y := images(graphX, c.Channels, c.H, c.W), images(graphY, c.Outs, c.OH, c.OW)
	weights := b.tensor(graphWeights, c.Elem, longs(c.weightSizes()...), longs(c.strides(c.Channels/c.Groups, c.KH, c.KW)...))

	conv, compute := b.part(graphConvolution), int32(cudnnFloat)
	if c.Elem == "f64" {
		compute = cudnnDouble
	}
	graphSet(b, conv, convCompute, typeElem, compute)
	graphSet(b, conv, convMode, typeConvMode, int32(cudnnCrossCorrelation))
	graphSet(b, conv, convAxes, typeInt64, int64(2))
	graphSet(b, conv, convDilations, typeInt64, longs(c.Dilation[:]...)...)
	graphSet(b, conv, convSteps, typeInt64, longs(c.Step[:]...)...)
	graphSet(b, conv, convPadBefore, typeInt64, longs(c.Pad[:]...)...)
	graphSet(b, conv, convPadAfter, typeInt64, longs(c.Pad[:]...)...)
	b.finish(conv)

	a := c.Pass.graph()
	op = b.part(a.kind)
	graphSet(b, op, a.x, typeDescriptor, x)
	graphSet(b, op, a.weights, typeDescriptor, weights)
	graphSet(b, op, a.y, typeDescriptor, y)
	graphSet(b, op, a.conv, typeDescriptor, conv)
	if c.Elem == "f64" {
		graphSet(b, op, a.alpha, typeDouble, 1.0)
		graphSet(b, op, a.beta, typeDouble, 0.0)
	} else {
		graphSet(b, op, a.alpha, typeFloat, float32(1))
		graphSet(b, op, a.beta, typeFloat, float32(0))
	}
	b.finish(op)
	return op
}

// configs are the library's proposals, the best first. They are part of what the builder made.
func (b *graphBuilder) configs(graph uintptr, mode int32) []uintptr {
	const most = 64
	h := b.part(graphHeuristics)
	graphSet(b, h, heuristicsGraph, typeDescriptor, graph)
	graphSet(b, h, heuristicsMode, typeHeuristics, mode)
	b.finish(h)
	count := min(graphGet[uintptr](b, h, heuristicsResults, typeDescriptor, nil), most)
	list := make([]uintptr, count)
	for i := range list {
		list[i] = b.part(graphConfig)
	}
	if count > 0 {
		count = graphGet(b, h, heuristicsResults, typeDescriptor, list)
	}
	if b.err != nil {
		return nil
	}
	return list[:min(count, len(list))]
}

// notes are what the library says of the engine of a configuration.
func (b *graphBuilder) notes(config uintptr) []int32 {
	engine := []uintptr{b.part(graphEngine)}
	graphGet(b, config, configEngine, typeDescriptor, engine)
	notes := make([]int32, 16)
	count := graphGet(b, engine[0], engineNotes, typeNote, notes)
	return notes[:min(count, len(notes))]
}

// plan makes what executes a configuration.
func (b *graphBuilder) plan(config uintptr) (plan uintptr, space int) {
	plan = b.part(graphPlanned)
	graphSet(b, plan, planHandle, typeHandle, b.n.handle)
	graphSet(b, plan, planConfig, typeDescriptor, config)
	b.finish(plan)
	size := make([]int64, 1)
	graphGet(b, plan, planSpace, typeInt64, size)
	return plan, int(size[0])
}

// pack says where the operands of a plan are.
func (b *graphBuilder) pack(at graphPlaces) (pack uintptr) {
	pack = b.part(graphPack)
	graphSet(b, pack, packIDs, typeInt64, int64(graphX), graphWeights, graphY)
	graphSet(b, pack, packPointers, typePointer, at.x, at.weights, at.y)
	graphSet(b, pack, packSpace, typePointer, at.space)
	b.finish(pack)
	return pack
}

// The numbers of the operands.
const graphX, graphWeights, graphY = 1, 2, 3

// longs are numbers as C's int64_t.
func longs(list ...int) []int64 {
	out := make([]int64, len(list))
	for i, n := range list {
		out[i] = int64(n)
	}
	return out
}
