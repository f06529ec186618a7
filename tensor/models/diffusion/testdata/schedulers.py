"""Writes what the schedulers of Hugging Face's diffusers make of a picture, step by step, into schedulers.json and schedulers.safetensors beside this file.

    pip install torch diffusers && python3 schedulers.py

What the UNet would say is a formula, as is the noise: said and noise.
"""
import json
import os
import sys

import diffusers
import numpy as np
import torch
from safetensors.torch import save_file

here = os.path.dirname(os.path.abspath(__file__))
shape = (1, 4, 2, 3)
drawn = 0


def noise(k):
    return torch.tensor(1.4 * np.sin(1.37 * np.arange(24) + 0.71 * k + 0.3)).float().reshape(shape)


def next_noise(*args, **kwargs):
    global drawn
    drawn += 1
    return noise(drawn - 1)


def said(x, t):
    return torch.sin(0.7 * x + 0.01 * float(t)) * 0.8 + 0.2 * x


sd = dict(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1)
v, sample = dict(prediction_type="v_prediction"), dict(prediction_type="sample")
ways = [dict(timestep_spacing="linspace"), dict(timestep_spacing="trailing"), dict(timestep_spacing="leading")]
karras, exponential = dict(use_karras_sigmas=True), dict(use_exponential_sigmas=True)
sde = dict(algorithm_type="sde-dpmsolver++")
zero, cosine = dict(rescale_betas_zero_snr=True), dict(beta_schedule="squaredcos_cap_v2")
last = dict(final_sigmas_type="sigma_min")
plms = dict(skip_prk_steps=True)
CASES = {
    "DDIMScheduler": [{}, v, sample, *ways, dict(clip_sample=False), dict(clip_sample=False, set_alpha_to_one=False), dict(clip_sample_range=0.5), {**v, **zero, "timestep_spacing": "trailing"}, dict(beta_schedule="linear", beta_end=0.02), cosine,
                      dict(num_train_timesteps=50, trained_betas=[0.001 * (i + 1) for i in range(50)])],
    "PNDMScheduler": [plms, {**plms, **v}, *({**plms, **w} for w in ways), {**plms, "set_alpha_to_one": True}],
    "EulerDiscreteScheduler": [{}, v, sample, *ways, karras, exponential, last, dict(interpolation_type="log_linear"), dict(interpolation_type="log_linear", **karras), dict(sigma_min=0.1, sigma_max=8.0, **karras), {**v, **zero, "timestep_spacing": "trailing"}],
    "EulerAncestralDiscreteScheduler": [{}, v, *ways, {**v, **zero, "timestep_spacing": "trailing"}],
    "DPMSolverMultistepScheduler": [{}, v, sample, *ways, dict(solver_order=1), dict(solver_order=3), dict(solver_type="heun"), karras, exponential, last, dict(lower_order_final=False), dict(euler_at_final=True, **last), sde, {**sde, "solver_type": "heun"},
                                    {**sde, "solver_order": 3}, {**cosine, "lambda_min_clipped": -5.1}, {**karras, **cosine}, {**v, **zero, "timestep_spacing": "trailing"}, dict(solver_type="logrho")],
    "UniPCMultistepScheduler": [{}, v, sample, *ways, dict(solver_order=1), dict(solver_order=3), dict(solver_type="bh1", **last), dict(solver_type="bh1", solver_order=3, **last), karras, exponential, last, {**last, **karras}, dict(lower_order_final=False, **last),
                                dict(lower_order_final=False, solver_order=3, **last), dict(disable_corrector=[0, 2, 3]), {**karras, **cosine}, dict(sigma_min=0.1, sigma_max=8.0, **karras), {**v, **zero, "timestep_spacing": "trailing"}],
    "HeunDiscreteScheduler": [{}, v, sample, *ways, karras, exponential, {**v, **karras}, cosine],
    "LCMScheduler": [{}, v, sample, dict(clip_sample=True, clip_sample_range=0.5), dict(original_inference_steps=100, timestep_scaling=3.0), {**v, **zero}],
}
cases, tensors = [], {}
for kind, configs in CASES.items():
    cls = getattr(diffusers, kind)
    sys.modules[cls.__module__].randn_tensor = next_noise
    for config in configs:
        config = {**sd, **config}
        for steps, first in ((6, 0), (20, 0), (8, 4 if kind == "HeunDiscreteScheduler" else 3), (1, 0)) if len(config) < 6 else ((6, 0), (17, 4)):
            s = cls(**config)
            s.set_timesteps(steps)
            drawn, n = 1, len(cases)
            if hasattr(s, "set_begin_index"):
                s.set_begin_index(first)
            if first:
                x = s.add_noise(noise(100), noise(0), s.timesteps[first : first + 1])
            else:
                x = noise(0) * s.init_noise_sigma
            track = [x]
            for t in s.timesteps[first:]:
                x = s.step(said(s.scale_model_input(x, t), t), t, x, return_dict=False)[0].float()
                track.append(x)
            assert torch.isfinite(torch.stack(track)).all(), (kind, config, steps)
            cases.append(dict(kind=kind, config=config, steps=steps, first=first, times=[float(t) for t in s.timesteps]))
            tensors[f"{n}"] = torch.cat(track).flatten(1) if n % 4 == 0 else torch.stack([track[0], track[len(track) // 2], track[-1]]).flatten(1)
save_file({k: t.contiguous() for k, t in tensors.items()}, f"{here}/schedulers.safetensors")
with open(f"{here}/schedulers.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
print(len(cases), "cases")
