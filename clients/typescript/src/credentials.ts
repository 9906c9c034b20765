/** The client's own credential, and what it takes for the server's. A key leaves this machine over TLS alone. */
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";

import { type ChannelCredentials, credentials } from "@grpc/grpc-js";

const KEY_FILE_VARIABLE = "MEMORYBANK_API_KEY_FILE";
const CA_VARIABLE = "MEMORYBANK_TLS_CA";
const SYSTEM = "system";
const KEY = /^[!-~]{1,4096}$/;

export interface CredentialOptions {
  /** A file with an API key, that only its owner may read; else the one that MEMORYBANK_API_KEY_FILE names, if any. */
  keyFile?: string;
  /**
   * The authorities, in PEM, that the server's certificate is trusted by; "system": this machine's; else what
   * MEMORYBANK_TLS_CA names. Without either the connection is not encrypted.
   */
  caFile?: string;
  /** Credentials of the transport in the place of `caFile`: mutual TLS, say. */
  credentials?: ChannelCredentials;
  /** A proxy on the way encrypts: the key may leave this machine as it is. */
  plaintextKey?: boolean;
}

/** Returns how the connection is encrypted, or that it is not. Throws for a file that cannot be read. */
export function transportOf(options: CredentialOptions): ChannelCredentials {
  if (options.credentials) return options.credentials;
  const file = options.caFile ?? process.env[CA_VARIABLE];
  if (!file) return credentials.createInsecure();
  return credentials.createSsl(file === SYSTEM ? null : readFileSync(file));
}

/** Returns the API key that goes with every call; empty: none. Throws for one that others could read. */
export function keyOf(options: CredentialOptions, target: string, transport: ChannelCredentials): string {
  const file = options.keyFile ?? process.env[KEY_FILE_VARIABLE];
  if (!file) return "";
  const key = read(file);
  if (!transport._isSecure() && !options.plaintextKey && !isWithinMachine(target)) {
    throw new Error(
      `the API key would reach ${target} unencrypted: name the server's authorities with caFile (${CA_VARIABLE}), ` +
        "or say plaintextKey where a proxy on the way encrypts",
    );
  }
  return key;
}

function read(file: string): string {
  const opened = openSync(file, "r");
  try {
    if (process.platform !== "win32" && fstatSync(opened).mode & 0o077) {
      throw new Error(`${file} holds an API key, and others can read it: chmod 600 ${file}`);
    }
    const key = readFileSync(opened, "latin1").trim();
    if (KEY.test(key)) return key;
    throw new Error(`${file}: an API key is one word of printable ASCII, as \`memorybank keys create\` shows it`);
  } finally {
    closeSync(opened);
  }
}

/** Tells whether what is sent to a target stays on this machine, for all that its name tells. */
export function isWithinMachine(target: string): boolean {
  if (/^unix(-abstract)?:/.test(target)) return true;
  const host = target
    .replace(/^(?:dns:(?:\/\/[^/]*)?\/?|ipv4:|ipv6:)/, "")
    .replace(/:\d+$/, "")
    .replace(/^\[|\]$/g, "");
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
