import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'coverage', 'data'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers and booleans are safe to print; objects (and so text from the chain) are not.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An implementation of an asynchronous promise may itself be synchronous (node:sqlite is).
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // There are no enums here: `erasableSyntaxOnly` refuses them.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'Write the properties themselves.',
        },
        {
          selector: 'ArrayExpression > SpreadElement > ArrayExpression',
          message: 'Write the elements themselves.',
        },
      ],
    },
  },
  {
    // Time, chance and the process are guests: they arrive as arguments. Only these rooms may reach for them.
    files: ['src/**/*.ts'],
    ignores: ['src/main.ts', 'src/lib/clock.ts', 'src/config/**'],
    rules: {
      'no-restricted-globals': ['error', 'setTimeout', 'setInterval', 'process'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Ask the Clock.' },
        { object: 'Math', property: 'random', message: 'Derive it from an id.' },
      ],
    },
  },
  {
    files: ['**/*.mjs'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    // They run in browsers.
    files: ['src/web/assets/**/*.js'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      parserOptions: { project: false, program: null },
      globals: Object.fromEntries(
        ['addEventListener', 'CSS', 'document', 'Event', 'EventSource', 'getComputedStyle', 'getSelection', 'location']
          .concat([
            'devicePixelRatio',
            'matchMedia',
            'performance',
            'ResizeObserver',
            'setInterval',
            'uPlot',
            'URLSearchParams',
            'XMLHttpRequest',
          ])
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['bench/**', '.ci/**'],
    rules: { 'no-console': 'off' },
  },
);
