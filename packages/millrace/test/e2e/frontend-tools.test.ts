import { afterAll, beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest'
import { z } from 'zod'
import { serveTool, type Session } from '../../src/client/index.ts'
import { claimCall } from '../../src/client/frontend-tools/claim-call.ts'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { readHistory } from '../../src/client/commands/read-history.ts'
import { finalText } from '../../src/client/transcript/index.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'

let server: TestServer
const sessions: Session[] = []

beforeAll(async () => {
  server = await openTestServer()
})

afterAll(async () => {
  for (const session of sessions) session.close()
  await server.close()
})

function open(id?: string): Session {
  const session = createSession({ url: server.url, retryDelayMs: 1, ...(id && { session: id }) })
  sessions.push(session)
  return session
}

const transcriptOf = (session: Session) => session.getSnapshot().transcript
const complete = (session: Session) =>
  vi.waitUntil(() => transcriptOf(session).status === 'complete', { timeout: 10_000 })

const question = z.object({ question: z.string() })

describe('tools that a page runs', () => {
  test('one of many tabs runs a call, with its input checked and typed, and the run resumes', async () => {
    const first = open()
    const tabs = [first, ...Array.from({ length: 4 }, () => open(first.id))]
    const run = vi.fn((input: { question: string }) => {
      expect(input.question).not.toBe('')
      return 'yes'
    })
    for (const tab of tabs) serveTool(tab, { name: 'user_confirm', input: question, run })
    await first.run('/demo frontend')
    await Promise.all(tabs.slice(1).map((tab) => tab.watch()))
    await complete(first)
    expect(run).toHaveBeenCalledTimes(1)
    expect(finalText(transcriptOf(first))).toContain('Sent.')
  })

  test('the schema gives the type of the input', () => {
    const session = open()
    serveTool(session, {
      name: 'user_confirm',
      input: question,
      run: (input, { callId, signal }) => {
        expectTypeOf(input).toEqualTypeOf<{ question: string }>()
        expectTypeOf(callId).toBeString()
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
      },
    })
    serveTool(session, {
      name: 'user_confirm',
      // @ts-expect-error -- the schema differs
      input: question,
      run: (input: { question: number }) => input.question,
    })
    serveTool(session, {
      name: 'any',
      run: (input) => {
        expectTypeOf(input).toBeUnknown()
      },
    })
  })

  test('failures, and input that the schema rejects, reach the model as errors', async () => {
    const broken = open()
    serveTool(broken, {
      name: 'user_confirm',
      run: () => {
        throw new Error('no screen')
      },
    })
    await broken.run('/demo frontend')
    await complete(broken)
    const strict = open()
    serveTool(strict, { name: 'user_confirm', input: z.object({ n: z.number() }), run: () => 'x' })
    await strict.run('/demo frontend')
    await complete(strict)
    const resultOf = (session: Session) =>
      [...(transcriptOf(session).agents.at(0)?.blocks ?? [])].find((block) => block.result)?.result
    expect(resultOf(broken)).toMatchObject({ text: 'no screen', isError: true })
    expect(resultOf(strict)?.text).toMatch(/^Wrong arguments: .*number/)
  })

  test('a tool that was released before its claim was granted does not run, the next one does', async () => {
    const session = open()
    const abandoned = vi.fn(() => 'no')
    const kept = vi.fn(() => 'yes')
    await session.run('/demo frontend')
    serveTool(session, { name: 'user_confirm', run: abandoned })()
    serveTool(session, { name: 'user_confirm', run: kept })
    await complete(session)
    expect([abandoned, kept].map(({ mock }) => mock.calls.length)).toEqual([0, 1])
  })

  test('a claim excludes others, is renewed by its holder, and is rejected without a pending call', async () => {
    const one = open()
    await one.run('/demo frontend')
    const id = transcriptOf(one).pending[0]!.callId
    const other = open(one.id)
    const granted = await claimCall(one, id)
    expect(granted.claimed).toBe(true)
    expect(await claimCall(other, id)).toMatchObject({
      claimed: false,
      expiresAt: granted.expiresAt,
    })
    expect((await claimCall(one, id)).claimed).toBe(true)
    await expect(claimCall(one, 'toolu_unknown')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('history', () => {
  test('is read in pages, the newest first', async () => {
    const session = open()
    await session.run('/demo text')
    await session.run('/demo thinking')
    await session.run('/demo tools')
    const newest = await readHistory(session, { limit: 2 })
    expect(newest).toMatchObject({ hasMore: true })
    expect(newest.conversations.map(({ userMessage }) => userMessage)).toEqual([
      '/demo tools',
      '/demo thinking',
    ])
    const before = newest.conversations.at(-1)!.sequenceNumber
    const rest = await readHistory(session, { before })
    expect(rest.hasMore).toBe(false)
    expect(rest.conversations).toMatchObject([{ sequenceNumber: 1, stopReason: 'end_turn' }])
    await expect(readHistory(open())).rejects.toMatchObject({ code: 'not_found' })
  })
})
