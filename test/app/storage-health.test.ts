import { expect, jest, test } from '@jest/globals';
import { watchStorage } from '../../src/app/state/storage-health.ts';
import { UNKNOWN_HEALTH } from '../../src/core/model/quality/health-summary.ts';
import { StorageError, StoreFullError } from '../../src/store/contract/store.ts';
import { createMemoryStore } from '../support/store/memory-store.ts';
import { claim, cover } from '../support/store/store-calls.ts';

const HEALTH = { ...UNKNOWN_HEALTH, at: 0 };

test('a replica that held no explorer after an outage committed nothing, and stayed unready for good', async () => {
  const inner = createMemoryStore();
  const refused = jest.spyOn(inner, 'claim').mockRejectedValue(new StorageError('the server does not answer'));
  const storage = watchStorage(inner);
  const { store } = storage;
  await expect(claim(store, 'ops', 1, 0)).rejects.toThrow(StorageError);
  refused.mockRestore();
  expect(storage.state()).toBe('fails');
  await store.keepHealth(HEALTH);
  expect(storage.state()).toBe('works');
});

test('how the daemon does can be written into a state that is full, which it stays', async () => {
  const inner = createMemoryStore();
  jest.spyOn(inner, 'cover').mockRejectedValue(new StoreFullError('the state has reached its size'));
  const storage = watchStorage(inner);
  const { store } = storage;
  await expect(cover(store, new Map())).rejects.toThrow(StoreFullError);
  await store.keepHealth(HEALTH);
  expect(storage.state()).toBe('full');
});
