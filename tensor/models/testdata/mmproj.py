"""Writes the GGUF files of mmproj with llama.cpp's own converters, of the folders of vision_language: the language model, and beside it the mmproj file of the part that reads images.

    pip install torch transformers gguf sentencepiece && python3 mmproj.py FOLDER_OF_LLAMA_CPP [NAME]...

The converter does not know these tokenizers, whose letters become those of a byte-level one, nor Gemma 3 with a window in every other layer and with the names of newer folders. LLaVA has a converter of its own, which wants the parts of the model apart.
"""
import json
import os
import runpy
import shutil
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

source, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
names = sys.argv[2:] or ["qwen2vl", "qwen25vl", "gemma3vl", "smolvlm", "llava"]
sys.path[:0] = [source, source + "/gguf-py"]
import conversion.base  # noqa: E402

conversion.base.TextModel.get_vocab_base_pre = lambda self, tok: "smollm" if name == "smolvlm" else "qwen2"
add_window = conversion.base.gguf.GGUFWriter.add_sliding_window


def add_windows(self, window):
    add_window(self, window)
    self.add_sliding_window_pattern(2)


def convert(script, *options):
    sys.argv = [script, *options]
    runpy.run_path(f"{source}/{script}", run_name="__main__")


class OldCLIP(torch.nn.Module):
    """A CLIPVisionModel with the names that it had when the converter of LLaVA was written."""

    def __init__(self, model):
        super().__init__()
        self.vision_model = model

    @classmethod
    def from_pretrained(cls, folder):
        return cls(CLIPVisionModel.from_pretrained(folder))


CLIPVisionModel = transformers.CLIPVisionModel
transformers.models.clip.modeling_clip.CLIPVisionModel = OldCLIP


def llava(folder, to):
    """CLIP and the projector, whose weights have the names of LLaVA's own files."""
    with open(folder + "/config.json") as f:
        config = transformers.CLIPVisionConfig(**json.load(f)["vision_config"])
    weights = load_file(folder + "/model.safetensors")
    clip = CLIPVisionModel(config)
    own = clip.state_dict()
    for key in own:
        own[key] = next(v for k, v in weights.items() if k.endswith("vision_tower." + key))
    clip.load_state_dict(own)
    clip.save_pretrained(folder + "/clip")
    projector = {k.split("multi_modal_projector.")[1].replace("linear_1", "model.mm_projector.0").replace("linear_2", "model.mm_projector.2"): v for k, v in weights.items() if "multi_modal_projector." in k}
    torch.save(projector, folder + "/llava.projector")
    convert("tools/mtmd/legacy-models/convert_image_encoder_to_gguf.py", "-m", folder + "/clip", "--llava-projector", folder + "/llava.projector", "--output-dir", folder + "/out", "--clip-model-is-vision", "--use-f32")
    os.rename(folder + "/out/mmproj-model-f32.gguf", to)


for name in names:
    conversion.base.gguf.GGUFWriter.add_sliding_window = add_windows if name == "gemma3vl" else add_window
    with tempfile.TemporaryDirectory() as parent:
        folder = f"{parent}/{name}"
        shutil.copytree(f"{here}/vision_language/{name}", folder)
        with open(folder + "/tokenizer.json") as f:
            t = json.load(f)
        t["model"]["vocab"] = {{" ": "Ġ", "\n": "Ċ"}.get(k, k): i for k, i in t["model"]["vocab"].items()}
        t["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
        t["decoder"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
        with open(folder + "/tokenizer.json", "w") as f:
            json.dump(t, f, ensure_ascii=False)
        if name == "smolvlm":  # as its own files have it
            with open(folder + "/config.json") as f:
                config = json.load(f)
            config["text_config"]["architectures"] = ["VLlama3ForCausalLM"]
            with open(folder + "/config.json", "w") as f:
                json.dump(config, f)
        if name == "gemma3vl":
            weights = {k.replace("vision_tower.", "vision_tower.vision_model."): v for k, v in load_file(folder + "/model.safetensors").items()}
            save_file(weights, folder + "/model.safetensors", metadata={"format": "pt"})
        to = f"{here}/mmproj/{name}"
        os.makedirs(to, exist_ok=True)
        convert("convert_hf_to_gguf.py", folder, "--outfile", f"{to}/model.gguf", "--outtype", "f32")
        if name == "llava":
            llava(folder, f"{to}/mmproj-model-f32.gguf")
        else:
            convert("convert_hf_to_gguf.py", folder, "--outfile", f"{to}/mmproj-model-f32.gguf", "--outtype", "f32", "--mmproj")
