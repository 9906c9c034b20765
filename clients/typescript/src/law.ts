/** What every call carries, and what is learned from its outcome: clients/README.md. */
import { randomUUID } from "node:crypto";

import { type DescMessage, type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";

import type { MemoryBankError } from "./errors.js";
import { deadline_seconds } from "./gen/memorybank/v1/calls_pb.js";
import type { Revisions } from "./revisions.js";
import { affinityOf, type Fields, subjectsOf } from "./subjects.js";

const READ_SECONDS = 10; // of a method that states none and is harmless to repeat
const WRITE_SECONDS = 30; // of any other that states none
const BYTES_A_SECOND = 16 * 1024; // of a request, for which its call is given a second more
const AFFINITY = /^[A-Za-z0-9][A-Za-z0-9._:%/-]{0,1024}$/;
/** Reasons after which a subject's next read is not held to its past. */
const GONE = new Set([
  "BANK_NOT_FOUND", "COLLECTION_NOT_FOUND", "CONVERSATION_NOT_FOUND", "INVOCATION_NOT_FOUND", "REVISION_NOT_REACHED",
]);

/** One call as it goes out. */
export class Call {
  readonly affinity: string;
  readonly requestId: string;
  readonly #subjects: string[];
  readonly #revisions?: Revisions;

  /** Completes a request, or the header of a streamed one, with a request id and the least revisions. */
  constructor(schema: DescMessage, header: Fields, revisions?: Revisions) {
    this.#revisions = revisions;
    this.#subjects = subjectsOf(schema, header);
    const affinity = affinityOf(header, this.#subjects);
    this.affinity = AFFINITY.test(affinity) ? affinity : ""; // gRPC would refuse it; the service says what is wrong
    if ("requestId" in schema.field) header.requestId ||= randomUUID();
    this.requestId = header.requestId ?? "";
    if (revisions) this.#askForSeen(schema, header, revisions);
  }

  #askForSeen(schema: DescMessage, header: Fields, revisions: Revisions): void {
    if ("minRevisions" in schema.field) {
      for (const subject of this.#subjects) {
        const seen = revisions.of(plain(subject));
        // A bank's own id is of a call that writes there.
        if (seen && subject.includes("/")) header.minRevisions = { [subject]: seen, ...header.minRevisions };
      }
    } else if ("minRevision" in schema.field && this.#subjects[0]) {
      header.minRevision ??= revisions.of(this.#subjects[0]);
    }
  }

  /** Remembers the revisions that a response speaks of. */
  answered(response: Fields): void {
    for (const [subject, seen] of Object.entries<bigint>(isMap(response.revisions) ? response.revisions : {})) {
      this.#revisions?.saw(plain(subject), seen);
    }
    const subject = this.#subjects[0] || response.bank?.bankId;
    const revision = revisionIn(response);
    if (subject && revision) this.#revisions?.saw(subject, revision);
  }

  /** Forgets what is gone, or begins anew. */
  failed(error: MemoryBankError): void {
    if (GONE.has(error.reason)) {
      for (const subject of this.#subjects) this.#revisions?.forget(plain(subject));
    } else if (error.reason === "STRUCTURING_FAILED" && this.#subjects[0]) {
      this.#revisions?.saw(this.#subjects[0], BigInt(error.metadata.revision ?? 0)); // what was done before stands
    }
  }
}

/** Returns the milliseconds that a call of so many bytes is given; undefined: it has no end. */
export function timeOf(method: DescMethod, bytes: number): number | undefined {
  const harmless = method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  const stated = hasOption(method, deadline_seconds) ? getOption(method, deadline_seconds) : undefined;
  const seconds = stated ?? (harmless ? READ_SECONDS : WRITE_SECONDS);
  return seconds ? (seconds + Math.floor(bytes / BYTES_A_SECOND)) * 1000 : undefined;
}

function revisionIn(response: Fields): bigint | undefined {
  if (typeof response.revision === "bigint") return response.revision;
  // A streamed response brings one of several parts.
  for (const part of Object.values(response)) if (typeof part?.value?.revision === "bigint") return part.value.revision;
  return undefined;
}

function isMap(value: unknown): value is Record<string, bigint> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function plain(subject: string): string {
  return subject.replace(/^bank\//, "");
}
