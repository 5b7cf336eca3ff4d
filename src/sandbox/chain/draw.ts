// Random numbers as a pure function: the same seed, purpose and place give the same number in any process.

/** The purpose of a draw. Draws of different purposes are independent of one another. */
export const PURPOSE = {
  blockHash: 1,
  stateRoot: 2,
  transactionHash: 3,
  account: 4,
  created: 5,
  fillers: 6,
  amount: 7,
  gas: 8,
  nonce: 9,
  lead: 10,
  phase: 11,
  holding: 12,
  token: 13,
  balance: 14,
  control: 15,
  uncle: 16,
  trace: 17,
  fork: 18,
  lag: 19,
  fault: 20,
} as const;

/** A number of 32 bits, evenly spread. `a` and `b` are whole numbers below 2^53, such as a height and a slot. */
export function draw(seed: number, purpose: number, a = 0, b = 0, lane = 0): number {
  let state = absorb(0x243f6a88 ^ lane, seed);
  state = absorb(state, purpose);
  state = absorb(state, a);
  return absorb(state, b) >>> 0;
}

/** `words` x 8 hexadecimal digits. Every word is drawn on its own lane: 8 words are a hash without collisions. */
export function drawHex(seed: number, purpose: number, a: number, b: number, words: number): string {
  for (let lane = 1; lane <= words; lane++) scratch.writeUInt32BE(draw(seed, purpose, a, b, lane), (lane - 1) * 4);
  return scratch.toString('hex', 0, words * 4);
}

const scratch = Buffer.alloc(32);

// `absorb` runs a hundred times for each block. Looking up the global `Math` each time took most of its time in tests.
const { floor, imul } = Math;

function absorb(state: number, value: number): number {
  const high = floor(value / 2 ** 32) | 0;
  return scramble(imul(scramble(state ^ (value | 0)) ^ high, 0x9e3779b1) + 0x7f4a7c15);
}

function scramble(value: number): number {
  let bits = value;
  bits = imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
