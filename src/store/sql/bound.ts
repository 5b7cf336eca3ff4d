// The first parameter of functions about tables is the connection. A store binds it once, for all calls.
import type { Sql } from './sql.ts';

type OnSql = (sql: Sql, ...rest: never[]) => Promise<unknown>;

/** The functions without their first parameter, the connection. */
export type Bound<F> = {
  readonly [N in keyof F]: F[N] extends (sql: Sql, ...rest: infer R) => infer T ? (...rest: R) => T : never;
};

/** `run`: gives each call its connection, as `snapshot` does. */
export function bound<F extends Readonly<Record<string, OnSql>>>(
  run: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  functions: F,
): Bound<F> {
  const entries = Object.entries(functions).map(([name, on]) => {
    return [name, (...rest: never[]) => run((sql) => on(sql, ...rest))] as const;
  });
  return Object.fromEntries(entries) as Bound<F>;
}
