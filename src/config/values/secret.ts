import { inspect } from 'node:util';

/** A secret text: it shows as `[secret]` wherever it is printed, joined or turned into JSON. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself: for the one header, parameter or connection that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}

const SHOWN = '[secret]';
