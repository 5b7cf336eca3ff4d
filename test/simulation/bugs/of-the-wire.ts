// Bugs of the connection, which the simulation replaces.
import type { TestedBug } from './bug.ts';

const WIRE_TESTS = 'test/explorer/http/failures.test.ts';

export const WIRE_BUGS: Readonly<Record<string, TestedBug>> = {
  'redirects followed': {
    edits: [
      {
        file: 'src/explorer/http/exchange.ts',
        find: `    hasAnswer = true;
`,
        replace: `    hasAnswer = true;
    if (answer.headers.location !== undefined) {
      resolve(exchange({ ...options, url: new URL(answer.headers.location, url) }));
      return;
    }
`,
      },
    ],
    tests: WIRE_TESTS,
    caughtBy: 'a redirect is named, not followed',
  },
  'timer cleared at the headers': {
    edits: [
      {
        file: 'src/explorer/http/exchange.ts',
        find: `    hasAnswer = true;
`,
        replace: `    hasAnswer = true;
    cancelDeadline();
`,
      },
    ],
    tests: WIRE_TESTS,
    caughtBy: 'a body that drips is cut off by the one deadline, and its connection closed',
  },
};
