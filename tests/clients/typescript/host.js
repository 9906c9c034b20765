// A host that speaks MCP by the TypeScript SDK: `node host.js http URL`, or `node host.js stdio COMMAND WORD...`.
//
// Each line of its input is a command. `call {"name": …, "arguments": …}` begins a call of a tool, and `cancel` cancels
// it. Each call ends with a line of output: `answered`, `cancelled`, or what went wrong.

import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [wire, place, ...words] = process.argv.slice(2);
const transport =
  wire === "http"
    ? new StreamableHTTPClientTransport(new URL(place))
    : new StdioClientTransport({ command: place, args: words, env: process.env, stderr: "inherit" });
const client = new Client({ name: "host", version: "1.0.0" });
let calling = new AbortController();

async function call(wanted) {
  calling = new AbortController();
  const { signal } = calling;
  try {
    const result = await client.callTool(wanted, undefined, { signal, timeout: 600_000 });
    console.log(result.isError ? JSON.stringify(result.content) : "answered");
  } catch (problem) {
    console.log(signal.aborted ? "cancelled" : String(problem));
  }
}

await client.connect(transport);
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "cancel") calling.abort();
  else void call(JSON.parse(line.slice("call ".length)));
}
await client.close();
