/** What a call that failed throws. What the status does not carry is empty. */
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { type ServiceError, status } from "@grpc/grpc-js";

import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "./gen/details_pb.js";

const DETAILS_KEY = "grpc-status-details-bin";
const DOMAIN = "memorybank";

/** A field of the request, by its path, and what is wrong with it. */
export interface FieldViolation {
  field: string;
  problem: string;
}

/** A call that failed. */
export class MemoryBankError extends Error {
  override readonly name = "MemoryBankError";
  /** The contract's reason, an ErrorReason without its prefix: "NODE_ABSORBED". Empty where the service did not answer. */
  reason = "";
  /** The keys that the contract lists for the reason. */
  metadata: Record<string, string> = {};
  /** Fields of the request that cannot be accepted. */
  fields: FieldViolation[] = [];
  /** Milliseconds after which it makes sense to try again; undefined: it is not told. */
  retryAfter?: number;

  constructor(
    /** gRPC's code. */
    readonly code: status,
    /** What the service said, for people. */
    readonly details: string,
    /** The request id that was sent: a mutation repeated under it happens once. Empty for reads. */
    readonly requestId: string,
    options?: ErrorOptions,
  ) {
    super(`${status[code]}: ${details}`, options);
  }
}

/** Returns the error that gRPC's stands for. */
export function errorOf(error: ServiceError, requestId: string): MemoryBankError {
  const made = new MemoryBankError(error.code, error.details || error.message, requestId, { cause: error });
  const [packed] = error.metadata?.get(DETAILS_KEY) ?? [];
  for (const detail of packed instanceof Uint8Array ? unpacked(packed) : []) {
    const info = anyUnpack(detail, ErrorInfoSchema);
    if (info?.domain === DOMAIN) {
      made.reason = info.reason;
      made.metadata = { ...info.metadata };
      made.message = `${status[made.code]} ${made.reason}: ${made.details}`;
    }
    const violations = anyUnpack(detail, BadRequestSchema)?.fieldViolations ?? [];
    made.fields.push(...violations.map(({ field, description }) => ({ field, problem: description })));
    const delay = anyUnpack(detail, RetryInfoSchema)?.retryDelay;
    if (delay) made.retryAfter = Number(delay.seconds) * 1000 + delay.nanos / 1_000_000;
  }
  return made;
}

function unpacked(packed: Uint8Array) {
  try {
    return fromBinary(StatusSchema, packed).details;
  } catch {
    return []; // a proxy's; the code still stands
  }
}
