// Bytes lie outside of the heap, and wait there for the collector as long as everything else. The 60 kB of a poll count as
// growth of the heap: with 10,000 unchanged watches the collections that they brought about took a third of the CPU. So
// the memory of what is large, or comes often, is given back as soon as nobody looks at it any more.

/** Those that have memory of their own are empty afterwards; others, such as a part of a larger one, stay as they are. */
export function freeOwnMemory(pieces: readonly Uint8Array[]): void {
  for (const { buffer, byteLength } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
