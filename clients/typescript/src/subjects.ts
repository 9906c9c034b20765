/**
 * What a call speaks of, as keys of revisions: a bank by its id, any other memory as KIND/NAME. The service uses the same
 * names in its maps of revisions.
 */
import type { DescMessage } from "@bufbuild/protobuf";

/** A message as its fields tell of it. */
export type Fields = Record<string, any>;

const LONG_TERM = "memorybank/v1/long_term";

/** Returns the keys of what a request names; the first is the one whose revision is answered. */
export function subjectsOf(schema: DescMessage, request: Fields): string[] {
  if ("minRevisions" in schema.field) return partsOf(schema, request);
  const user = encoded(nameOf(request.user));
  if (request.bankId) return [request.bankId];
  if ("owner" in schema.field) return [instructions(request.owner)];
  if (schema.file.name === LONG_TERM) return "collection" in schema.field ? [collection(request)] : [];
  if ("invocationId" in schema.field) {
    // One that only begins has no id yet; the end of one answers another's revision.
    if (schema.name === "StartInvocationRequest" || schema.name === "EndInvocationRequest") return [];
    if (request.invocationId) return [`invocation/${user}/${request.invocationId}`];
  }
  return request.conversationId ? [`conversation/${user}/${request.conversationId}`] : [];
}

/** Returns the keys of a request of several parts. The bank of one that writes there is not asked for. */
function partsOf(schema: DescMessage, request: Fields): string[] {
  const user = encoded(request.user ?? "");
  const writes = "requestId" in schema.field;
  const found: string[] = writes ? [request.bankId] : [];
  if (request.conversationId) found.push(`conversation/${user}/${request.conversationId}`);
  if (request.bankId && !writes) found.push(`bank/${request.bankId}`);
  if (request.collection !== undefined) found.push(collection(request));
  if (request.invocationId) found.push(`invocation/${user}/${request.invocationId}`);
  for (const { owner } of request.refs ?? []) found.push(instructions(owner));
  if (request.runId) found.push(`run/${user}/${request.runId}`);
  return found;
}

/** Returns what a proxy may keep a call by: the bank, the user whose memory it is, or the owner of documents. */
export function affinityOf(request: Fields, subjects: string[]): string {
  if (request.bankId) return request.bankId;
  const user = nameOf(request.user) || (isWhole(request.collection) ? request.collection.user : "");
  return user ? `user/${encoded(user)}` : (subjects[0] ?? "").replace(/^instructions\//, "");
}

/** Returns the key of the collection that a request is about. UpdateCollection brings it whole. */
function collection(request: Fields): string {
  const named = isWhole(request.collection) ? request.collection : request;
  return `collection/${encoded(named.user)}/${encoded(named.collection ?? "")}`;
}

/** Returns the key of an owner's documents. */
function instructions(owner: Fields | undefined): string {
  const { case: level = "", value } = owner?.level ?? {};
  return `instructions/${level}/${typeof value === "string" ? encoded(value) : ""}`;
}

function nameOf(user: unknown): string {
  return typeof user === "string" ? user : ((user as Fields | undefined)?.user ?? ""); // UpdateUser brings it whole
}

function isWhole(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Returns a name in a key: percent-encoded outside [A-Za-z0-9._:-]. */
export function encoded(name: string): string {
  return encodeURIComponent(name)
    .replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%3A/g, ":");
}
