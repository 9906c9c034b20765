const MOST = 10_000;

/** The highest revision seen of each bank or other memory, of those seen last. */
export class Revisions {
  readonly #seen = new Map<string, bigint>();

  of(subject: string): bigint | undefined {
    return this.#seen.get(subject);
  }

  saw(subject: string, revision: bigint): void {
    const known = this.#seen.get(subject) ?? 0n;
    this.#seen.delete(subject); // a map keeps the order in which its keys came
    this.#seen.set(subject, revision > known ? revision : known);
    if (this.#seen.size > MOST) this.#seen.delete(this.#seen.keys().next().value!);
  }

  forget(subject: string): void {
    this.#seen.delete(subject);
  }
}
