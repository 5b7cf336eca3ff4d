// Type-checks files of the program as they would be, without writing them.
import { relative, resolve } from 'node:path';
import ts from 'typescript';

/** `texts`: by path. Gives what is wrong in these files, such as `src/x.ts: Cannot find name 'y'.` */
export type TypeCheck = (texts: ReadonlyMap<string, string>) => string[];

/** The other files are read once. */
export function createTypeCheck(): TypeCheck {
  const options = optionsIn('tsconfig.json');
  const host = ts.createCompilerHost(options);
  const asTheyAre = new Map<string, ts.SourceFile | undefined>();

  function sourceOf(file: string, how: Parameters<typeof host.getSourceFile>[1]): ts.SourceFile | undefined {
    if (!asTheyAre.has(file)) asTheyAre.set(file, host.getSourceFile(file, how));
    return asTheyAre.get(file);
  }

  return (texts) => {
    const changed = new Map([...texts].map(([file, text]) => [resolve(file), text]));
    const program = ts.createProgram([...changed.keys()], options, {
      ...host,
      getSourceFile(file, how) {
        const text = changed.get(file);
        return text === undefined ? sourceOf(file, how) : ts.createSourceFile(file, text, how);
      },
    });
    return [...changed.keys()].flatMap((file) => mistakesIn(program, file));
  };
}

function mistakesIn(program: ts.Program, file: string): string[] {
  const source = program.getSourceFile(file);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return found.map(({ messageText }) => `${relative('.', file)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

function optionsIn(config: string): ts.CompilerOptions {
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic({ messageText }) {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, ' '));
    },
  });
  if (parsed === undefined) throw new Error(`${config} cannot be read`);
  return parsed.options;
}
