"""A Jupyter client of one screen: pyzmq, hmac and json, so that little of what is measured is the client's own time."""
import hashlib, hmac, json, os, shutil, signal, socket, struct, subprocess, sys, tempfile, time, uuid

import zmq

CHANNELS = {"shell": zmq.DEALER, "control": zmq.DEALER, "iopub": zmq.SUB}
PORTS = ["shell_port", "control_port", "stdin_port", "iopub_port", "hb_port"]


def free_ports(n):
    """Finds ports that nobody listens on. All are held until the last is found, so they differ."""
    held = [socket.socket() for _ in range(n)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Kernel:
    """A kernel process, started from its kernelspec, and a client that is connected to it."""

    def __init__(self, spec, env=None):
        self.spec, self.key, self.session = spec, uuid.uuid4().hex, uuid.uuid4().hex
        self.dir = tempfile.mkdtemp()
        self.connection = dict(zip(PORTS, free_ports(len(PORTS))), transport="tcp", ip="127.0.0.1", key=self.key,
                               signature_scheme="hmac-sha256", kernel_name="")
        file = os.path.join(self.dir, "kernel.json")
        with open(file, "w") as f:
            json.dump(self.connection, f)
        self.log = open(os.path.join(self.dir, "log"), "w+")
        argv = [file if a == "{connection_file}" else a for a in spec["argv"]]
        if os.path.basename(argv[0]).startswith("python"):
            argv[0] = sys.executable  # as jupyter_client does
        env = dict(os.environ, **spec.get("env", {}), **(env or {}), JPY_PARENT_PID=str(os.getpid()))
        self.context = zmq.Context()
        self.sockets, self.count = {}, 0
        self.process = subprocess.Popen(argv, stdout=self.log, stderr=self.log, env=env, start_new_session=True)
        for channel, kind in CHANNELS.items():
            s = self.context.socket(kind)
            s.linger, s.rcvhwm, s.reconnect_ivl = 0, 0, 1
            if kind == zmq.SUB:
                s.subscribe(b"")
            s.connect("tcp://127.0.0.1:%d" % self.connection[channel + "_port"])
            self.sockets[channel] = s

    def send(self, channel, kind, content):
        self.count += 1
        msg_id = "%s_%d" % (self.session, self.count)
        header = {"msg_id": msg_id, "session": self.session, "username": "bench", "msg_type": kind, "version": "5.3",
                  "date": "2026-01-02T03:04:05.678901Z"}
        parts = [json.dumps(header).encode(), b"{}", b"{}", json.dumps(content).encode()]
        mac = hmac.new(self.key.encode(), b"".join(parts), hashlib.sha256).hexdigest().encode()
        self.sockets[channel].send_multipart([b"<IDS|MSG>", mac] + parts)
        return msg_id

    def execute(self, code):
        return self.send("shell", "execute_request", {"code": code, "silent": False, "store_history": True,
                         "user_expressions": {}, "allow_stdin": False, "stop_on_error": True})

    def receive(self, channel, timeout=60, only=None):
        """Returns the type, the parent's ID and the content of the next message, or of the next one that answers only."""
        while True:
            if not self.sockets[channel].poll(int(timeout * 1000)):
                raise TimeoutError("nothing on %s within %g s" % (channel, timeout))
            frames = self.sockets[channel].recv_multipart()
            at = frames.index(b"<IDS|MSG>")
            if only is None or b'"%s"' % only.encode() in frames[at + 3]:
                break
        header, parent, content = (json.loads(frames[at + i]) for i in (2, 3, 5))
        return header["msg_type"], (parent or {}).get("msg_id"), content

    def reply(self, msg_id, channel="shell", timeout=60):
        return self.receive(channel, timeout, only=msg_id)[2]

    def outputs(self, msg_id, timeout=60):
        """Returns what is shown for a request, up to its idle."""
        shown = []
        while True:
            kind, _, content = self.receive("iopub", timeout, only=msg_id)
            if kind == "status":
                if content["execution_state"] == "idle":
                    return shown
            elif kind != "execute_input":
                shown.append((kind, content))

    def ready(self, timeout=60):
        """Waits for a kernel_info_reply, then until its status comes on iopub, which tells that the subscription is there."""
        self.reply(self.send("shell", "kernel_info_request", {}), timeout=timeout)
        first = time.perf_counter()
        while True:
            msg_id = self.send("shell", "kernel_info_request", {})
            self.reply(msg_id)
            try:
                self.outputs(msg_id, timeout=0.2)
                return first
            except TimeoutError:
                pass

    def run(self, code, timeout=60):
        msg_id = self.execute(code)
        shown = self.outputs(msg_id, timeout)
        return self.reply(msg_id, timeout=timeout), shown

    def interrupt(self):
        if self.spec.get("interrupt_mode") == "message":
            self.send("control", "interrupt_request", {})
        else:
            os.kill(self.process.pid, signal.SIGINT)

    def deaf_subscriber(self):
        """Subscribes to everything on a connection of its own, and never reads."""
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", self.connection["iopub_port"]))
        ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", 3) + b"SUB"
        s.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48) + bytes([4, len(ready)]) + ready + b"\x00\x01\x01")
        time.sleep(0.3)  # the subscription is under way
        return s

    def family(self):
        """Lists the kernel's process and its descendants."""
        parents = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid) as f:
                    parents[int(pid)] = int(f.read().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it has ended
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def memory(self, field="Rss"):
        """Returns resident memory of all its processes, in MB. Pss counts what they share once."""
        total = 0
        for pid in self.family():
            with open("/proc/%d/smaps_rollup" % pid) as f:
                total += sum(int(line.split()[1]) for line in f if line.startswith(field + ":"))
        return total / 1024

    def close(self):
        """Ends the kernel, politely at first."""
        self.send("control", "shutdown_request", {"restart": False})
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.context.destroy(linger=0)
        self.log.close()
        shutil.rmtree(self.dir)
