// Where questions meet: the same request is not sent while it is under way, nor twice in one tick.
import type { AnyView } from '../core/fields.ts';
import type { Page, Question } from '../core/question.ts';
import type { Ask, Request } from './ask.ts';
import type { Query } from './filters.ts';

type Value = AnyView | Page;
/** Answers by address. A tick's own holds on to them, failures too, until the tick is forgotten. */
export type Shelf = Map<string, Promise<Value>>;

export interface Desk {
  /** From the tick's shelf, from a request under way, or by asking. */
  ask(question: Question, query: Query, shelf: Shelf): Promise<Value>;
  /** By asking now: shared only with those who take their second reading at the same moment. */
  askAgain(question: Question, query: Query): Promise<Value>;
}

export function createDesk(ask: Ask, baseUrl: string): Desk {
  const toRequest = requestsTo(baseUrl);
  const underWay: Shelf = new Map();
  const againUnderWay: Shelf = new Map();

  function share(request: Request, shelf: Shelf): Promise<Value> {
    const { address } = request;
    const shared = shelf.get(address);
    if (shared !== undefined) return shared;
    const asked = ask(request);
    shelf.set(address, asked);
    const leave = (): void => {
      shelf.delete(address);
    };
    asked.then(leave, leave);
    return asked;
  }

  return {
    ask(question, query, shelf) {
      const request = toRequest(question, query);
      const known = shelf.get(request.address);
      if (known !== undefined) return known;
      const asked = share(request, underWay);
      shelf.set(request.address, asked);
      return asked;
    },
    askAgain: (question, query) => share(toRequest(question, query), againUnderWay),
  };
}

function requestsTo(baseUrl: string): (question: Question, query: Query) => Request {
  const { host } = new URL(baseUrl);
  const root = `${baseUrl.replace(/\/+$/, '')}/api/v2/`;
  return (question, query) => ({
    question,
    address: root + question.path + written(query),
    where: `${host}/api/v2/${question.path.replaceAll(/0x[0-9a-f]+/gi, '{address}')}`,
  });
}

function written(query: Query): string {
  const pairs = Object.entries(query).map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
