/**
 * Copies bytes with changes, front to back; without changes it copies nothing. Only `nullify` may go back: a value that
 * is partly copied becomes null as a whole, with the changes inside it.
 */
export class Rewriter {
  readonly #body: Buffer;
  #copy: Buffer | null = null;
  /** The part of the body before this offset is in the copy, which ends at `#end`. */
  #taken = 0;
  #end = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** Add this to an offset behind the last change to get its offset in the copy. */
  get shift(): number {
    return this.#end - this.#taken;
  }

  /** Puts [from, to) in quotes. */
  quote(from: number, to: number): void {
    this.#takeTo(from);
    this.#write('"');
    this.#takeTo(to);
    this.#write('"');
  }

  /** Replaces [from, to) with null. `shift`: the value that `this.shift` had at `from`. */
  nullify(from: number, to: number, shift: number): void {
    if (this.#taken > from) this.#end = from + shift;
    else this.#takeTo(from);
    this.#write('null');
    this.#taken = to;
  }

  end(): Buffer {
    if (this.#copy === null) return this.#body;
    this.#takeTo(this.#body.length);
    return this.#copy.subarray(0, this.#end);
  }

  #takeTo(to: number): void {
    this.#end += this.#body.copy(this.#room(), this.#end, this.#taken, to);
    this.#taken = to;
  }

  #write(text: string): void {
    this.#end += this.#room().write(text, this.#end, 'latin1');
  }

  /** A value grows to at most twice its size: `[]` to `null`. Memory that is not written to costs nothing. */
  #room(): Buffer {
    return (this.#copy ??= Buffer.alloc(2 * this.#body.length));
  }
}
