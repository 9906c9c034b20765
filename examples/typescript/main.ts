// Agentic Memory Bank from TypeScript: create, memorize, search, read your own write, follow a merged node, stream, watch.
//
//   npm run build && npm start 127.0.0.1:7700
import { readFileSync } from "node:fs";

import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import protobuf from "protobufjs";

import type { ProtoGrpcType as MemoryBankType } from "./gen/memory_bank.js";
import type { ProtoGrpcType as QueryGraphType } from "./gen/query_graph.js";
import type { ProtoGrpcType as RetrievalType } from "./gen/retrieval.js";
import type { MemoryBankClient } from "./gen/memorybank/v1/MemoryBank.js";
import type { QueryGraphClient } from "./gen/memorybank/v1/QueryGraph.js";
import type { CreateBankResponse__Output } from "./gen/memorybank/v1/CreateBankResponse.js";
import type { GetNodeResponse__Output } from "./gen/memorybank/v1/GetNodeResponse.js";
import type { MemorizeResponse__Output } from "./gen/memorybank/v1/MemorizeResponse.js";
import type { SearchResponse__Output } from "./gen/memorybank/v1/SearchResponse.js";
import type { WatchBankResponse__Output } from "./gen/memorybank/v1/WatchBankResponse.js";

const bankId = "from-typescript";
const PROTOS = new URL("../../../protos/", import.meta.url).pathname;

// The two messages of google.rpc that errors carry (its protos: github.com/googleapis/googleapis).
const RPC = protobuf.parse(`
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
`, { keepCase: true }).root;

function load<Type>(file: string): Type {
  const definition = loadSync(`memorybank/v1/${file}.proto`, {
    includeDirs: [PROTOS], longs: Number, enums: String, defaults: true, oneofs: true,
  });
  return grpc.loadPackageDefinition(definition) as unknown as Type;
}

// A proxy keeps the calls of one bank on the process where it is warm.
const metadata = new grpc.Metadata();
metadata.set("x-memory-bank", bankId);
const within = (seconds: number) => ({ deadline: Date.now() + seconds * 1000 });

type Done<Answer> = (error: grpc.ServiceError | null, answer?: Answer) => void;

/** A call of the stub as a promise. */
function ask<Answer>(call: (done: Done<Answer>) => unknown): Promise<Answer> {
  return new Promise((resolve, reject) => call((error, answer) => (error ? reject(error) : resolve(answer!))));
}

/** The node that stands today for the one that was asked for, from an error's details. */
function absorbedInto(error: grpc.ServiceError): string | undefined {
  const [packed] = error.metadata.get("grpc-status-details-bin");
  if (!packed) return undefined;
  const { details } = RPC.lookupType("Status").toObject(RPC.lookupType("Status").decode(packed as Buffer));
  for (const { type_url, value } of details ?? []) {
    if (!type_url.endsWith("google.rpc.ErrorInfo")) continue;
    const info = RPC.lookupType("ErrorInfo").toObject(RPC.lookupType("ErrorInfo").decode(value));
    if (info.reason === "NODE_ABSORBED") return info.metadata.into;
  }
  return undefined;
}

async function follow(graph: QueryGraphClient): Promise<void> {
  const ticket = {
    bankId, nodeId: "n-ticket", summary: "A ferry ticket to Naxos costs 42 euro.", requestId: "add-ticket",
  };
  const fare = { bankId, nodeId: "n-fare", summary: "The fare to Naxos is 42 euro.", requestId: "add-fare" };
  const merged = {
    bankId, nodeIds: ["n-ticket", "n-fare"], newNodeId: "n-price", summary: "Naxos by ferry: 42 euro.",
    requestId: "merge-1",
  };
  const get = (nodeId: string) =>
    ask<GetNodeResponse__Output>((done) => graph.getNode({ bankId, nodeId }, metadata, within(10), done));
  await ask((done) => graph.addNode(ticket, metadata, within(30), done));
  await ask((done) => graph.addNode(fare, metadata, within(30), done));
  await ask((done) => graph.mergeNodes(merged, metadata, within(30), done));
  try {
    await get("n-fare");
  } catch (error) {
    const into = absorbedInto(error as grpc.ServiceError);
    if (into === undefined) throw error;
    console.log("followed:", (await get(into)).node?.summary);
  }
}

/** Memorizes a text in pieces, as one would a file of any size. */
async function stream(banks: MemoryBankClient): Promise<void> {
  const call = banks.memorizeStream(metadata, within(60));
  call.write({ header: { bankId, source: "notes.md", requestId: "stream-1" } });
  call.write({ text: "The museum of Naxos opens at eight. " });
  call.write({ text: "It is closed on Tuesdays." });
  call.end();
  for await (const news of call) {
    if (news.result) console.log("streamed:", news.result.nodeIds.length > 0);
  }
}

/** Follows the bank from its beginning, until a node was added. */
async function watch(banks: MemoryBankClient): Promise<string> {
  const call = banks.watchBank({ bankId, fromRevision: 0 }, metadata);
  call.on("error", () => undefined); // cancelled below
  for await (const change of call as AsyncIterable<WatchBankResponse__Output>) {
    const added = change.events.find((event) => event.nodeAdded);
    if (added?.nodeAdded) {
      call.cancel();
      return added.nodeAdded.summary;
    }
  }
  throw new Error("the stream ended");
}

async function main(address: string): Promise<void> {
  const plain = grpc.credentials.createInsecure();
  // What may be tried again, and how.
  const options = { "grpc.service_config": readFileSync(`${PROTOS}memorybank/v1/service_config.json`, "utf8") };
  const banks = new (load<MemoryBankType>("memory_bank").memorybank.v1.MemoryBank)(address, plain, options);
  const graph = new (load<QueryGraphType>("query_graph").memorybank.v1.QueryGraph)(address, plain, options);
  const retrieval = new (load<RetrievalType>("retrieval").memorybank.v1.Retrieval)(address, plain, options);

  const created = { bankId, requestId: `create-${bankId}` };
  await ask<CreateBankResponse__Output>((done) => banks.createBank(created, metadata, within(30), done));
  const watched = watch(banks);
  const note = { bankId, text: "The ferry to Naxos leaves at nine from pier 3.", requestId: "memorize-1" };
  const { revision } = await ask<MemorizeResponse__Output>((done) => banks.memorize(note, metadata, within(60), done));
  // The revision of a write, given to a read: whichever process answers has seen it.
  const question = { bankId, text: "when does the ferry leave?", minRevision: revision };
  const found = await ask<SearchResponse__Output>((done) => retrieval.search(question, metadata, within(10), done));
  console.log("found:", found.hits[0]?.node?.summary);
  await follow(graph);
  await stream(banks);
  console.log("watched:", await watched);
  for (const client of [banks, graph, retrieval]) client.close();
}

const [address] = process.argv.slice(2);
if (!address) throw new Error("usage: npm start HOST:PORT");
await main(address);
