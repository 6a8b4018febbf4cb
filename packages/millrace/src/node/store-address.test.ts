import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeStoreAddress, DEFAULT_STORE, describeStore } from './open-store.ts'

describe('the address of a store', () => {
  test.each([
    ['memory:', { kind: 'memory' }],
    [DEFAULT_STORE, { kind: 'sqlite', path: '.millrace/millrace.db' }],
    ['sqlite:/var/lib/mill.db', { kind: 'sqlite', path: '/var/lib/mill.db' }],
    ['sqlite:///var/lib/mill.db', { kind: 'sqlite', path: '/var/lib/mill.db' }],
    ['SQLite:a b.db', { kind: 'sqlite', path: 'a b.db' }],
    ['sqlite:mill.db?shared=1', { kind: 'sqlite', path: 'mill.db', shared: true }],
    ['sqlite:why?/mill.db', { kind: 'sqlite', path: 'why?/mill.db' }],
    ['redis://localhost?cluster=true', { kind: 'redis', url: 'redis://localhost?cluster=true' }],
    ['sqlite:~/mill.db', { kind: 'sqlite', path: join(homedir(), 'mill.db') }],
    ['redis://localhost', { kind: 'redis', url: 'redis://localhost' }],
    [
      'rediss://u:p@mill.example:6380/2',
      { kind: 'redis', url: 'rediss://u:p@mill.example:6380/2' },
    ],
    [
      'redis+sentinel://u:p@a:1,b:2/mill',
      { kind: 'redis', url: 'redis+sentinel://u:p@a:1,b:2/mill' },
    ],
    [
      'postgres://u:p@mill.example/db?sslmode=require',
      { kind: 'postgres', url: 'postgres://u:p@mill.example/db?sslmode=require', options: {} },
    ],
    [
      'postgresql://mill.example/db?schema=mill&sslmode=require&prefix=a_&listen=0',
      {
        kind: 'postgres',
        url: 'postgresql://mill.example/db?sslmode=require',
        options: { schema: 'mill', prefix: 'a_', listen: false },
      },
    ],
  ])('%s is parsed', (text, address) => expect(decodeStoreAddress(text)).toEqual(address))

  test.each([
    ['', 'address is invalid'],
    ['memory', 'sqlite:memory'],
    ['./mill.db', 'sqlite:./mill.db'],
    ['memory:x', 'nothing after the colon'],
    ['sqlite:', 'requires a path'],
    ['sqlite::memory:', 'memory:'],
    ['sqlite://host/mill.db', 'without a host'],
    ['redis:6379', 'redis://HOST:PORT'],
    ['redis://a b', 'redis://HOST:PORT'],
    ['redis+sentinel://u:PASSWORD@h', 'redis+sentinel://HOST:PORT,HOST:PORT/NAME'],
    ['postgres:5432', 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
    ['mysql://u:PASSWORD@h/db', 'mysql: addresses'],
    ['postgres://u:PASSWORD@h/db?shcema=mill', 'no parameter "shcema"'],
    [
      'postgres://u:PASSWORD@h/db?listen=no',
      'The parameter `listen` of a Postgres address must be 0 or 1',
    ],
    ['redis://u:PASSWORD@h?prefx=mill', 'no parameter "prefx"'],
    ['sqlite:mill.db?sharedd=1', 'not ?sharedd='],
    ['sqlite:mill.db?shared=2', 'not ?shared='],
    ['u:PASSWORD@h', 'Supported stores are memory:'],
    ['PASSWORD@h', 'Supported stores are memory:'],
  ])('%s is rejected with a message, without a possible password', (text, words) => {
    expect(() => decodeStoreAddress(text)).toThrow(words)
    expect(() => decodeStoreAddress(text)).toThrow(
      'Supported stores are memory:, sqlite:PATH, redis',
    )
    expect(() => decodeStoreAddress(text)).not.toThrow('u:PASSWORD')
    expect(() => decodeStoreAddress(text)).not.toThrow('PASSWORD@h')
  })

  test.each([
    ['memory:', 'in memory; they are lost when this process stops'],
    ['sqlite:a.db', 'in a.db; they survive a restart'],
    [
      'redis://me:PASSWORD@mill.example/3',
      'in Redis at mill.example:6379/3; they survive a restart',
    ],
    ['redis://mill.example:1/0', 'in Redis at mill.example:1; they survive a restart'],
    [
      'redis+sentinel://me:PASSWORD@a:1,b:2/mill',
      'in Redis, located by the sentinels at a:1,b:2; they survive a restart',
    ],
    [
      'postgres://me:PASSWORD@mill.example/db?schema=a',
      'in Postgres at mill.example:5432/db; they survive a restart',
    ],
  ])('%s has a readable description', (text, words) =>
    expect(describeStore(decodeStoreAddress(text))).toBe(words),
  )
})
