// Names of tests, and the tense of their main clauses.
import ts from 'typescript';
import { lineOf, nodesIn } from '../syntax.ts';

/** What follows one of these words is no main clause. */
const CLAUSE =
  /[,;:]? ?\b(?:that|which|who|whose|what|whatever|where|once|after|before|when|while|since|until|as|than|if|unless|though|although|because|how|however)\b.*/i;

/** `is told`, `are not lost`: the present tense. */
const PARTICIPLE =
  /\b(?:is|are|be|been|being|has|have|not|nothing|nobody|still|never|[a-z]+ly) (?:told|lost|forgot|said|got|took)\b/gi;

const PAST = /\b(?:was|were|did|had|began|went|came|forgot|took)\b/;

/** Tests whose main clause is in the past tense. */
export function pastNames(file: string, source: ts.SourceFile): string[] {
  return nodesIn(source).flatMap((node) => {
    const name = testNameOf(node);
    return name !== undefined && isPast(name) ? [`${file}:${lineOf(node)}: ${name}`] : [];
  });
}

function isPast(name: string): boolean {
  return PAST.test(name.replace(CLAUSE, '').replace(PARTICIPLE, ''));
}

function testNameOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || !isTestFunction(node.expression)) return undefined;
  const [name] = node.arguments;
  if (name === undefined) return undefined;
  if (ts.isStringLiteralLike(name)) return name.text;
  return ts.isTemplateExpression(name) ? name.getText().slice(1, -1) : undefined;
}

/** `test`, `test.skip`, `test.each(rows)` and the like. */
function isTestFunction(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return node.text === 'test' || node.text === 'it';
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return isTestFunction(node.expression);
  return ts.isTaggedTemplateExpression(node) && isTestFunction(node.tag);
}
