// The Etherscan-style API is at one of several addresses. The first that answers is used from then on.
import { API_REFUSALS, Missed } from '../../core/model/watch/question.ts';
import type { MissReason } from '../../core/model/observation.ts';

export interface ApiUrls {
  /** Calls `send` with one address after the other, until one has this API. Throws the last `Missed`. */
  request<T>(send: (url: string) => Promise<T>): Promise<T>;
}

/** Until one address has answered, these answers may also mean that the address is wrong. */
const UNCLEAR: readonly MissReason[] = ['unprocessable', 'http'];

export function createApiUrls(urls: readonly string[]): ApiUrls {
  let answering: string | null = null;
  return {
    async request(send) {
      let refused: Missed | null = null;
      for (const url of answering === null ? urls : [answering]) {
        try {
          const answer = await send(url);
          answering = url;
          return answer;
        } catch (error) {
          if (!(error instanceof Missed)) throw error;
          const isRefused =
            API_REFUSALS.includes(error.reason) || (answering === null && UNCLEAR.includes(error.reason));
          if (!isRefused) throw error;
          answering = null;
          refused = error;
        }
      }
      throw refused ?? new Missed('forbidden', 'the explorer has no address for this question');
    },
  };
}
