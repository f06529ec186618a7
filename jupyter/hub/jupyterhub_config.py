"""The hub of the image: JupyterLab with gorocm for each user, as a process of this container.

Settings by environment (docs/jupyterhub.md):

    GOROCM_HUB_PASSWORD         the password of all users, for trying it; without one nobody can log in until an authenticator is set
    GOROCM_HUB_IDLE             seconds after which an idle server is stopped: 3600; 0 keeps all
    GOROCM_HUB_GPUS             the GPUs that are shared, such as 0,1,2,3; all users see all GPUs without it
    GOROCM_HUB_USERS_PER_GPU    how many servers share a GPU, and its memory: 1
    GOROCM_HUB_HOMES            the folder of the users' folders: /home
    GOROCM_HUB_CONFIG           a Python file with more configuration, which is read last
"""
import os
import pathlib
import sys

from jupyterhub.spawner import SimpleLocalProcessSpawner

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import gorocm_hub  # noqa: E402

c = get_config()  # noqa: F821

gorocm_hub.share(c, SimpleLocalProcessSpawner)  # which needs no accounts of the system
c.SimpleLocalProcessSpawner.home_dir_template = os.environ.get("GOROCM_HUB_HOMES", "/home") + "/{username}"
c.Spawner.cmd = ["jupyterhub-singleuser"]
c.Spawner.default_url = "/lab"
c.Spawner.http_timeout = c.Spawner.start_timeout = 120
# A kernel without a client is ended before its server, so that the GPU's memory is free again.
idle = int(os.environ.get("GOROCM_HUB_IDLE", "3600"))
if idle > 0:
    c.Spawner.args = ["--MappingKernelManager.cull_idle_timeout=%d" % idle, "--MappingKernelManager.cull_interval=%d" % max(1, min(300, idle // 2)),
                      "--MappingKernelManager.cull_connected=False"]
    c.JupyterHub.load_roles = [{"name": "idle-culler", "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
                                "services": ["idle-culler"]}]
    c.JupyterHub.services = [{"name": "idle-culler", "command": [
        sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=%d" % idle, "--cull-every=%d" % max(1, min(300, idle // 2))]}]

password = os.environ.get("GOROCM_HUB_PASSWORD", "")
if password:
    c.JupyterHub.authenticator_class = "dummy"
    c.DummyAuthenticator.password = password
    c.Authenticator.allow_all = True

more = os.environ.get("GOROCM_HUB_CONFIG", "")
if more:
    load_subconfig(more)  # noqa: F821
