/** How calls are sent: unary ones answer a promise, what streams is an async iterable. */
import { once } from "node:events";
import { readFileSync } from "node:fs";

import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";

import { type CredentialOptions, keyOf, transportOf } from "./credentials.js";
import { errorOf } from "./errors.js";
import { Call, timeOf } from "./law.js";
import { Revisions } from "./revisions.js";
import type { Fields } from "./subjects.js";

const MESSAGE_BYTES = 64 * 1024 * 1024; // the largest response taken; what the service takes is the service's to say
const REPEATED_BYTES = 16 * 1024 * 1024; // the largest request that is kept to be tried again

export interface Options extends CredentialOptions {
  /** Reads need not see what this connection has seen. */
  anyRevision?: boolean;
  /** Further options of the channel. */
  channel?: grpc.ChannelOptions;
}

export interface CallOptions {
  /** Milliseconds in the place of the contract's. */
  timeout?: number;
  /** Ends the call. */
  signal?: AbortSignal;
  /** Further metadata, its keys in lower case. */
  metadata?: Record<string, string>;
}

type Streamed<Schema extends DescMessage> = AsyncIterable<MessageInitShape<Schema>> | Iterable<MessageInitShape<Schema>>;

/** The methods of a service. */
export type Client<Service extends DescService> = {
  [Name in keyof Service["method"]]: Service["method"][Name] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
    : Service["method"][Name] extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageInitShape<I>, options?: CallOptions) => AsyncGenerator<MessageShape<O>>
      : Service["method"][Name] extends DescMethodClientStreaming<infer I, infer O>
        ? (requests: Streamed<I>, options?: CallOptions) => Promise<MessageShape<O>>
        : Service["method"][Name] extends DescMethodBiDiStreaming<infer I, infer O>
          ? (requests: Streamed<I>, options?: CallOptions) => AsyncGenerator<MessageShape<O>>
          : never;
};

/**
 * Returns a connection to a target of gRPC's (HOST:PORT, dns:///memory:443). Nothing is sent until the first call. Throws
 * for a key that others can read, or that would leave this machine unencrypted, and for a file that cannot be read.
 */
export function connect(target: string, options: Options = {}): Connection {
  return new Connection(target, options);
}

export class Connection {
  readonly #channel: grpc.Client;
  readonly #key: string;
  readonly #revisions?: Revisions;

  constructor(target: string, options: Options) {
    const transport = transportOf(options);
    this.#key = keyOf(options, target, transport);
    this.#revisions = options.anyRevision ? undefined : new Revisions();
    this.#channel = new grpc.Client(target, transport, {
      "grpc.service_config": readFileSync(new URL("service_config.json", import.meta.url), "utf8"),
      "grpc.per_rpc_retry_buffer_size": REPEATED_BYTES,
      "grpc.max_receive_message_length": MESSAGE_BYTES,
      "grpc.max_reconnect_backoff_ms": 2000, // a server that was restarted is found again as soon as it is there
      "grpc.keepalive_time_ms": 60_000,
      "grpc.keepalive_timeout_ms": 20_000,
      ...options.channel,
    });
  }

  /** Returns the methods of a service. */
  client<Service extends DescService>(service: Service): Client<Service> {
    const made: Record<string, unknown> = {};
    for (const [name, method] of Object.entries<DescMethod>(service.method)) {
      const up = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
      const down = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
      if (up) made[name] = (given: any, options?: CallOptions) => (down ? this.#both(method, given, options) : this.#up(method, given, options));
      else made[name] = (given: any, options?: CallOptions) => (down ? this.#down(method, given, options) : this.#unary(method, given, options));
    }
    return made as Client<Service>;
  }

  /** Ends what is still running, and the connection. */
  close(): void {
    this.#channel.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #unary(method: DescMethod, given: any, options: CallOptions = {}): Promise<unknown> {
    const [call, bytes] = this.#request(method, given);
    let leave: () => void;
    const answer = await new Promise<Fields>((resolve, reject) => {
      const sent = this.#channel.makeUnaryRequest(
        pathOf(method), asTheyAre, reader(method), bytes, this.#metadata(call, options), deadline(method, bytes, options),
        (error, response) => (error ? reject(failure(call, error)) : resolve(response!)),
      );
      leave = abortable(sent, options.signal);
    }).finally(() => leave());
    call.answered(answer);
    return answer;
  }

  async *#down(method: DescMethod, given: any, options: CallOptions = {}): AsyncGenerator<unknown> {
    const [call, bytes] = this.#request(method, given);
    const stream = this.#channel.makeServerStreamRequest<Uint8Array, Fields>(
      pathOf(method), asTheyAre, reader(method), bytes, this.#metadata(call, options), deadline(method, bytes, options),
    );
    yield* answers(call, stream, options.signal);
  }

  async #up(method: DescMethod, given: any, options: CallOptions = {}): Promise<unknown> {
    const parts = new Parts(method, given);
    const [call, bytes] = await parts.first(this.#revisions);
    let leave: () => void;
    const answer = await new Promise<Fields>((resolve, reject) => {
      const stream = this.#channel.makeClientStreamRequest<Uint8Array, Fields>(
        pathOf(method), asTheyAre, reader(method), this.#metadata(call, options), deadline(method, bytes, options),
        (error, response) => (error ? reject(parts.broken ?? failure(call, error)) : resolve(response!)),
      );
      leave = abortable(stream, options.signal);
      void parts.send(bytes, stream);
    }).finally(() => {
      leave();
      void parts.end();
    });
    call.answered(answer);
    return answer;
  }

  async *#both(method: DescMethod, given: any, options: CallOptions = {}): AsyncGenerator<unknown> {
    const parts = new Parts(method, given);
    const [call, bytes] = await parts.first(this.#revisions);
    const stream = this.#channel.makeBidiStreamRequest<Uint8Array, Fields>(
      pathOf(method), asTheyAre, reader(method), this.#metadata(call, options), deadline(method, bytes, options),
    );
    void parts.send(bytes, stream);
    yield* answers(call, stream, options.signal, parts);
  }

  /** Returns the call of a request, and its bytes; the caller's own message stays as it is. */
  #request(method: DescMethod, given: Fields): [Call, Uint8Array] {
    const message: Fields = { ...create(method.input, given) };
    const call = new Call(method.input, message, this.#revisions);
    return [call, toBinary(method.input, message as never)];
  }

  #metadata(call: Call, options: CallOptions): grpc.Metadata {
    const made = new grpc.Metadata();
    if (this.#key) made.set("authorization", `Bearer ${this.#key}`);
    if (call.affinity) made.set("x-memory-bank", call.affinity);
    for (const [key, value] of Object.entries(options.metadata ?? {})) made.set(key, value);
    return made;
  }
}

type Sending = grpc.ClientWritableStream<Uint8Array> | grpc.ClientDuplexStream<Uint8Array, Fields>;

/** What a caller streams. `broken` is what its own source threw. */
class Parts {
  broken: unknown;
  readonly #ended = new AbortController();
  readonly #source: AsyncIterator<any> | Iterator<any>;

  constructor(readonly method: DescMethod, source: AsyncIterable<any> & Iterable<any>) {
    this.#source = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
  }

  /** Returns the call of the first message, whose header says what it is about, and its bytes. */
  async first(revisions?: Revisions): Promise<[Call, Uint8Array]> {
    const schema = this.method.input;
    const { done, value } = await this.#source.next();
    const message: Fields = { ...create(schema, done ? {} : value) };
    for (const { localName } of schema.oneofs) {
      const part = message[localName];
      const field = part?.case === undefined ? undefined : schema.field[part.case];
      if (field?.fieldKind !== "message") continue;
      const header = { ...part.value };
      message[localName] = { case: part.case, value: header };
      return [new Call(field.message, header, revisions), toBinary(schema, message as never)];
    }
    return [new Call(schema, message, revisions), toBinary(schema, message as never)];
  }

  /** Sends the first message and the rest, no faster than they are taken, until all are sent or the call has ended. */
  async send(first: Uint8Array, stream: Sending): Promise<void> {
    let next: Uint8Array | undefined = first;
    const { signal } = this.#ended;
    while (next && !stream.destroyed && !signal.aborted) {
      // A call that ends while it is full says so elsewhere.
      if (!stream.write(next)) await once(stream, "drain", { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        next = await this.#next();
      } catch (problem) {
        this.broken = problem;
        stream.cancel();
        return;
      }
    }
    stream.end();
  }

  /** Asks for no more, now that the call has ended: what the source holds open is closed. */
  async end(): Promise<void> {
    this.#ended.abort();
    try {
      await this.#source.return?.();
    } catch {
      // The call has its outcome.
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#source.next();
    return done ? undefined : toBinary(this.method.input, create(this.method.input, value));
  }
}

async function* answers(
  call: Call, stream: grpc.ClientReadableStream<Fields>, signal?: AbortSignal, parts?: Parts,
): AsyncGenerator<Fields> {
  const leave = abortable(stream, signal);
  try {
    for await (const response of stream as AsyncIterable<Fields>) {
      call.answered(response);
      yield response;
    }
  } catch (error) {
    throw parts?.broken ?? failure(call, error as grpc.ServiceError);
  } finally {
    leave();
    void parts?.end();
    stream.on("error", () => undefined); // of one that is left early
    stream.cancel();
  }
}

function failure(call: Call, error: grpc.ServiceError): unknown {
  if (typeof error.code !== "number") return error;
  const made = errorOf(error, call.requestId);
  call.failed(made);
  return made;
}

/** Has a signal end the call. Returns what makes the signal forget it: one signal may outlive thousands of calls. */
function abortable(call: { cancel(): void }, signal?: AbortSignal): () => void {
  const abort = () => call.cancel();
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  return () => signal?.removeEventListener("abort", abort);
}

function deadline(method: DescMethod, bytes: Uint8Array, { timeout }: CallOptions): grpc.CallOptions {
  const time = timeout ?? timeOf(method, bytes.length);
  return time === undefined ? {} : { deadline: Date.now() + time };
}

function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

const asTheyAre = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const reader = (method: DescMethod) => (bytes: Buffer) => fromBinary(method.output, bytes) as Fields;
