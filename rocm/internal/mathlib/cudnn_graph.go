package mathlib

import (
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// operationAttributes are the attributes of a convolution in a graph. Each pass has its own.
type operationAttributes struct{ kind, alpha, beta, conv, x, weights, y int32 }

func (p ConvPass) graph() operationAttributes {
	return [...]operationAttributes{
		{
			CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
			CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
			CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
			CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
		},
		{
			CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
			CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
			CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
			CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
		},
		{
			CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
			CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
			CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
			CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
		},
	}[p]
}

// graphPlan is an execution plan for a convolution as a graph of one operation.
type graphPlan struct {
	enginePlan
	variantPackDesc uintptr
	operands        variantPack // of variantPackDesc
}

func (p *graphPlan) destroySteps(lib *dnnLibrary) []libraryStep {
	return destroySteps(lib.graphDrop(p.variantPackDesc), lib.graphDrop(p.plan), lib.graphDrop(p.engineConfig))
}

func (lib *dnnLibrary) graphDrop(desc uintptr) descriptor {
	return descriptor{driver.CName[dnnCalls]("graphDestroy", lib.kind.Platform.Column()), lib.graphDestroy, desc}
}

// descriptorBuilder creates descriptors. After an error it does nothing more.
type descriptorBuilder struct {
	n           *DNN
	d           Device
	descriptors []uintptr
	err         error
}

func (b *descriptorBuilder) call(field string, call func() driver.Code) {
	if b.err == nil {
		b.err = b.n.call(b.d, b.n.step(field, call))
	}
}

// create creates a descriptor of a kind.
func (b *descriptorBuilder) create(kind int32) (desc uintptr) {
	b.call("graphCreate", func() driver.Code { return b.n.lib.graphCreate(kind, &desc) })
	if desc != 0 {
		b.descriptors = append(b.descriptors, desc)
	}
	return desc
}

// finalize finalizes a descriptor: its attributes can then be read, and are set no more.
func (b *descriptorBuilder) finalize(desc uintptr) {
	b.call("graphFinalize", func() driver.Code { return b.n.lib.graphFinalize(desc) })
}

// destroy destroys the descriptors that were created.
func (b *descriptorBuilder) destroy() {
	for _, desc := range slices.Backward(b.descriptors) {
		l := b.n.lib.graphDrop(desc)
		_ = b.n.call(b.d, libraryStep{l.destroyName, func() driver.Code { return l.destroy(l.handle) }})
	}
	b.descriptors = nil
}

// graphSet sets an attribute of a descriptor.
func graphSet[T int32 | int64 | uintptr | float32 | float64](b *descriptorBuilder, desc uintptr, attribute, kind int32,
	values ...T) {
	b.call("graphSet", func() driver.Code {
		return b.n.lib.graphSet(desc, attribute, kind, int64(len(values)), unsafe.Pointer(&values[0]))
	})
}

// graphGet reads an attribute of a descriptor into values, and returns how many it has.
func graphGet[T int32 | int64 | uintptr](b *descriptorBuilder, desc uintptr, attribute, kind int32, values []T) int {
	var count int64
	b.call("graphGet", func() driver.Code {
		return b.n.lib.graphGet(desc, attribute, kind, int64(len(values)), &count,
			unsafe.Pointer(unsafe.SliceData(values)))
	})
	return int(count)
}

// tensor describes an operand. id stands for it in variant packs.
func (b *descriptorBuilder) tensor(id int64, elem string, sizes, strides []int64) uintptr {
	t := b.create(CUDNN_BACKEND_TENSOR_DESCRIPTOR)
	graphSet(b, t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, b.n.lib.kind.types[elem])
	graphSet(b, t, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, sizes...)
	graphSet(b, t, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides...)
	graphSet(b, t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id)
	graphSet(b, t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, int64(graphOperandAlignment))
	b.finalize(t)
	return t
}

// graph describes a pass as a graph of one operation.
func (b *descriptorBuilder) graph(c *Conv) (graph uintptr) {
	op := b.operation(c)
	graph = b.create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)
	graphSet(b, graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, b.n.handle)
	graphSet(b, graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, op)
	b.finalize(graph)
	return graph
}

// operation describes a pass. The number of groups is not an attribute: it follows from the channels of images and
// weights.
func (b *descriptorBuilder) operation(c *Conv) (op uintptr) {
	images := func(id int64, channels, h, w int) uintptr {
		return b.tensor(id, c.Elem, int64s(c.Images, channels, h, w), int64s(c.strides(channels, h, w)...))
	}
	x, y := images(graphX, c.Channels, c.H, c.W), images(graphY, c.Outs, c.OH, c.OW)
	weights := b.tensor(graphWeights, c.Elem, int64s(c.weightSizes()...),
		int64s(c.strides(c.Channels/c.Groups, c.KH, c.KW)...))

	conv, compute := b.create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR), int32(CUDNN_DATA_FLOAT)
	if c.Elem == "f64" {
		compute = CUDNN_DATA_DOUBLE
	}
	graphSet(b, conv, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, compute)
	graphSet(b, conv, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, int32(CUDNN_CROSS_CORRELATION))
	graphSet(b, conv, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, int64(2))
	graphSet(b, conv, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, int64s(c.Dilation[:]...)...)
	graphSet(b, conv, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, int64s(c.Stride[:]...)...)
	graphSet(b, conv, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, int64s(c.Pad[:]...)...)
	graphSet(b, conv, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, int64s(c.Pad[:]...)...)
	b.finalize(conv)

	a := c.Pass.graph()
	op = b.create(a.kind)
	graphSet(b, op, a.x, CUDNN_TYPE_BACKEND_DESCRIPTOR, x)
	graphSet(b, op, a.weights, CUDNN_TYPE_BACKEND_DESCRIPTOR, weights)
	graphSet(b, op, a.y, CUDNN_TYPE_BACKEND_DESCRIPTOR, y)
	graphSet(b, op, a.conv, CUDNN_TYPE_BACKEND_DESCRIPTOR, conv)
	if c.Elem == "f64" {
		graphSet(b, op, a.alpha, CUDNN_TYPE_DOUBLE, 1.0)
		graphSet(b, op, a.beta, CUDNN_TYPE_DOUBLE, 0.0)
	} else {
		graphSet(b, op, a.alpha, CUDNN_TYPE_FLOAT, float32(1))
		graphSet(b, op, a.beta, CUDNN_TYPE_FLOAT, float32(0))
	}
	b.finalize(op)
	return op
}

// engineConfigs are the engine configurations that the library proposes, the best first. The builder owns them.
func (b *descriptorBuilder) engineConfigs(graph uintptr, mode int32) []uintptr {
	const most = 64
	h := b.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR)
	graphSet(b, h, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, graph)
	graphSet(b, h, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode)
	b.finalize(h)
	count := min(graphGet[uintptr](b, h, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, nil), most)
	list := make([]uintptr, count)
	for i := range list {
		list[i] = b.create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)
	}
	if count > 0 {
		count = graphGet(b, h, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, list)
	}
	if b.err != nil {
		return nil
	}
	return list[:min(count, len(list))]
}

// numericalNotes are the numerical notes of a configuration's engine.
func (b *descriptorBuilder) numericalNotes(config uintptr) []int32 {
	engine := []uintptr{b.create(CUDNN_BACKEND_ENGINE_DESCRIPTOR)}
	graphGet(b, config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, engine)
	notes := make([]int32, 16)
	count := graphGet(b, engine[0], CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, notes)
	return notes[:min(count, len(notes))]
}

// plan creates the execution plan of a configuration.
func (b *descriptorBuilder) plan(config uintptr) (plan uintptr, space int) {
	plan = b.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
	graphSet(b, plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, b.n.handle)
	graphSet(b, plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, config)
	b.finalize(plan)
	size := make([]int64, 1)
	graphGet(b, plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, size)
	return plan, int(size[0])
}

// variantPack creates the descriptor of a plan's operands.
func (b *descriptorBuilder) variantPack(at variantPack) (pack uintptr) {
	pack = b.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
	graphSet(b, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, int64(graphX), graphWeights, graphY)
	graphSet(b, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, at.x, at.weights, at.y)
	graphSet(b, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, at.space)
	b.finalize(pack)
	return pack
}

// The unique IDs of the operands.
const graphX, graphWeights, graphY = 1, 2, 3

// int64s converts numbers to C's int64_t.
func int64s(list ...int) []int64 {
	out := make([]int64, len(list))
	for i, n := range list {
		out[i] = int64(n)
	}
	return out
}
