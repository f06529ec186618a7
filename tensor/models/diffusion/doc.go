// Package diffusion makes pictures of texts: Stable Diffusion 1, 2, XL and 3, and FLUX.1, from the folders of Hugging
// Face's diffusers.
//
//	p, err := diffusion.Open("stable-diffusion-v1-5", dev)
//	p.Picture("a photo of a horse")
//
// A text becomes a picture in these steps:
//
//	text.go         the text → rows (the text encoders); text_t5.go for those of SD3 and FLUX
//	schedule.go     noise levels of the steps; scheduler_*.go are the methods that go from one to the next
//	unet.go         a noisy picture, a time and the rows → what is noise in it, in each step
//	mmdit.go        the same by a transformer, of SD3 and FLUX; mmdit_layers.go has its layers
//	vae.go          the last picture, which is small and has other channels → pixels
//	pipeline.go     reading a folder; pipeline_flow.go one of SD3 or FLUX
//	picture.go      the steps, one after the other
//	resnet.go, transformer.go  what the UNet and the VAE are made of
//	config.go       files of JSON, of which no key may be left unread
package diffusion
