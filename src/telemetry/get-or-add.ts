/** The value of a key. A missing value is added first. */
export function getOrAdd<V>(map: Map<string, V>, key: string, fresh: () => V): V {
  const value = map.get(key) ?? fresh();
  map.set(key, value);
  return value;
}
