/**
 * The client of Agentic Memory Bank. Its stubs keep the law of clients/README.md: request ids, affinity, reads of one's
 * own writes, deadlines, retries, typed errors.
 *
 *     const connection = connect("127.0.0.1:7700");
 *     const found = await connection.client(Retrieval).search({ bankId: "trip", query: { case: "text", value: "ferry" } });
 */
export { connect, Connection, type CallOptions, type Client, type Options } from "./connection.js";
export { create, fromJson, toJson } from "@bufbuild/protobuf";
export { MemoryBankError, type FieldViolation } from "./errors.js";
export * from "./gen/memorybank/v1/access_pb.js";
export * from "./gen/memorybank/v1/calls_pb.js";
export * from "./gen/memorybank/v1/conversation_pb.js";
export * from "./gen/memorybank/v1/deep_retrieval_pb.js";
export * from "./gen/memorybank/v1/errors_pb.js";
export * from "./gen/memorybank/v1/instructions_pb.js";
export * from "./gen/memorybank/v1/long_term_pb.js";
export * from "./gen/memorybank/v1/memory_bank_pb.js";
export * from "./gen/memorybank/v1/operations_pb.js";
export * from "./gen/memorybank/v1/query_graph_pb.js";
export * from "./gen/memorybank/v1/retrieval_pb.js";
export * from "./gen/memorybank/v1/types_pb.js";
