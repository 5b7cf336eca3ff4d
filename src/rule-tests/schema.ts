// The editor schema of test files. The fields of a row depend on its watch, which a schema cannot express: any field is
// accepted there and checked when the tests run.
import type { AnyKind } from '../core/model/watch/kind.ts';
import { DRAFT, propertiesOf, toJson, type JsonSchema } from '../rules/schema/schema.ts';
import { ExpectShape, ReportTestShape, RowShape, TestFileShape, TestShape } from './reading/shape.ts';

/** For `# yaml-language-server: $schema=rules-test.schema.json`. */
export function testsJsonSchema(kinds: readonly AnyKind[]): JsonSchema {
  const file = toJson(TestFileShape);
  const test = withExpect(toJson(TestShape));
  const ofWatch = {
    ...test,
    properties: {
      ...propertiesOf(test),
      saw: { ...propertiesOf(test)['saw'], items: rowSchema(kinds) },
    },
  };
  const ofReport = withExpect(toJson(ReportTestShape));
  return {
    $schema: DRAFT,
    title: 'Tests of Chainwarden rules',
    ...file,
    properties: {
      ...propertiesOf(file),
      tests: { ...propertiesOf(file)['tests'], items: { anyOf: [ofWatch, ofReport] } },
    },
  };
}

function withExpect(test: JsonSchema): JsonSchema {
  const { expect } = propertiesOf(test);
  return { ...test, properties: { ...propertiesOf(test), expect: { ...expect, items: toJson(ExpectShape) } } };
}

function rowSchema(kinds: readonly AnyKind[]): JsonSchema {
  const row = toJson(RowShape);
  const lists = Map.groupBy(
    kinds.filter(({ script }) => script.rows !== null),
    ({ script }) => script.rows ?? '',
  );
  const rows = [...lists].map(([key, of]) => [
    key,
    {
      type: 'array',
      items: { type: 'object' },
      description: `the rows of the page: ${of.map(({ name }) => name).join(', ')}`,
    },
  ]);
  return {
    ...row,
    properties: { ...propertiesOf(row), ...(Object.fromEntries(rows) as JsonSchema) },
    additionalProperties: true,
  };
}
