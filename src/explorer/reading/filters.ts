// Newer releases answer 422 to a filter that they no longer declare. The question is then sent again without filters,
// and so are all later questions of its operation. So the caller must filter the rows itself.
import { Missed, type Cursor, type OperationName, type Question } from '../../core/model/watch/question.ts';
import type { Log } from '../../telemetry/log.ts';

/** The query: the filters and the cursor. The cursor's values win, since some servers echo the filters into it. */
export type Query = Readonly<Record<string, string>>;

export interface Filters {
  /** Calls `send` with the question's query: once, or a second time without the filters. */
  request<T>(question: Question, cursor: Cursor | null, send: (query: Query) => Promise<T>): Promise<T>;
}

export function createFilters(log: Log, explorer: string): Filters {
  const refused = new Set<OperationName>();
  return {
    async request(question, cursor, send) {
      const { operation, params } = question;
      if (refused.has(operation)) return send(withoutFilters(params, cursor));
      try {
        return await send({ ...params, ...cursor });
      } catch (error) {
        // On a later page the cursor may be the cause, and the list must not change between pages.
        if (!isRefusal(error) || cursor !== null || Object.keys(params).length === 0) throw error;
        const answer = await send({});
        refused.add(operation);
        log.warn('explorer:filter-refused', {
          explorer,
          operation,
          filters: Object.keys(params),
          detail: error.message,
        });
        return answer;
      }
    },
  };
}

function isRefusal(error: unknown): error is Missed {
  return error instanceof Missed && error.reason === 'unprocessable';
}

function withoutFilters(params: Query, cursor: Cursor | null): Query {
  return Object.fromEntries(Object.entries(cursor ?? {}).filter(([name]) => params[name] === undefined));
}
