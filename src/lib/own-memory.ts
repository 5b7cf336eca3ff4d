// The bytes of a buffer are outside of the heap, and are freed only when the garbage collector runs. Still they count
// as growth of the heap and cause collections: with 10,000 unchanged watches, the collections for the 60 kB of each
// poll took a third of the CPU. So memory that is large or often used is returned as soon as it is no longer needed.

/** Empties pieces that have memory of their own. Others, such as a part of a larger buffer, stay as they are. */
export function freeOwnMemory(pieces: readonly Uint8Array[]): void {
  for (const { buffer, byteLength } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
