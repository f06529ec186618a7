"""lsp.py COMMAND…: a client of the language server that the command starts on Windows: a mistake is marked, and the server ends."""
import json
import subprocess
import sys

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
uri = "file:///c%3A/cells.go"


def send(method, params=None, id=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    if id is not None:
        message["id"] = id
    body = json.dumps(message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive(wanted):
    while True:
        size = 0
        while line := server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        message = json.loads(server.stdout.read(size))
        if wanted(message):
            return message


send("initialize", {"processId": None, "rootUri": "file:///c%3A/", "capabilities": {}}, 1)
receive(lambda m: m.get("id") == 1)
send("initialized")
text = 'x := 1 + "a"\n'
send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "go", "version": 1, "text": text}})
found = receive(lambda m: m.get("method") == "textDocument/publishDiagnostics")["params"]["diagnostics"]
assert found and "mismatched types" in found[0]["message"], found
send("shutdown", id=2)
receive(lambda m: m.get("id") == 2)
send("exit")
assert server.wait(30) == 0
