/** Values by key. A value that is not used between two sweeps is dropped. */
export class GenerationCache<T> {
  readonly #byKey = new Map<string, { readonly value: T; isUsed: boolean }>();

  get(key: string): T | undefined {
    const known = this.#byKey.get(key);
    if (known !== undefined) known.isUsed = true;
    return known?.value;
  }

  set(key: string, value: T): T {
    this.#byKey.set(key, { value, isUsed: true });
    return value;
  }

  sweep(): void {
    for (const [key, one] of this.#byKey)
      if (one.isUsed) one.isUsed = false;
      else this.#byKey.delete(key);
  }

  *values(): Generator<T> {
    for (const { value } of this.#byKey.values()) yield value;
  }
}
