"""Writes the GGUF files of mmproj with llama.cpp's own converter, of the folders of vision_language: the language model, and beside it the mmproj file of the part that reads images.

    pip install torch transformers gguf sentencepiece && python3 mmproj.py FOLDER_OF_LLAMA_CPP

The converter knows neither these tokenizers, whose letters become those of a byte-level one, nor where newer folders say how images are prepared.
"""
import json
import os
import runpy
import shutil
import sys
import tempfile

source, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [source, source + "/gguf-py"]
import conversion.base  # noqa: E402

conversion.base.TextModel.get_vocab_base_pre = lambda self, tok: "qwen2"
for name in ("qwen2vl", "qwen25vl"):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(f"{here}/vision_language/{name}", folder, dirs_exist_ok=True)
        with open(folder + "/processor_config.json") as f:
            prepare = json.load(f)["image_processor"]
        with open(folder + "/preprocessor_config.json", "w") as f:
            json.dump(prepare, f)
        with open(folder + "/tokenizer.json") as f:
            t = json.load(f)
        t["model"]["vocab"] = {{" ": "Ġ", "\n": "Ċ"}.get(k, k): i for k, i in t["model"]["vocab"].items()}
        t["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
        t["decoder"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
        with open(folder + "/tokenizer.json", "w") as f:
            json.dump(t, f, ensure_ascii=False)
        os.makedirs(f"{here}/mmproj/{name}", exist_ok=True)
        for options, file in (["--outtype", "f32"], "model"), (["--outtype", "f32", "--mmproj"], "mmproj-model-f32"):
            sys.argv = ["convert", folder, "--outfile", f"{here}/mmproj/{name}/{file}.gguf", *options]
            runpy.run_path(source + "/convert_hf_to_gguf.py", run_name="__main__")
