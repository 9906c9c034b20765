// Agentic Memory Bank from TypeScript: create, memorize, search, read your own write, follow a merged node, stream, watch.
//
//   npm run build && npm start 127.0.0.1:7700
import { type Client, connect, MemoryBank, MemoryBankError, QueryGraph, Retrieval } from "agentic-memory-bank-client";

const bankId = "from-typescript";

async function follow(graph: Client<typeof QueryGraph>): Promise<void> {
  await graph.addNode({ bankId, nodeId: "n-ticket", summary: "A ferry ticket to Naxos costs 42 euro." });
  await graph.addNode({ bankId, nodeId: "n-fare", summary: "The fare to Naxos is 42 euro." });
  await graph.mergeNodes({
    bankId, nodeIds: ["n-ticket", "n-fare"], newNodeId: "n-price", summary: "Naxos by ferry: 42 euro.",
  });
  try {
    await graph.getNode({ bankId, nodeId: "n-fare" });
  } catch (error) {
    if (!(error instanceof MemoryBankError) || error.reason !== "NODE_ABSORBED") throw error;
    const today = await graph.getNode({ bankId, nodeId: error.metadata.into });
    console.log("followed:", today.node?.summary);
  }
}

/** Memorizes a text in pieces, as one would a file of any size. */
async function stream(banks: Client<typeof MemoryBank>): Promise<void> {
  const parts = [
    { part: { case: "header", value: { bankId, source: "notes.md" } } },
    { part: { case: "text", value: "The museum of Naxos opens at eight. " } },
    { part: { case: "text", value: "It is closed on Tuesdays." } },
  ] as const;
  for await (const { event } of banks.memorizeStream(parts)) {
    if (event.case === "result") console.log("streamed:", event.value.nodeIds.length > 0);
  }
}

/** Follows the bank from its beginning, until a node was added. */
async function watch(banks: Client<typeof MemoryBank>): Promise<string> {
  for await (const { events } of banks.watchBank({ bankId, fromRevision: 0n })) {
    for (const { event } of events) if (event.case === "nodeAdded") return event.value.summary;
  }
  throw new Error("the stream ended");
}

async function main(address: string): Promise<void> {
  const connection = connect(address);
  const banks = connection.client(MemoryBank);
  await banks.createBank({ bankId });
  const watched = watch(banks);
  await banks.memorize({ bankId, text: "The ferry to Naxos leaves at nine from pier 3." });
  // It asks for the revision of the write by itself: whichever process answers has seen it.
  const query = { case: "text", value: "when does the ferry leave?" } as const;
  const { hits } = await connection.client(Retrieval).search({ bankId, query });
  console.log("found:", hits[0]?.found.case === "node" ? hits[0].found.value.summary : undefined);
  await follow(connection.client(QueryGraph));
  await stream(banks);
  console.log("watched:", await watched);
  connection.close();
}

const [address] = process.argv.slice(2);
if (!address) throw new Error("usage: npm start HOST:PORT");
await main(address);
