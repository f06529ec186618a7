"""Drives the kernel named gorocm with jupyter_client over connections that CurveZMQ encrypts, and tries to reach it without.

The cells are those of the fake session (see fake_test.go). Prints a line "PASS name" or "FAIL name: why" per check.
"""
import traceback

import zmq
from jupyter_client.manager import KernelManager

PATIENCE = 120  # seconds; it only bounds a failure


def manager(**options):
    km = KernelManager(kernel_name="gorocm", **options)
    km.start_kernel()
    kc = km.client()
    kc.start_channels()
    kc.wait_for_ready(timeout=PATIENCE)
    return km, kc


def run(kc, code):
    outputs = []
    reply = kc.execute_interactive(code, timeout=PATIENCE, output_hook=lambda m: outputs.append(m["content"].get("text", "")))
    return reply["content"]["status"], "".join(outputs)


def cells(km, kc):
    assert km.get_connection_info()["curve_publickey"], "the manager has made no keys"
    status, text = run(kc, "print hello")
    assert (status, text) == ("ok", "hello\n"), (status, text)


def large(km, kc):
    status, text = run(kc, "print " + "x" * (3 << 20))
    assert status == "ok" and len(text) == (3 << 20) + 1, (status, len(text))
    status, text = run(kc, "raw 20000")
    assert text.count("\n") == 20000, text.count("\n")


def interrupt(km, kc):
    kc.execute("print started\nsleep 1h")
    while kc.get_iopub_msg(timeout=PATIENCE)["msg_type"] != "stream":
        pass
    km.interrupt_kernel()
    assert kc.get_shell_msg(timeout=PATIENCE)["content"]["ename"] == "Interrupted"


def heartbeat(km, kc):
    info = km.get_connection_info()
    socket = zmq.Context.instance().socket(zmq.REQ)
    socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()  # any client's
    socket.curve_serverkey = info["curve_publickey"].encode()
    socket.connect(f"tcp://{info['ip']}:{info['hb_port']}")
    socket.send(b"ping")
    assert socket.poll(PATIENCE * 1000), "no echo"
    assert socket.recv() == b"ping"
    socket.close(0)


def plain(km, kc):
    info = km.get_connection_info()
    socket = zmq.Context.instance().socket(zmq.DEALER)
    monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_DISCONNECTED)
    socket.connect(f"tcp://{info['ip']}:{info['shell_port']}")
    kc.session.send(socket, "kernel_info_request")
    from zmq.utils.monitor import recv_monitor_message
    assert monitor.poll(PATIENCE * 1000)
    assert recv_monitor_message(monitor)["event"] != zmq.EVENT_HANDSHAKE_SUCCEEDED, "a client without encryption was let in"
    socket.disable_monitor()
    socket.close(0)


def main():
    km, kc = manager(transport_encryption="required")
    for check in (cells, large, interrupt, heartbeat, plain):
        try:
            check(km, kc)
            print("PASS", check.__name__)
        except Exception as e:
            traceback.print_exc()
            print(f"FAIL {check.__name__}: {e!r}")
    kc.stop_channels()
    km.shutdown_kernel(now=False)


main()
