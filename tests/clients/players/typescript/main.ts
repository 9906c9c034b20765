// The player in TypeScript: methods by their names over a connection of the client's.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

import * as memorybank from "agentic-memory-bank-client";

type Json = Record<string, any>;

const [address, transcript, variables] = process.argv.slice(2) as [string, string, string];
const known: Record<string, string> = JSON.parse(variables);
const connection = memorybank.connect(address);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function tell(told: Json): void {
  console.log(JSON.stringify(told));
}

async function play(step: Json): Promise<Json> {
  const [service, name] = step.call.split("/");
  const described = (memorybank as Json)[service];
  const method = described.methods.find((each: Json) => each.name === name);
  const call = (connection.client(described) as Json)[method.localName];
  const options: memorybank.CallOptions = {};
  if (step.timeout) options.timeout = step.timeout * 1000;
  if (step.key) options.metadata = { authorization: `Bearer ${step.key}` };
  const read = (json: Json) => memorybank.fromJson(method.input, json);
  const given = step.requests ? step.requests.map(read) : read(step.request);
  let answers: Json[] = [];
  const told: Json = {};
  try {
    if (!method.methodKind.match(/server|bidi/)) answers.push(memorybank.toJson(method.output, await call(given, options)) as Json);
    else {
      for await (const answer of call(given, options)) {
        answers.push(memorybank.toJson(method.output, answer) as Json);
        if (answers.length === step.take) break;
      }
    }
  } catch (error) {
    if (!(error instanceof memorybank.MemoryBankError)) throw error;
    told.error = {
      code: error.code,
      reason: error.reason,
      metadata: error.metadata,
      fields: error.fields.map(({ field, problem }) => [field, problem]),
      retry: error.retryAfter !== undefined,
      sent: error.requestId !== "",
    };
  }
  for (const [variable, path] of Object.entries<string>(step.save ?? {})) {
    known[variable] = String(path.split(".").reduce((found: any, part) => found[part], answers.at(-1)));
  }
  if (step.last) answers = answers.slice(-1);
  if (step.show) answers = answers.map((each) => Object.fromEntries(Object.entries(each).filter(([field]) => step.show.includes(field))));
  return { ...told, answers };
}

for (const raw of JSON.parse(readFileSync(transcript, "utf8"))) {
  let text = JSON.stringify(raw);
  for (const [name, value] of Object.entries(known)) text = text.replaceAll(`\${${name}}`, value);
  const step: Json = JSON.parse(text);
  if (step.turn) {
    tell({ turn: step.turn });
    await lines.next();
    tell({ step: step.step });
  } else {
    tell({ step: step.step, ...(await play(step)) });
  }
}
connection.close();
process.exit(0);
