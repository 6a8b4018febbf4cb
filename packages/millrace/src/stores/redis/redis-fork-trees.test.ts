import fc from 'fast-check'
import { Cluster } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  redisMissing,
  type RedisServer,
  startRedis,
  startRedisCluster,
} from '../../../test/support/stores/redis-server.ts'
import { codeOf, failure, toLines, toTexts } from '../../../test/support/stores/redis-talk.ts'
import { runs } from '../../../test/support/runs.ts'
import { createMemoryStore } from '../memory/index.ts'
import type { Part, Store } from '../port/index.ts'
import { createRedisStore } from './index.ts'

/** An operation on a tree of sessions; `which` selects a session, `at` a frame. */
interface Act {
  readonly kind: 'append' | 'fork' | 'trim' | 'remove' | 'file'
  readonly which: number
  readonly at: number
  readonly node: number
}

const acts = fc.array(
  fc.record<Act>({
    kind: fc.constantFrom(
      'append',
      'append',
      'append',
      'fork',
      'fork',
      'fork',
      'trim',
      'remove',
      'file',
    ),
    which: fc.nat(99),
    at: fc.nat(99),
    node: fc.nat(1),
  }),
  { minLength: 20, maxLength: 80 },
)

/** Number of names, small so that names of removed sessions are reused. */
const NAMES = 9

describe.skipIf(redisMissing !== '').each(['one Redis', 'a cluster'])(
  `trees of branches on %s${redisMissing}`,
  (kind) => {
    let redis: RedisServer
    let cluster: Cluster | undefined
    let count = 0
    beforeAll(async () => {
      const isCluster = kind === 'a cluster'
      redis = isCluster ? await startRedisCluster() : await startRedis()
      if (isCluster) cluster = new Cluster([{ host: '127.0.0.1', port: redis.port }])
    })
    afterAll(async () => {
      cluster?.disconnect()
      await redis.stop()
    })

    const withNodes = async (
      work: (nodes: readonly [Store, Store], prefix: string) => Promise<void>,
    ): Promise<void> => {
      const prefix = `test-${++count}:`
      const address = cluster === undefined ? { url: redis.url } : { client: cluster }
      const open = () => createRedisStore({ ...address, prefix })
      const nodes = [open(), open()] as const
      try {
        await work(nodes, prefix)
      } finally {
        await Promise.all(nodes.map((node) => node.close()))
      }
    }

    /** Returns the present keys, without the store's id and keys that expire. */
    const keysLeft = async (prefix: string): Promise<readonly string[]> => {
      const names = await redis.admin.keys(`${prefix}*`)
      return names.filter((name) => !/:gone$|\{all\}:(?:store|waiting)$/.test(name))
    }

    /** Runs an operation on a store, and returns its outcome. */
    const perform = async (
      store: Store,
      { kind: act, which, at }: Act,
      step: number,
    ): Promise<string> => {
      const name = `s${which % NAMES}`
      const info = await store.info(name)
      if (act === 'fork') {
        const frame = at % ((info?.tail ?? 0) + 2)
        const to = `s${(which + at + step) % NAMES}`
        const own: Part = { collection: 'c', number: 1_000, frame, body: `own of ${to}` }
        return failure(store.fork({ from: name, frame, to, head: `${step}`, parts: [own] }))
      }
      if (act === 'trim') return failure(store.trim(name, at % 12))
      if (act === 'remove') return String(await store.remove(name))
      const file = { id: `f${at % 3}`, mediaType: 'text/plain', bytes: Buffer.from(`${step}`) }
      if (act === 'file') return failure(store.putFile(name, file))
      const { epoch, tail } = info ?? (await store.open(name))
      const lines = toLines(...Array.from({ length: at % 4 }, (_, n) => `${step}.${n}`))
      const frame = tail + lines.length
      const parts = [{ collection: 'c', number: step, frame, body: `${step}` }]
      return failure(store.append({ session: name, epoch, tail, lines, parts }))
    }

    /** Returns all readable data of a session. */
    const describeSession = async (store: Store, name: string) => {
      const info = await store.info(name)
      if (info === undefined) return undefined
      const { tail, earliest, head, generation, parent, inbox, pending } = info
      const ids = [...(await store.fileIds(name))].sort()
      const files = await Promise.all(ids.map((id) => store.file(name, id)))
      const branches = await store.branches(name, 99)
      return {
        place: { tail, earliest, head, generation, inbox, pending },
        parent: parent && { session: parent.session, frame: parent.frame },
        frames: toTexts(await store.read(name, earliest - 1, 500)),
        page: toTexts(await store.read(name, earliest - 1, 3)),
        parts: await store.parts(name, 'c', { after: -1, limit: 500 }),
        newest: await store.parts(name, 'c', { before: 2_000, limit: 3 }),
        files: files.map((file) => `${file?.id} ${Buffer.from(file?.bytes ?? []).toString()}`),
        branches: branches.toSorted((a, b) => a.session.localeCompare(b.session)),
      }
    }

    test('two nodes behave like one store in memory, and leave nothing behind', async () => {
      await fc.assert(
        fc.asyncProperty(acts, (script) =>
          withNodes(async (nodes, prefix) => {
            const model = createMemoryStore()
            for (const [step, act] of script.entries()) {
              const outcome = await perform(nodes[act.node] ?? nodes[0], act, step)
              expect([step, outcome]).toEqual([step, await perform(model, act, step)])
            }
            const names = Array.from({ length: NAMES }, (_, n) => `s${n}`)
            for (const name of names)
              for (const node of nodes)
                expect(await describeSession(node, name)).toEqual(
                  await describeSession(model, name),
                )
            const { total } = await nodes[0].list({ limit: 0, offset: 0 })
            expect(total).toBe((await model.list({ limit: 0, offset: 0 })).total)
            for (const name of names) await nodes[1].remove(name)
            expect(await keysLeft(prefix)).toEqual([])
          }),
        ),
        { numRuns: runs(25, 1_000) },
      )
    })

    test('any concurrent operations of two nodes keep every session consistent, and leave nothing behind', async () => {
      const allowed = [
        'no failure',
        'true',
        'false',
        'not_found',
        'conflict',
        'lease_lost',
        'cursor_trimmed',
      ]
      await fc.assert(
        fc.asyncProperty(acts, (script) =>
          withNodes(async (nodes, prefix) => {
            for (const node of nodes) for (const n of [1, 2, 3]) await node.open(`s${n}`)
            const outcomes = await Promise.all(
              script.map((act, step) => {
                const node = nodes[act.node] ?? nodes[0]
                return perform(node, act, step).catch((error: unknown) => codeOf(error))
              }),
            )
            for (const outcome of outcomes) expect(allowed).toContain(outcome)
            const names = Array.from({ length: NAMES }, (_, n) => `s${n}`)
            for (const name of names) {
              const { place, frames, parts } = (await describeSession(nodes[0], name)) ?? {}
              const { tail = 0, earliest = 1 } = place ?? {}
              expect(frames?.length ?? 0).toBe(tail - earliest + 1)
              expect(parts?.every(({ frame }) => frame <= tail)).not.toBe(false)
            }
            for (const name of names) await nodes[1].remove(name)
            const left = await keysLeft(prefix)
            // On a cluster, an append may be recorded after the removal of its session.
            expect(left.filter((key) => !key.endsWith('{all}:sessions'))).toEqual([])
          }),
        ),
        { numRuns: runs(25, 1_000) },
      )
    })

    test('while one node forks and removes, the other reads complete pages or learns that a session is removed', () =>
      withNodes(async ([writer, reader]) => {
        const lines = toLines(...Array.from({ length: 40 }, (_, n) => `line ${n + 1}`))
        const whole = Array.from({ length: 40 }, (_, n) => `${n + 1} line ${n + 1}`)
        const open = async (round: number) => {
          const { epoch } = await writer.open(`p${round}`)
          await writer.append({ session: `p${round}`, epoch, tail: 0, lines: lines.slice(0, 20) })
          await writer.fork({ from: `p${round}`, frame: 20, to: `x${round}`, head: '' })
          await writer.append({ session: `x${round}`, epoch: 1, tail: 20, lines: lines.slice(20) })
          await writer.fork({ from: `x${round}`, frame: 40, to: `y${round}`, head: '' })
        }
        let isOver = false
        let pages = 0
        const read = async (round: number): Promise<void> => {
          while (!isOver) {
            const page = await reader.read(`y${round}`, 0, 99).catch((error: unknown) => error)
            pages++
            if (Array.isArray(page)) expect(toTexts(page)).toEqual(whole)
            else {
              expect(page).toMatchObject({ code: 'not_found' })
              return
            }
          }
        }
        for (let round = 0; round < 20; round++) await open(round)
        const readers = Array.from({ length: 20 }, (_, round) => read(round))
        for (let round = 0; round < 20; round++) {
          await writer.remove(`p${round}`)
          await writer.open(`p${round}`)
          await writer.remove(`x${round}`)
          await writer.fork({ from: `y${round}`, frame: 30, to: `z${round}`, head: '' })
          await writer.remove(`y${round}`)
          expect(toTexts(await reader.read(`z${round}`, 0, 99))).toEqual(whole.slice(0, 30))
        }
        isOver = true
        await Promise.all(readers)
        expect(pages).toBeGreaterThanOrEqual(20)
      }))

    test('two nodes that create the same fork concurrently get one branch; of two different ones, one is rejected', () =>
      withNodes(async ([a, b], prefix) => {
        const { epoch } = await a.open('p')
        await a.append({ session: 'p', epoch, tail: 0, lines: toLines('a', 'b') })
        for (let round = 0; round < 10; round++) {
          const fork = { from: 'p', frame: 1, to: `x${round}`, head: '' }
          const [first, second] = await Promise.all([a.fork(fork), b.fork(fork)])
          expect(second.log).toBe(first.log)
          const forks = [
            a.fork({ ...fork, to: `y${round}` }),
            b.fork({ ...fork, frame: 2, to: `y${round}` }),
          ]
          const outcomes = await Promise.all(forks.map(failure))
          expect(outcomes.toSorted()).toEqual(['conflict', 'no failure'])
        }
        expect(await a.branches('p', 99)).toHaveLength(20)
        expect(await redis.admin.hlen(`${prefix}{p}:pins`)).toBe(20)
      }))

    test('a fork and a concurrent removal of its source leave a complete branch or none', () =>
      withNodes(async ([a, b], prefix) => {
        const whole = ['1 a', '2 b']
        for (let round = 0; round < 30; round++) {
          const { epoch } = await a.open('p')
          await a.append({ session: 'p', epoch, tail: 0, lines: toLines('a', 'b') })
          await a.fork({ from: 'p', frame: 2, to: 'x', head: '' })
          if (round % 2 === 0) await b.remove('p')
          const source = round % 4 === 1 ? 'p' : 'x'
          const [outcome] = await Promise.all([
            failure(a.fork({ from: source, frame: 2, to: 'y', head: '' })),
            b.remove('x'),
            b.remove('p'),
          ])
          if (outcome === 'no failure') expect(toTexts(await b.read('y', 0, 9))).toEqual(whole)
          else expect(outcome).toBe('not_found')
          for (const name of ['p', 'x', 'y']) await b.remove(name)
          expect(await keysLeft(prefix)).toEqual([])
        }
      }))
  },
)
