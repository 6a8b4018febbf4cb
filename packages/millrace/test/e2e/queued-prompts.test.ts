import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createPostgresStore } from '../../src/stores/postgres/index.ts'
import { createRedisStore } from '../../src/stores/redis/index.ts'
import { createSqliteStore } from '../../src/stores/sqlite/index.ts'
import type { Store } from '../../src/stores/port/index.ts'
import {
  type CommandServer,
  type CommandServerOptions,
  keyOf,
  openCommandServer,
  queueIn,
  runsIn,
} from '../support/servers/command-server.ts'
import { postgresMissing, startPostgres } from '../support/stores/postgres-server.ts'
import { readStream } from '../support/frames/read-stream.ts'
import { redisMissing, startRedis } from '../support/stores/redis-server.ts'
import { temporaryPaths } from '../support/stores/sqlite/temporary-store.ts'

const isNight = process.env['MILLRACE_NIGHTLY'] === '1'
const nextPath = temporaryPaths()
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Returns a function that opens a store on the same data, separately for each server. */
type OpenStore = () => Store

const stores: Readonly<Record<string, () => Promise<OpenStore>>> = {
  SQLite: async () => {
    const path = nextPath()
    return () => createSqliteStore({ path, shared: true })
  },
  ...(redisMissing === '' && {
    Redis: async () => {
      const { url, stop } = await startRedis()
      closing.push(stop)
      return () => createRedisStore({ url })
    },
  }),
  ...(postgresMissing === '' && {
    Postgres: async () => {
      const { url, stop } = await startPostgres()
      closing.push(stop)
      return () => createPostgresStore({ url })
    },
  }),
}

async function open(openStore: OpenStore, options?: CommandServerOptions): Promise<CommandServer> {
  const store = openStore()
  const server = openCommandServer(store, options)
  closing.push(async () => {
    await server.handler.close()
    await store.close()
  })
  await server.handler.recover()
  return server
}

async function untilIdle(server: CommandServer): Promise<void> {
  const idle = { status: 'ended', queue: [] }
  await expect.poll(() => server.view(), { timeout: 20_000 }).toMatchObject(idle)
}

describe.each(Object.entries(stores))(
  `two servers on one %s${redisMissing}${postgresMissing}`,
  (_, prepare) => {
    test('accept a prompt once, in order, and reject a key for another one', async () => {
      const openStore = await prepare()
      const [one, two] = [await open(openStore), await open(openStore)]
      const first = readStream(await one.ask('hold', { message_id: 'm0' }))
      const again = readStream(await two.ask('hold', { message_id: 'm0' }))
      const queued = { message_id: 'm1', when_busy: 'queue' }
      const sent = [one, two, one, two].map((server) => server.ask('m1', queued))
      const streams = (await Promise.all(sent)).map((response) => readStream(response))
      expect((await two.ask('other', queued)).status).toBe(409)
      for (const id of ['m2', 'm3', 'm4']) expect(await two.queue(id)).toBe(202)
      expect((await one.withdraw('m3')).status).toBe(200)
      one.gate.open()
      two.gate.open()
      expect((await again).frames).toEqual((await first).frames)
      const own = await Promise.all(streams)
      expect(own.map(keyOf)).toEqual(['m1', 'm1', 'm1', 'm1'])
      for (const { frames } of own) expect(frames).toEqual(own[0]?.frames)
      await untilIdle(two)
      const log = await two.log()
      expect(runsIn(log)).toEqual(['m0', 'm1', 'm2', 'm4'])
      expect(await one.log()).toEqual(log)
      expect([...one.errors, ...two.errors]).toEqual([])
    }, 60_000)

    test('never run a withdrawn prompt, nor one twice, for any order of requests', async () => {
      const openStore = await prepare()
      const [one, two] = [await open(openStore), await open(openStore)]
      const servers = [one, two] as const
      one.gate.open()
      two.gate.open()
      const started: string[] = []
      let round = 0
      const server = fc.nat({ max: 1 }).map((place) => servers[place] ?? one)
      const act = fc.record({
        prompt: server,
        withdraw: fc.option(server),
        /** Delay from the acknowledgement of a prompt to its withdrawal. */
        delayMs: fc.nat({ max: 20 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), async (acts) => {
          round++
          const outcomes = new Map<string, Promise<number>>()
          for (const [place, { prompt, withdraw, delayMs }] of acts.entries()) {
            const id = `r${round}-${place}`
            expect(await prompt.queue(id)).toBe(202)
            const outcome = withdraw
              ? sleep(delayMs).then(async () => (await withdraw.withdraw(id)).status)
              : Promise.resolve(409)
            outcomes.set(id, outcome)
          }
          const expected: string[] = []
          for (const [id, outcome] of outcomes) {
            const status = await outcome
            expect([200, 404, 409]).toContain(status)
            if (status !== 200) expected.push(id)
          }
          await untilIdle(one)
          started.push(...expected)
          expect(runsIn(await two.log())).toEqual(started)
        }),
        { numRuns: isNight ? 200 : 10 },
      )
      expect([...one.errors, ...two.errors]).toEqual([])
    }, 300_000)
  },
)

test('an acknowledged prompt begins once, in order, after kill -9 at any moment', async () => {
  const script = fileURLToPath(new URL('../support/servers/queue-until-killed.ts', import.meta.url))
  const path = nextPath()
  let known: readonly string[] = []
  for (let round = 1; round <= (isNight ? 60 : 3); round++) {
    const loader = ['--import', import.meta.resolve('tsx')]
    const child = spawn(process.execPath, [...loader, script, path, `r${round}`])
    const said: string[] = []
    const begun = new Promise<void>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        said.push(line)
        if (said.length === 2) resolve()
      })
    })
    let errors = ''
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
    const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
    await Promise.race([begun, ended])
    await sleep(Math.random() * 80)
    child.kill('SIGKILL')
    await ended
    expect(errors).toBe('')
    const next = await open(() => createSqliteStore({ path }), { isGone: () => true })
    next.gate.open()
    await next.handler.recover()
    await untilIdle(next)
    const runs = runsIn(await next.log())
    const added = runs.slice(known.length).map(String)
    expect(runs.slice(0, known.length)).toEqual(known)
    // One more prompt may have been stored without its acknowledgement.
    expect(added.slice(0, said.length)).toEqual(said)
    expect(added.length - said.length).toBeLessThanOrEqual(1)
    expect(new Set(runs).size).toBe(runs.length)
    expect(queueIn(await next.log()).length).toBe(new Set(queueIn(await next.log())).size)
    known = runs.map(String)
    for (const close of closing.splice(0).toReversed()) await close()
  }
}, 300_000)
