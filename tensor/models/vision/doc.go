// Package vision has models of images: those that classify them or make vectors of them (ViT, DINOv2, ResNet,
// ConvNeXt), and those that compare them with texts (CLIP, SigLIP).
//
//	m, err := vision.Open("vit-base-patch16-224", dev) // a folder of Hugging Face
//	image, err := formats.ReadImage("cat.png", dev)
//	m.Classify(image)
//
//	clip, err := vision.OpenCLIP("clip-vit-base-patch32", dev)
//	clip.Classify(image, "a photo of a cat", "a photo of a dog")
//
// A Model is a Processor, which makes of an image the numbers that the model reads, as the image processors of
// transformers do on Pillow, and a network, which the file of its family builds from the weights (vit.go, dinov2.go,
// resnet.go, convnext.go). Patches become rows in patches.go; resize.go is Pillow's resampling.
//
// A Tower reads images for a language model, which models.Open reads with it: SmolVLM's and Idefics 3's, with images in
// Tiles (tiles.go, tower_smol.go), and LLaVA's (tower_llava.go).
//
// Images are tensors of U8 as package formats reads them, [channels height width].
package vision
