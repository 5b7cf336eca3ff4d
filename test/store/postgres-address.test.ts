// What a URL of a database says, and what is refused.
import { expect, test } from '@jest/globals';
import { addressOf } from '../../src/store/postgres/address.ts';
import { openPostgresReader } from '../../src/store/postgres/open.ts';
import { freePort } from '../support/free-port.ts';
import { databaseAt } from '../support/store/story-state.ts';

test('checks the certificate of a database off the loopback before it sends the password', () => {
  const { name, url, ssl } = addressOf('postgres://me:hidden@db.example.org/state?sslmode=verify-full');
  expect(name).toBe('PostgreSQL at db.example.org:5432/state');
  expect(url).toBe('postgres://me:hidden@db.example.org/state');
  expect(ssl).toEqual({ host: 'db.example.org', rejectUnauthorized: true });
  expect(addressOf('postgresql://me@[2001:db8::7]:6543/state')).toMatchObject({ ssl: { host: '2001:db8::7' } });
});

test.each(['disable', 'allow', 'prefer', 'no-verify'])('sslmode=%s is refused, and no password is shown', (mode) => {
  const refused = () => addressOf(`postgres://me:hidden@db.example.org/state?sslmode=${mode}`);
  expect(refused).toThrow(`PostgreSQL at db.example.org:5432/state: sslmode=${mode} would send the password`);
  expect(refused).not.toThrow('hidden');
});

test.each(['127.0.0.1', '127.8.9.10', 'localhost', '[::1]'])(
  'on the loopback, at %s, no certificate is needed',
  (host) => {
    expect(addressOf(`postgres://me@${host}/state?sslmode=disable`).ssl).toBe(false);
  },
);

test('a socket of this machine needs none either', () => {
  expect(addressOf('postgres://me@localhost/state?host=/run/postgresql').ssl).toBe(false);
});

test.each(['', 'state.db', 'mysql://me:hidden@localhost/x', 'postgres:'])('%p is no URL of a database', (text) => {
  const refused = () => addressOf(text);
  expect(refused).toThrow('Write it as postgres://user:password@host:5432/database');
  expect(refused).not.toThrow('hidden');
});

test.each(['ssl=0', 'sslnegotiation=direct', 'uselibpqcompat=true', 'port=1'])(
  'a parameter that may turn TLS off is refused: %s',
  (parameter) => {
    const refused = () => addressOf(`postgres://me:hidden@db.example.org/state?${parameter}`);
    expect(refused).toThrow(`the parameter ${parameter.split('=')[0]} is not known. A URL of a database takes host,`);
    expect(refused).not.toThrow('hidden');
  },
);

test('a host that is there twice is refused, and none is this machine, whatever PGHOST says', () => {
  const refused = () => addressOf('postgres://me:hidden@db.example.org/state?host=localhost&host=db.example.org');
  expect(refused).toThrow('the parameter host is there twice');
  const { url, ssl } = addressOf('postgres:///state');
  expect([new URL(url).searchParams.get('host'), ssl]).toEqual(['localhost', false]);
});

test('a file that is named and not there is said, with its key', () => {
  expect(() => addressOf('postgres://me@db.example.org/x?sslrootcert=/not/there.pem')).toThrow(
    /sslrootcert cannot be read/,
  );
});

test('where no server answers, the operator learns where it was looked for, and not the password', async () => {
  const port = await freePort();
  const opening = openPostgresReader(databaseAt(`postgres://me:hidden@127.0.0.1:${port}/state`));
  await expect(opening).rejects.toThrow(
    /^cannot reach PostgreSQL at 127\.0\.0\.1:\d+\/state: .*ECONNREFUSED.*Check that the server runs/,
  );
  await expect(opening).rejects.not.toThrow('hidden');
});
