export default {
  testEnvironment: 'node',
  // Many tests wait for processes of their own: a worker more than jest's default pays.
  maxWorkers: '100%',
  // For a loaded machine: no test waits on purpose.
  testTimeout: 60_000,
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
