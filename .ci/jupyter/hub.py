"""A JupyterHub with the configuration of its image, and the kernel that Jupyter knows as gorocm: users log in, start servers and kernels,
run cells and share GPUs, and what is idle is stopped.

    hub.py PROXY       the program configurable-http-proxy

Prints "PASS name" or "FAIL name: why" for each step.
"""
import http.cookiejar
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import urllib.error
import urllib.parse
import urllib.request

from frontends import PATIENCE, free_port, run_over_websocket

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "jupyter" / "hub"))
import gorocm_hub
IDLE = 20


class User:
    """A browser of one user, with its cookies."""

    def __init__(self, hub, name):
        self.hub, self.name, self.jar = hub, name, http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def get(self, path):
        with self.opener.open(self.hub + path, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def log_in(self, password):
        token = re.search(r'name="_xsrf" value="([^"]*)"', self.get("/hub/login")).group(1)
        form = urllib.parse.urlencode({"username": self.name, "password": password, "_xsrf": token})
        with self.opener.open(self.hub + "/hub/login?next=%2Fhub%2Ftoken", form.encode(), timeout=PATIENCE) as answer:
            return answer.geturl()

    def token(self):
        """A token of the user, which the pages of the hub make as this does."""
        self.get("/hub/token")
        xsrf = next(k.value for k in self.jar if k.name == "_xsrf" and k.path == "/hub/")
        request = urllib.request.Request(self.hub + "/hub/api/users/%s/tokens" % self.name, method="POST", data=b"{}",
                                         headers={"X-XSRFToken": xsrf, "Content-Type": "application/json", "Referer": self.hub + "/hub/token"})
        with self.opener.open(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())["token"]


def call(hub, token, method, path, body=None):
    request = urllib.request.Request(hub + path, method=method, headers={"Authorization": "token " + token},
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read() or "null")


def wait_until(what, condition):
    end = time.monotonic() + PATIENCE
    while True:
        if value := condition():
            return value
        assert time.monotonic() < end, "after %d s not yet: %s" % (PATIENCE, what)
        time.sleep(0.3)


def run_cells(hub, token, user, codes):
    """Starts a kernel on a user's server, and returns what its cells show."""
    kernels = "/user/%s/api/kernels" % user
    kernel = call(hub, token, "POST", kernels, {"name": "gorocm"})["id"]
    return run_over_websocket(hub + kernels + "/" + kernel, "token " + token, codes)


class Hub:
    """The hub of the image, on ports of its own, with two GPUs of which each is for one server."""

    def __init__(self, folder, proxy):
        self.folder, self.url = folder, "http://127.0.0.1:%d" % free_port()
        more = folder / "more.py"
        ports = [free_port(), free_port()]
        more.write_text("c.JupyterHub.bind_url = %r\nc.JupyterHub.hub_port = %d\nc.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:%d'\n"
                        "c.ConfigurableHTTPProxy.command = %r\nc.Spawner.args.extend(['--allow-root'])\n"
                        "c.Spawner.env_keep.extend(['JUPYTER_DATA_DIR', 'GOROCM_CACHE'])\n"
                        "c.SimpleLocalProcessSpawner.cmd = [%r, '-m', 'jupyterhub.singleuser']\n"
                        % (self.url, ports[0], ports[1], [str(proxy)], sys.executable))
        env = dict(os.environ, GOROCM_HUB_PASSWORD="guest", GOROCM_HUB_IDLE=str(IDLE), GOROCM_HUB_GPUS="0,1", GOROCM_HUB_CONFIG=str(more),
                   GOROCM_HUB_HOMES=str(folder / "homes"), PATH=os.path.dirname(sys.executable) + ":" + os.environ["PATH"],
                   GOROCM_CACHE=str(folder / "cache"))
        self.log = open(folder / "hub.log", "w+")
        self.process = subprocess.Popen([sys.executable, "-m", "jupyterhub", "-f", str(ROOT / "jupyter/hub/jupyterhub_config.py")], cwd=folder,
                                        env=env, stdout=self.log, stderr=self.log, start_new_session=True)
        wait_until("the hub answers", self.answers)

    def answers(self):
        assert self.process.poll() is None, "the hub has ended"
        try:
            return urllib.request.urlopen(self.url + "/hub/api", timeout=5).read()
        except (urllib.error.URLError, OSError):
            return None

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.log.close()


def start_server(hub, token, user):
    call(hub.url, token, "POST", "/hub/api/users/%s/server" % user)
    wait_until("%s has a server" % user, lambda: call(hub.url, token, "GET", "/hub/api/users/" + user)["servers"].get("", {}).get("ready"))


ENVIRONMENT = 'strings.Join([]string{os.Getenv("ROCR_VISIBLE_DEVICES"), os.Getenv("CUDA_VISIBLE_DEVICES"), os.Getenv("GOROCM_GPU_MEMORY")}, " ")'


def steps(hub, check):
    ada, bob, eve = [User(hub.url, name) for name in ("ada", "bob", "eve")]
    try:
        refused = ada.log_in("wrong")
        check("a wrong password", "/hub/login" in refused, refused)
    except urllib.error.HTTPError as e:
        check("a wrong password", e.code == 403, e)
    tokens = {}
    for user in (ada, bob, eve):
        user.log_in("guest")
        tokens[user.name] = user.token()
    check("log in", all(tokens.values()), tokens)
    for name in ("ada", "bob"):
        start_server(hub, tokens[name], name)
    shown = run_cells(hub.url, tokens["ada"], "ada", ["x := 6", "x * 7", ENVIRONMENT])
    check("a kernel", shown == ["42", '"0 0 100%"'], shown)
    shown = run_cells(hub.url, tokens["bob"], "bob", [ENVIRONMENT])
    check("another GPU for another user", shown == ['"1 1 100%"'], shown)
    try:
        call(hub.url, tokens["eve"], "POST", "/hub/api/users/eve/server")
        check("no GPU is left", False, "a third server is started")
    except urllib.error.HTTPError as e:
        text = e.read().decode()
        check("no GPU is left", e.code == 503 and "All 2 shares of the GPUs are taken" in text, "%d: %s" % (e.code, text))
    wait_until("the idle server is stopped", lambda: not call(hub.url, tokens["ada"], "GET", "/hub/api/users/ada")["servers"])
    wait_until("its kernels have ended", lambda: not subprocess.run(["pgrep", "-f", str(hub.folder / "homes/ada")], capture_output=True).stdout)
    check("an idle server is stopped", True, "")
    start_server(hub, tokens["eve"], "eve")
    shown = run_cells(hub.url, tokens["eve"], "eve", [ENVIRONMENT])
    check("its GPU is free again", shown in (['"0 0 100%"'], ['"1 1 100%"']), shown)


class Standing:
    """What a spawner keeps of its server, as JupyterHub's do."""

    def __init__(self, user):
        self.user, self.name = types.SimpleNamespace(name=user), ""
        self.state = {}

    def get_state(self):
        return dict(self.state)

    def load_state(self, state):
        self.state = dict(state)

    def clear_state(self):
        self.state = {}


def restarted(check):
    """The state that one hub keeps of a server tells the next one which GPU it has."""
    before, after = gorocm_hub.Shares([0, 1]), gorocm_hub.Shares([0, 1])
    server = gorocm_hub.sharing(Standing, before)("ann")
    before.take("bob/")
    check("a second GPU", before.take("ann/") == "1", before.taken)
    again = gorocm_hub.sharing(Standing, after)("ann")
    again.load_state(server.get_state())
    check("a GPU after a restart of the hub", after.taken == {"ann/": "1"} and after.take("eve/") == "0", after.taken)
    again.clear_state()
    check("it is free when the server ends", after.taken == {"eve/": "0"}, after.taken)


def main():
    failed = 0

    def check(name, ok, why):
        nonlocal failed
        print("PASS hub: %s" % name if ok else "FAIL hub: %s: %s" % (name, why), flush=True)
        failed += not ok

    restarted(check)
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        hub = Hub(folder, pathlib.Path(sys.argv[1]).resolve())
        try:
            steps(hub, check)
        finally:
            hub.close()
    except Exception as e:
        check(type(e).__name__, False, e)
        raise
    finally:
        if failed:
            print((folder / "hub.log").read_text()[-6000:], file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
