/** The ABI files by the paths that rules write: their texts, or the reasons why they were not read. */
export type AbiFiles = ReadonlyMap<string, AbiFile>;

export type AbiFile = { readonly text: string } | { readonly refusal: string };

/** The paths of an `abi:` as it is written: a text, or a list of texts. */
export function writtenPaths(written: unknown): readonly string[] {
  return (Array.isArray(written) ? written : [written]).filter((path) => typeof path === 'string');
}
