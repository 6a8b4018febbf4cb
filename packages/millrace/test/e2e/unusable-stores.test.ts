import { chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createPostgresStore } from '../../src/stores/postgres/index.ts'
import { createRedisStore } from '../../src/stores/redis/index.ts'
import { createSqliteStore } from '../../src/stores/sqlite/index.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { openCommandServer, runsIn, session } from '../support/servers/command-server.ts'
import { postgresMissing, startPostgres } from '../support/stores/postgres-server.ts'
import { redisMissing, startRedis } from '../support/stores/redis-server.ts'
import {
  failingDiskMissing,
  openFailingDisk,
  openSmallDisk,
  smallDiskMissing,
} from '../support/stores/small-disk.ts'

const closing: (() => unknown)[] = []
const polling = { timeout: 30_000 }

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Postgres runs as this user of Linux if the tests run as root. */
const nobody = { uid: 65_534, gid: 65_534 }

/** A server on a store, and its health. */
function serve(store: Store) {
  const server = openCommandServer(store)
  closing.push(store.close, server.handler.close)
  const health = async (): Promise<number> =>
    (await server.handler.fetch(new Request('http://localhost/health'))).status
  return { ...server, health }
}

/** Expects a store to be refused with a reason when a server starts, and every prompt and `/health` with 503. */
async function expectUnusable(store: Store, reason: RegExp): Promise<void> {
  await expect(store.ping()).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(reason),
  })
  const { ask, health } = serve(store)
  const response = await ask('hello', { message_id: 'm1' })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { code: 'store_unavailable' } })
  expect(await health()).toBe(503)
}

describe('a store that cannot be used is reported at the start and in service', () => {
  test.skipIf(postgresMissing !== '')(
    `a wrong password of Postgres with scram-sha-256${postgresMissing}`,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'millrace-hba-'))
      const hba = join(folder, 'pg_hba.conf')
      const lines = ['postgres 127.0.0.1/32 trust', 'weak 127.0.0.1/32 scram-sha-256']
      await writeFile(hba, lines.map((line) => `host all ${line}\n`).join(''))
      await chmod(folder, 0o755)
      const postgres = await startPostgres({ hba_file: hba })
      closing.push(() => rm(folder, { recursive: true }), postgres.stop)
      await postgres.query(`CREATE ROLE weak LOGIN PASSWORD 'right'`)
      await postgres.query('GRANT CREATE ON DATABASE postgres TO weak')
      const at = (password: string) =>
        `postgres://weak${password}@127.0.0.1:${postgres.port}/postgres`
      const received = /refuses the user or the password/
      await expectUnusable(createPostgresStore({ url: at(':wrong') }), received)
      await expectUnusable(createPostgresStore({ url: at('') }), received)
      const { health } = serve(createPostgresStore({ url: at(':right') }))
      expect(await health()).toBe(200)
    },
    60_000,
  )

  test('a host name that cannot be resolved', async () => {
    const received = /host name of (?:Redis|Postgres) cannot be resolved/
    await expectUnusable(createRedisStore({ url: 'redis://mill.invalid' }), received)
    await expectUnusable(createPostgresStore({ url: 'postgres://mill.invalid/mill' }), received)
  }, 120_000)

  test.skipIf(redisMissing !== '')(
    `a replica of Redis${redisMissing}`,
    async () => {
      const [master, replica] = await Promise.all([startRedis(), startRedis()])
      closing.push(master.stop, replica.stop)
      await replica.admin.replicaof('127.0.0.1', master.port)
      const isLinked = async () =>
        /master_link_status:up/.test(await replica.admin.info('replication'))
      await expect.poll(isLinked, polling).toBe(true)
      await expectUnusable(
        createRedisStore({ url: replica.url, commandTimeoutMs: 1_000 }),
        /it is a replica/,
      )
      expect(await master.admin.dbsize()).toBe(0)
    },
    60_000,
  )

  test.skipIf(smallDiskMissing !== '')(
    `a file of SQLite that is read-only${smallDiskMissing}`,
    async () => {
      const disk = await openSmallDisk(2)
      closing.push(disk.close)
      const folder = await mkdtemp(join(tmpdir(), 'millrace-file-'))
      closing.push(() => rm(folder, { recursive: true }))
      const first = createSqliteStore({ path: join(folder, 'mill.db') })
      await first.open(session, undefined, 0)
      await first.close()
      await cp(folder, disk.folder, { recursive: true })
      await disk.protect()
      const open = async () => createSqliteStore({ path: join(disk.folder, 'mill.db') }).ping()
      await expect(open()).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/read-only|cannot be opened/),
      })
    },
  )
})

/** A store on a disk that can be filled. */
interface Fillable {
  readonly open: () => Store
  readonly fill: () => Promise<unknown>
  readonly free: () => Promise<unknown>
}

const fillable: readonly (readonly [string, string, () => Promise<Fillable>])[] = [
  [
    'SQLite',
    smallDiskMissing,
    async () => {
      const disk = await openSmallDisk(4)
      closing.push(disk.close)
      return { open: () => createSqliteStore({ path: join(disk.folder, 'mill.db') }), ...disk }
    },
  ],
  [
    'Redis',
    redisMissing,
    async () => {
      const redis = await startRedis()
      closing.push(redis.stop)
      return {
        open: () => createRedisStore({ url: redis.url }),
        fill: () => redis.admin.config('SET', 'maxmemory', '1'),
        free: () => redis.admin.config('SET', 'maxmemory', '0'),
      }
    },
  ],
  [
    'Postgres',
    postgresMissing || smallDiskMissing,
    async () => {
      const disk = await openSmallDisk(8, nobody)
      closing.push(disk.close)
      const postgres = await startPostgres()
      closing.push(postgres.stop)
      await postgres.query(`CREATE TABLESPACE small LOCATION '${disk.folder}'`)
      await postgres.query('ALTER ROLE postgres SET default_tablespace = small')
      return { open: () => createPostgresStore({ url: postgres.url }), ...disk }
    },
  ],
]

describe.each(fillable)('a server whose store becomes full: %s%s', (_, missing, open) => {
  test.skipIf(missing !== '')(
    'answers prompts and /health with 503, and runs a repeated prompt once when there is space',
    async () => {
      const place = await open()
      const server = serve(place.open())
      const { ask, health, log } = server
      await (await ask('first', { message_id: 'm1' })).text()
      expect(await health()).toBe(200)
      await place.fill()
      // Larger than the free space in existing pages of the store.
      const prompt = 'x'.repeat(300_000)
      for (let attempt = 0; attempt < 3; attempt++) {
        const refused = await ask(prompt, { message_id: 'm2' })
        expect(refused.status).toBe(503)
        expect(await refused.json()).toMatchObject({ error: { code: 'store_unavailable' } })
      }
      expect(await health()).toBe(503)
      await place.free()
      await expect.poll(health, polling).toBe(200)
      for (let attempt = 0; attempt < 2; attempt++) {
        const asked = await ask(prompt, { message_id: 'm2' })
        expect(asked.status).toBe(200)
        await asked.text()
      }
      expect(runsIn(await log())).toEqual(['m1', 'm2'])
      expect(await server.view()).toMatchObject({ status: 'ended', total_runs: 2 })
    },
    60_000,
  )
})

test.skipIf(failingDiskMissing !== '')(
  `a server whose SQLite file becomes read-only answers changes and /health with 503, and begins nothing twice${failingDiskMissing}`,
  async () => {
    const disk = await openFailingDisk()
    closing.push(disk.close)
    const open = () => createSqliteStore({ path: join(disk.folder, 'mill.db') })
    const store = open()
    const server = serve(store)
    await (await server.ask('first', { message_id: 'm1' })).text()
    await disk.fail()
    const readOnly = /read-only|cannot be opened|disk of the store reports errors/
    const refuseAll = async (): Promise<void> => {
      const changes = [
        await server.ask('second', { message_id: 'm2' }),
        await server.rename('Renamed'),
        await server.post(`${session}/fork`, {}),
      ]
      for (const response of changes) {
        expect(response.status).toBe(503)
        expect(await response.json()).toMatchObject({
          error: { code: 'store_unavailable', message: expect.stringMatching(readOnly) },
        })
      }
    }
    for (let attempt = 0; attempt < 3; attempt++) await refuseAll()
    const health = await server.handler.fetch(new Request('http://localhost/health'))
    expect(health.status).toBe(503)
    expect(await health.json()).toMatchObject({
      status: 'unhealthy',
      reason: expect.stringMatching(readOnly),
    })
    expect(runsIn(await server.log())).toEqual(['m1'])
    await server.handler.close()
    await store.close()
    await disk.repair()
    const next = serve(open())
    expect(await next.health()).toBe(200)
    for (let attempt = 0; attempt < 2; attempt++) {
      const asked = await next.ask('second', { message_id: 'm2' })
      expect(asked.status).toBe(200)
      await asked.text()
    }
    expect(runsIn(await next.log())).toEqual(['m1', 'm2'])
    expect(await next.view()).toMatchObject({ status: 'ended', total_runs: 2 })
  },
  60_000,
)
