// What a page is to the server: where it is, the least role that it takes, and how it is made.
import type { Role } from '../guard/identity.ts';
import type { Moment } from '../parts/time.ts';
import type { Page } from './layout.ts';

export interface PageRequest extends Moment {
  readonly role: Role;
  /** A parameter of the path, decoded. */
  readonly parameter: (name: string) => string;
  /** A parameter of the address; empty where it is not there. */
  readonly query: (name: string) => string;
}

export interface PageRoute {
  readonly path: string;
  readonly role: Role;
  /** Its name in the navigation; null: it has no place there. */
  readonly nav: string | null;
  show(request: PageRequest): Promise<Page>;
}
