// Files that wait for real time are spread over the first half of the run, about one at a time: all at once they would leave
// the processor idle, and at the end nothing would run beside them.
import Sequencer from '@jest/test-sequencer';

const WAITING = /\/acceptance\/replicas\//;

export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const [waiting, others] = [sorted.filter(isWaiting), sorted.filter((test) => !isWaiting(test))];
    if (waiting.length === 0) return sorted;
    const between = Math.ceil(others.length / (2 * waiting.length));
    return [
      ...waiting.flatMap((test, n) => [test, ...others.slice(n * between, (n + 1) * between)]),
      ...others.slice(waiting.length * between),
    ];
  }
}

function isWaiting({ path }) {
  return WAITING.test(path);
}
