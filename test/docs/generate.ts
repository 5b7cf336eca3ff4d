// `npm run docs`: writes the parts of docs/ that are made of the code.
import { writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { GENERATED } from './generated.ts';

for (const [file, page] of Object.entries(GENERATED)) {
  const options = (await resolveConfig(file)) ?? {};
  writeFileSync(file, await format(page(), { ...options, filepath: file }));
}
