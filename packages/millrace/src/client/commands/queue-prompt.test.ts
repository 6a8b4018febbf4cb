import { afterEach, describe, expect, test } from 'vitest'
import {
  openCommandServer,
  runsIn,
  session as id,
} from '../../../test/support/servers/command-server.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import { steerRun, stopRun, queuePrompt, withdrawPrompt } from './control-run.ts'
import { createSession } from '../transport/http/http-session.ts'
import type { FetchFunction, Session } from '../session.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server and a session of it; the responses to this many commands beside the stream are lost. */
function open(lost: { count: number } = { count: 0 }) {
  const server = openCommandServer(createMemoryStore())
  const posted: string[] = []
  const fetch: FetchFunction = async (url, init) => {
    const response = await server.handler.fetch(new Request(url, init))
    if (init.method === undefined) return response
    posted.push(url.split('/agent/')[1] ?? '')
    if (lost.count-- <= 0 || posted.length === 1) return response
    throw new TypeError('reset')
  }
  const session = createSession({ url: 'http://localhost', session: id, fetch, retryDelayMs: 1 })
  closing.push(async () => {
    session.close()
    await server.handler.close()
  })
  return { server, session, posted }
}

const queueOf = (session: Session) => session.getSnapshot().transcript.queue.map(({ text }) => text)
const promptsOf = (session: Session) =>
  [...(session.getSnapshot().transcript.agents.at(0)?.runs ?? [])].map(({ prompt }) => prompt)

/** Sends a prompt whose run continues until the gate opens. */
async function hold(session: Session): Promise<Promise<void>> {
  const run = session.run('hold')
  await expect.poll(() => promptsOf(session), { timeout: 20_000 }).toEqual(['hold'])
  return run
}

describe('a prompt during the stream', () => {
  test('is queued, shown as queued, and read by the same session when its run begins', async () => {
    const { server, session } = open()
    const run = hold(session)
    await expect.poll(() => promptsOf(session)).toEqual(['hold'])
    const stored = await queuePrompt(session, 'later')
    expect(stored).toMatchObject({ state: 'queued' })
    const other = await queuePrompt(session, 'never')
    await expect.poll(() => queueOf(session)).toEqual(['later', 'never'])
    expect(await withdrawPrompt(session, other.messageId)).toBe(true)
    await expect.poll(() => queueOf(session)).toEqual(['later'])
    server.gate.open()
    await run
    await expect.poll(() => promptsOf(session), { timeout: 20_000 }).toEqual(['hold', 'later'])
    await expect.poll(() => session.getSnapshot().connection.state).toBe('idle')
    expect(queueOf(session)).toEqual([])
    const runs = [...(session.getSnapshot().transcript.agents.at(0)?.runs ?? [])]
    expect(runs[1]?.messageId).toBe(stored.messageId)
    expect(await withdrawPrompt(session, stored.messageId)).toBe(false)
    expect(await withdrawPrompt(session, 'nobody')).toBe(false)
  })

  test('interrupts the run, or is rejected', async () => {
    const { session } = open()
    const run = hold(session)
    await expect.poll(() => promptsOf(session)).toEqual(['hold'])
    await expect(queuePrompt(session, 'no', { whenBusy: 'reject' })).rejects.toMatchObject({
      details: { reason: 'busy' },
    })
    await queuePrompt(session, 'now', { whenBusy: 'interrupt' })
    await run
    await expect.poll(() => promptsOf(session), { timeout: 20_000 }).toEqual(['hold', 'now'])
    await expect.poll(() => session.getSnapshot().transcript.status).toBe('complete')
  })

  test('begins at once if no run is active', async () => {
    const { session } = open()
    expect(await queuePrompt(session, 'go')).toMatchObject({ state: 'running' })
    await expect.poll(() => session.getSnapshot().transcript.status).toBe('complete')
  })
})

describe('a command whose response is lost', () => {
  test.each([1, 2])('%i times is sent again with its key, and takes effect once', async (count) => {
    const lost = { count: 0 }
    const { server, session, posted } = open(lost)
    const run = hold(session)
    await expect.poll(() => promptsOf(session)).toEqual(['hold'])
    lost.count = count
    expect(await steerRun(session, 'hurry')).toBe(true)
    lost.count = count
    const { messageId } = await queuePrompt(session, 'never')
    lost.count = count
    expect(await withdrawPrompt(session, messageId)).toBe(true)
    lost.count = count
    await queuePrompt(session, 'later')
    lost.count = count
    expect(await stopRun(session)).toBe(true)
    await run
    await expect.poll(() => promptsOf(session), { timeout: 20_000 }).toEqual(['hold', 'later'])
    expect(posted.length).toBe(1 + 5 * (count + 1))
    expect((await server.view()).total_runs).toBe(2)
    expect(runsIn(await server.log())).toHaveLength(2)
  })

  test('three times is reported as a connection failure', async () => {
    const lost = { count: 0 }
    const { session } = open(lost)
    void hold(session)
    await expect.poll(() => promptsOf(session)).toEqual(['hold'])
    lost.count = 3
    await expect(steerRun(session, 'hurry')).rejects.toMatchObject({ code: 'connection_lost' })
  })
})
