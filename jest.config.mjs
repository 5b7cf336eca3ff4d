import { availableParallelism } from 'node:os';

export default {
  testEnvironment: 'node',
  // Many tests wait for time or for processes of their own: a worker more than there are cores pays.
  maxWorkers: availableParallelism() + 1,
  // For a loaded machine: no test waits on purpose.
  testTimeout: 900_000,
  setupFiles: ['<rootDir>/test/support/properties.setup.ts', '<rootDir>/test/support/slow-network.setup.ts'],
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
