"""Shares the GPUs of a machine among the servers of a JupyterHub.

    import gorocm_hub
    from jupyterhub.spawner import LocalProcessSpawner
    gorocm_hub.share(c, LocalProcessSpawner, gpus=[0, 1, 2, 3], users_per_gpu=2)

Each server that the hub starts gets the GPU that the fewest running servers have: its ROCR_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES name
that one alone, so "rocm" and "cuda" are that GPU in its kernels, and GOROCM_GPU_MEMORY limits each kernel to a share of its memory. When all
shares are taken, a server is not started, and its user is told why.
"""
import os

from tornado.web import HTTPError

# The environment by which AMD's and NVIDIA's runtimes, and gorocm itself, are told of a share.
DEVICES = ("ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
MEMORY = "GOROCM_GPU_MEMORY"


class NoGPU(HTTPError):
    """All shares are taken. JupyterHub shows users the message of an HTTPError, and hides those of other errors."""

    def __init__(self, text):
        super().__init__(503, text)
        self.jupyterhub_message = text


class Shares:
    """Which server has which GPU, in the order of starts."""

    def __init__(self, gpus, users_per_gpu=1):
        self.gpus, self.users_per_gpu = [str(g) for g in gpus], users_per_gpu
        if not self.gpus or users_per_gpu < 1:
            raise ValueError("gorocm_hub: want at least one GPU and one user for each: gpus=%r, users_per_gpu=%r" % (gpus, users_per_gpu))
        if len(set(self.gpus)) < len(self.gpus):
            raise ValueError("gorocm_hub: a GPU is named twice: gpus=%r" % (gpus,))
        self.taken = {}  # GPU by server

    def take(self, server):
        """The GPU of a server. One that has a GPU already keeps it."""
        if server in self.taken:
            return self.taken[server]
        users = {g: 0 for g in self.gpus}
        for g in self.taken.values():
            users[g] += 1
        gpu = min(self.gpus, key=lambda g: users[g])
        if users[gpu] >= self.users_per_gpu:
            raise NoGPU("All %d shares of the GPUs are taken. Stop a server that you do not use, or try again later." % len(self.taken))
        self.taken[server] = gpu
        return gpu

    def restore(self, server, gpu):
        """Notes what a server has that runs since before the hub was started."""
        if gpu in self.gpus:
            self.taken[server] = gpu

    def free(self, server):
        self.taken.pop(server, None)

    def environment(self, gpu):
        share = {name: gpu for name in DEVICES}
        share[MEMORY] = "%d%%" % (100 // self.users_per_gpu)
        return share


def sharing(spawner, shares):
    """A class of spawners as the given one, whose servers have shares. The hub keeps the GPU of a server in its database, with what else it
    knows of the server, so that a hub that is started again counts servers that still run."""

    class Sharing(spawner):
        def _share_name(self):
            return self.user.name + "/" + self.name

        async def run_pre_spawn_hook(self):
            self.log.info("%s gets GPU %s", self._share_name(), shares.take(self._share_name()))
            hook = super().run_pre_spawn_hook()
            if hook is not None:
                await hook

        def get_env(self):
            env, gpu = super().get_env(), shares.taken.get(self._share_name())
            return env if gpu is None else dict(env, **shares.environment(gpu))

        def get_state(self):
            state, gpu = super().get_state(), shares.taken.get(self._share_name())
            return state if gpu is None else dict(state, gorocm_gpu=gpu)

        def load_state(self, state):
            super().load_state(state)
            if "gorocm_gpu" in state:
                shares.restore(self._share_name(), state["gorocm_gpu"])

        def clear_state(self):
            super().clear_state()
            shares.free(self._share_name())

    Sharing.__name__ = "Sharing" + spawner.__name__
    return Sharing


def share(c, spawner, gpus=None, users_per_gpu=None):
    """Has a hub's configuration c start servers by a class of spawners, and share GPUs among them. Without gpus, those of the variable
    GOROCM_HUB_GPUS, such as 0,1; with neither, GPUs are not shared. users_per_gpu is 1, or GOROCM_HUB_USERS_PER_GPU."""
    if gpus is None:
        gpus = [g.strip() for g in os.environ.get("GOROCM_HUB_GPUS", "").split(",") if g.strip()]
    if users_per_gpu is None:
        users_per_gpu = int(os.environ.get("GOROCM_HUB_USERS_PER_GPU", "1"))
    c.JupyterHub.spawner_class = sharing(spawner, Shares(gpus, users_per_gpu)) if gpus else spawner
