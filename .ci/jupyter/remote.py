"""Kernels on other machines, as Enterprise Gateway and the provisioners of gateway-provisioners start them.

    remote.py ENTERPRISE [HOST]     the Python of an environment with jupyter_enterprise_gateway; HOST is reached with ssh, this machine without

The kernel is the one that Jupyter knows as gorocm. Prints "PASS name", "FAIL name: why" or "SKIP name: why" for each check.
"""
import asyncio
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import traceback

from jupyter_client.kernelspec import KernelSpecManager

from frontends import PATIENCE, call, free_port, run_over_websocket, wait_for_server

PROGRAM = KernelSpecManager().get_kernel_spec("gorocm").argv[0]
ARGUMENTS = ["--response-address", "{response_address}", "--public-key", "{public_key}", "--kernel-id", "{kernel_id}", "--port-range", "{port_range}"]


def write_spec(folder, name, metadata):
    """A kernelspec whose kernels report to a gateway."""
    spec = folder / "kernels" / name
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({
        "argv": [PROGRAM, "kernel"] + (ARGUMENTS if metadata else ["--connection-file", "{connection_file}"]), "display_name": name,
        "language": "go", "interrupt_mode": "message", "env": {}, "metadata": metadata}))


def enterprise(folder, python, host):
    """Kernels of Enterprise Gateway, over its websocket: one as Jupyter starts it, and one on another host."""
    write_spec(folder, "gorocm", {})
    write_spec(folder, "gorocm-remote", {"process_proxy": {
        "class_name": "enterprise_gateway.services.processproxies.distributed.DistributedProcessProxy", "config": {"remote_hosts": host}}})
    port = free_port()
    env = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    env.update(JUPYTER_DATA_DIR=str(folder), JUPYTER_RUNTIME_DIR=str(folder / "runtime"), EG_KERNEL_LOG_DIR=str(folder), EG_RESPONSE_PORT=str(free_port()))
    log = open(folder / "gateway.log", "w+")
    server = subprocess.Popen([python, "-m", "enterprise_gateway", "--EnterpriseGatewayApp.ip=127.0.0.1", "--EnterpriseGatewayApp.port=%d" % port,
                               "--EnterpriseGatewayApp.auth_token=secret"], cwd=folder, env=env, stdout=log, stderr=log)
    url, token = "http://127.0.0.1:%d" % port, "token secret"
    try:
        wait_for_server(server, url, token)
        for name in ("gorocm", "gorocm-remote"):
            kernel = call(url, token, "POST", "/api/kernels", {"name": name, "env": {"KERNEL_USERNAME": "ada"}})["id"]
            shown = run_over_websocket(url + "/api/kernels/" + kernel, token, ["x := 6", "x * 7", "os.Getpid() > 1"])
            assert shown == ["42", "true"], (name, shown)
            call(url, token, "POST", "/api/kernels/%s/interrupt" % kernel)
            call(url, token, "POST", "/api/kernels/%s/restart" % kernel)
            shown = run_over_websocket(url + "/api/kernels/" + kernel, token, ["x := 1", "x + 1"])
            assert shown == ["2"], (name, shown)
            call(url, token, "DELETE", "/api/kernels/" + kernel)
            assert not left(kernel), left(kernel)
            print("PASS enterprise:", name, flush=True)
    except BaseException:
        log.seek(0)
        print(log.read()[-6000:], file=sys.stderr)
        for kernel_log in folder.glob("kernel-*.log"):
            print(kernel_log.read_text()[-3000:], file=sys.stderr)
        raise
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        log.close()


def left(kernel):
    """What still runs of a kernel."""
    return subprocess.run(["pgrep", "-af", "--", "--kernel-id " + kernel], capture_output=True, text=True).stdout


async def provisioned(folder, host):
    """A kernel that jupyter_client starts through distributed-provisioner: cells, an interrupt, a restart, the end."""
    os.environ.update(JUPYTER_DATA_DIR=str(folder), GP_KERNEL_LOG_DIR=str(folder))
    write_spec(folder, "gorocm-provisioned", {"kernel_provisioner": {"provisioner_name": "distributed-provisioner", "config": {"remote_hosts": [host]}}})
    from jupyter_client.manager import AsyncKernelManager
    manager = AsyncKernelManager(kernel_name="gorocm-provisioned")
    await manager.start_kernel(env=dict(os.environ, KERNEL_USERNAME="ada"))
    kernel = manager.provisioner.kernel_id
    client = manager.client()
    client.start_channels()
    await client.wait_for_ready(timeout=PATIENCE)

    async def run(code):
        shown = []
        reply = await client.execute_interactive(code, timeout=PATIENCE, output_hook=lambda m: shown.append(m["content"].get("data", {}).get("text/plain")))
        return reply["content"], [s for s in shown if s]

    content, shown = await run("x := 6\nx * 7")
    assert shown == ["42"], (content, shown)
    running = asyncio.create_task(run('fmt.Println("begun")\nfor {\n}'))
    await asyncio.sleep(1)
    await manager.interrupt_kernel()
    content, _ = await running
    assert content["ename"] == "Interrupted", content
    client.stop_channels()
    await manager.restart_kernel(now=True)
    client = manager.client()  # the kernel has taken other ports
    client.start_channels()
    await client.wait_for_ready(timeout=PATIENCE)
    content, shown = await run("x")
    assert content["status"] == "error", content
    client.stop_channels()
    await manager.shutdown_kernel(now=False)
    for _ in range(100):
        if not left(kernel):
            break
        await asyncio.sleep(0.1)
    assert not left(kernel), left(kernel)


def main():
    python, host = sys.argv[1], (sys.argv[2:] + ["localhost"])[0]
    failed = 0
    checks = {"enterprise": (pathlib.Path(python).exists(), "no environment with jupyter_enterprise_gateway", lambda f: enterprise(f, python, host)),
              "provisioned": (importlib.util.find_spec("gateway_provisioners"), "gateway_provisioners is not installed", lambda f: asyncio.run(provisioned(f, host)))}
    for name, (there, why, check) in checks.items():
        if not there:
            print("SKIP", name + ":", why, flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder))
                print("PASS", name, flush=True)
            except Exception as e:
                failed += 1
                print("FAIL", name + ":", type(e).__name__, str(e).replace("\n", " ")[:500], flush=True)
                traceback.print_exc()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
