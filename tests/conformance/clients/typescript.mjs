// Signs in with the TypeScript SDK's client, lists the tools and calls one.
import { createServer } from "node:http";
import { spawn } from "node:child_process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(process.argv[2]);
let arrived;
const code = new Promise((resolve) => (arrived = resolve));
const listening = createServer((request, response) => {
  arrived(new URL(request.url, "http://localhost").searchParams.get("code"));
  response.end("You can go back to the app.");
});
await new Promise((resolve) => listening.listen(0, "127.0.0.1", resolve));
const redirectUrl = `http://127.0.0.1:${listening.address().port}/callback`;

const kept = {};
const provider = {
  redirectUrl,
  clientMetadata: { client_name: "TypeScript SDK", redirect_uris: [redirectUrl] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: (address) => void spawn("xdg-open", [address.href], { stdio: "ignore" }),
};

const client = () => new Client({ name: "typescript", version: "1" });
const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
try {
  await client().connect(first);
  throw new Error("it connected without signing in");
} catch (refused) {
  if (!(refused instanceof UnauthorizedError)) throw refused;
  await first.finishAuth(await code);
}
const app = client();
await app.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
const { tools } = await app.listTools();
const called = await app.callTool({ name: "list_memories", arguments: {} });
if (called.isError) throw new Error("the tool failed");
console.log(tools.map((tool) => tool.name).join("\n"));
await app.close();
listening.close();
