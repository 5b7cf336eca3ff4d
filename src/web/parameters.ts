// Parameters of an address.

/** A parameter that occurs several times is a list. */
export type Parameters = Readonly<Record<string, string | readonly string[]>>;

/** Empty parameters are left out. */
export function parametersOf(all: Readonly<Record<string, readonly string[]>>): Parameters {
  const given = Object.entries(all).flatMap(([name, values]): [string, string | readonly string[]][] => {
    const [first, ...others] = values.filter((text) => text !== '');
    return first === undefined ? [] : [[name, others.length === 0 ? first : [first, ...others]]];
  });
  return Object.fromEntries(given);
}

/** The first parameter of that name; empty if it is missing. */
export function textIn(parameters: Parameters, name: string): string {
  return [parameters[name] ?? ''].flat()[0] ?? '';
}
