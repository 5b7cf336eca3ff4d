// Functions that are long, and functions that only forward a call.
import ts from 'typescript';
import { lineOf, nodesIn } from '../syntax.ts';

export interface LongFunction {
  /** Of the variable or property that holds it, where it has none itself. */
  readonly name: string;
  readonly place: string;
}

export function longFunctions(file: string, source: ts.SourceFile, mostLines: number): LongFunction[] {
  return functionsIn(source).flatMap((node) => {
    const lines = source.getLineAndCharacterOfPosition(node.end).line + 2 - lineOf(node);
    if (lines <= mostLines) return [];
    const name = nameOf(node);
    return [{ name, place: `${file}:${lineOf(node)}: ${name} has ${lines} lines` }];
  });
}

/** `x(a, b) { return y.x(a, b); }` and `x: (a) => y.x(a)`: the same name and the same arguments. */
export function forwardingFunctions(file: string, source: ts.SourceFile): string[] {
  return functionsIn(source)
    .filter(isForwarding)
    .map((node) => `${file}:${lineOf(node)}: ${nameOf(node)}`);
}

type WithBody = ts.SignatureDeclaration & { readonly body: ts.Block | ts.Expression };

function functionsIn(source: ts.SourceFile): WithBody[] {
  return nodesIn(source).filter(hasBody);
}

function hasBody(node: ts.Node): node is WithBody {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function nameOf(node: WithBody): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed ? parent.name.getText() : 'a function without a name';
}

function isForwarding(node: WithBody): boolean {
  if (!ts.isMethodDeclaration(node) && !ts.isPropertyAssignment(node.parent)) return false;
  const call = callIn(node.body);
  if (call === undefined || !ts.isPropertyAccessExpression(call.expression)) return false;
  const parameters = node.parameters.map(({ name }) => name.getText());
  const isSameList =
    call.arguments.length === parameters.length &&
    call.arguments.every((argument, at) => ts.isIdentifier(argument) && argument.text === parameters[at]);
  return isSameList && call.expression.name.text === nameOf(node);
}

/** The call that is all of the body, awaited or not. */
function callIn(body: ts.Block | ts.Expression): ts.CallExpression | undefined {
  const only = ts.isBlock(body) ? onlyExpressionIn(body) : body;
  const call = only !== undefined && ts.isAwaitExpression(only) ? only.expression : only;
  return call !== undefined && ts.isCallExpression(call) ? call : undefined;
}

function onlyExpressionIn({ statements }: ts.Block): ts.Expression | undefined {
  const [only, ...others] = statements;
  if (only === undefined || others.length > 0) return undefined;
  return ts.isReturnStatement(only) || ts.isExpressionStatement(only) ? only.expression : undefined;
}
