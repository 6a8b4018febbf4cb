import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDecoder, type StreamEvent } from '../../src/events/index.ts'
import { serve } from '../../src/node/serve.ts'
import type { RunningServer } from '../../src/node/listen.ts'
import type { RunHandle } from '../../src/server/in-process/run-handle.ts'
import { DONE_DATA, decodeSse } from '../../src/sse/index.ts'
import type { Store } from '../../src/stores/port/index.ts'
import { createSqliteStore } from '../../src/stores/sqlite/index.ts'
import { type OpenMill, openMill } from '../support/servers/open-mill.ts'
import { type SharedPlace, storeKinds } from '../support/stores/store-kinds.ts'

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

/** Reads a session over HTTP up to `[DONE]`, while it changes. */
async function readOver(url: string, session: string): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  const decoder = createDecoder({ after: 0 })
  const response = await fetch(`${url}/agent/${session}/stream?cursor=0`)
  for await (const frames of decodeSse(response.body!))
    for (const { data, id } of frames) {
      if (data === DONE_DATA) return events
      const event = decoder.decode(data, Number(id))
      if (event !== undefined) events.push(event)
    }
  throw new Error('The stream was interrupted.')
}

describe.each(storeKinds)('sessions in process on $name', ({ missing, open }) => {
  describe.skipIf(missing !== '')(`are those of HTTP${missing}`, () => {
    let place: SharedPlace
    let store: Store
    let opened: OpenMill
    let server: RunningServer

    beforeAll(async () => {
      place = await open()
      store = place.connect()
      opened = openMill(store)
      server = await serve({ handler: opened.mill, port: 0 })
    })

    afterAll(async () => {
      opened.gate.open()
      await server.close()
      await store.close()
      await place.close()
    })

    /** Reads a run in process and over HTTP at the same time. */
    const readBoth = async (run: RunHandle) => {
      const { session } = run
      const all = () => opened.mill.sessions.events(session)
      const [events, over] = await Promise.all([collect(all()), readOver(server.url, session)])
      // Readers that begin during the run get other pieces of the same text.
      expect(joinPieces(events)).toEqual(joinPieces(over))
      expect(await collect(all())).toEqual(await readOver(server.url, session))
      return events
    }

    test('a run that pauses for an approval, then for the browser', async () => {
      const { sessions } = opened.mill
      const run = await sessions.start('erase it', { key: `erase-${crypto.randomUUID()}` })
      const events = await readBoth(run)
      expect(events.at(-1)).toMatchObject({ type: 'run_end', stopReason: 'awaiting_approval' })
      expect((await run.result).pending).toMatchObject([{ callId: 'a1', approval: true }])
      const approved = await sessions.approve(run.session, 'a1', { input: { name: 'new' } })
      await readBoth(approved)
      expect(await approved.result).toMatchObject({ status: 'done', text: 'done' })
      expect(opened.erased.at(-1)).toEqual({ name: 'new' })

      const asked = await sessions.send(run.session, 'ask me')
      const { pending } = await asked.result
      const [{ callId } = { callId: '' }] = pending
      const answered = await sessions.answer(run.session, callId, 'yes')
      await readBoth(answered)
      expect(await answered.result).toMatchObject({ status: 'done', text: 'done' })
    })

    test('a run that is stopped, and a branch of it', async () => {
      const { sessions } = opened.mill
      const run = await sessions.start('hang')
      const reading = readBoth(run)
      await expect.poll(async () => (await sessions.read(run.session)).tail).toBeGreaterThan(1)
      expect(await run.stop()).toBe(true)
      expect((await reading).at(-1)).toMatchObject({ type: 'run_end', stopReason: 'aborted' })
      expect(await run.result).toMatchObject({ status: 'stopped', text: 'so far' })

      const branch = await sessions.fork(run.session, { title: 'Again' })
      const more = await sessions.send(branch, 'go on')
      expect((await collect(more)).at(0)).toMatchObject({ type: 'run_start' })
      await readBoth(more)
      expect(await more.result).toMatchObject({ status: 'done', text: 'done' })
      expect(await sessions.read(branch)).toMatchObject({ title: 'Again', status: 'ended' })
    })
  })
})

describe.each(storeKinds.filter(({ name }) => name !== 'memory'))(
  'a second server on $name',
  ({ missing, open }) => {
    test.skipIf(missing !== '')(`finds the run of a key, and continues it${missing}`, async () => {
      const place = await open()
      const first = openMill(place.connect(), { limits: { leaseMs: 400 } })
      const key = 'nightly-report'
      const run = await first.mill.sessions.start('hold it', { key })
      // The first server closes in the middle of the run.
      await first.mill.close()
      const second = openMill(place.connect(), { limits: { leaseMs: 400 } })
      const again = await second.mill.sessions.start('hold it', { key })
      expect(again.session).toBe(run.session)
      second.gate.open()
      expect(await again.result).toMatchObject({ status: 'done', text: 'done' })
      expect((await collect(again)).at(0)).toMatchObject({ type: 'run_start', messageId: key })
      const { sessions } = second.mill
      expect((await sessions.read(run.session)).runs).toBe(1)
      await second.mill.close()
      await place.close()
    })
  },
)

test('the key of a start finds its run after kill -9 of the process that started it', async () => {
  const script = fileURLToPath(new URL('../support/servers/start-until-killed.ts', import.meta.url))
  const folder = await mkdtemp(join(tmpdir(), 'millrace-in-process-'))
  const path = join(folder, 'a.db')
  const loader = ['--import', import.meta.resolve('tsx')]
  const child = spawn(process.execPath, [...loader, script, path, 'report-7'])
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.kill('SIGKILL')
  await once(child, 'close')
  const store = createSqliteStore({ path })
  const { mill, gate } = openMill(store, { isGone: () => true })
  gate.open()
  const run = await mill.sessions.start('hold it', { key: 'report-7' })
  expect(run.session).toBe(line.toString().trim())
  expect(await run.result).toMatchObject({ status: 'done', text: 'done' })
  expect((await collect(run)).at(0)).toMatchObject({ type: 'run_start', messageId: 'report-7' })
  expect((await mill.sessions.read(run.session)).runs).toBe(1)
  await mill.close()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** Joins the pieces of each block, which readers get merged in different ways. */
function joinPieces(events: readonly StreamEvent[]): object[] {
  const joined = new Map<string, { text: string }>()
  for (const event of events) {
    const key = 'text' in event && 'start' in event ? event.block : `whole ${event.id}`
    const { id, span: _span, ...rest } = event
    const known = joined.get(key)
    if (known === undefined) joined.set(key, { text: '', ...rest })
    else Object.assign(known, rest, { text: known.text + ('text' in rest ? rest.text : ''), id })
  }
  return [...joined.values()].map((one) => ({ ...one, id: undefined, start: undefined }))
}
