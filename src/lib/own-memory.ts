// Bytes lie outside of the heap, and stay there until the garbage collector runs. The 60 kB of a poll count as growth
// of the heap: with 10,000 unchanged watches the collections that they caused took a third of the CPU. So memory that
// is large or often used is returned as soon as it is no longer needed.

/** Empties pieces that have memory of their own. Others, such as a part of a larger buffer, stay as they are. */
export function freeOwnMemory(pieces: readonly Uint8Array[]): void {
  for (const { buffer, byteLength } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
