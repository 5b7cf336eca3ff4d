// A page as the server sees it: its path, the least role, and the function that makes it.
import type { OperatorRequest } from '../../operators/action.ts';
import type { Role } from '../guard/identity.ts';
import type { Parameters } from '../parameters.ts';
import type { ApiProblem } from '../problem.ts';
import type { Moment } from '../parts/time.ts';
import type { HtmlPage } from './frame/layout.ts';

export interface PageRequest extends Moment {
  readonly role: Role;
  /** A parameter of the path, decoded. */
  readonly parameter: (name: string) => string;
  /** Parameters of the address. */
  readonly parameters: Parameters;
  /** One parameter; empty if it is missing. */
  readonly query: (name: string) => string;
}

/** Content that is sent unchanged. `file`: the name under which it is saved; null: it is not saved as a file. */
export interface Download {
  readonly file: string | null;
  readonly type: string;
  readonly body: string;
}

export interface PageRoute {
  readonly path: string;
  readonly role: Role;
  /** The name in the navigation; null: it is not listed there. */
  readonly nav: string | null;
  /** The path of the navigation entry that this page belongs to. */
  readonly under?: string;
  show(request: PageRequest): Promise<HtmlPage | Download>;
}

export interface FormRequest extends Moment {
  readonly parameter: (name: string) => string;
  /** Empty if the form has no such field. */
  readonly field: (name: string) => string;
  readonly request: OperatorRequest;
}

/** The path to go to after the change, or the reason why it was refused. */
export type FormAnswer = { readonly location: string } | { readonly problem: ApiProblem };

export interface FormRoute {
  readonly path: string;
  readonly role: Role;
  submit(form: FormRequest): Promise<FormAnswer>;
}
