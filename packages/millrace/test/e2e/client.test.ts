import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import type { Session } from '../../src/client/index.ts'
import { finalText, type Transcript } from '../../src/client/transcript/index.ts'
import { createCuttingFetch } from '../support/network/cutting-fetch.ts'
import { type TestServer, openTestServer } from '../support/servers/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await openTestServer()
})

afterAll(async () => {
  await server.close()
})

function connect(cuts: readonly number[] = [], id?: string) {
  const network = createCuttingFetch(cuts)
  const session = createSession({
    url: server.url,
    fetch: network.fetch,
    retryDelayMs: 0,
    ...(id && { session: id }),
  })
  return { session, requests: network.requests }
}

const transcriptOf = (session: Session): Transcript => session.getSnapshot().transcript
const firstPending = (session: Session): string => transcriptOf(session).pending[0]?.callId ?? ''

/** The visible content, without ids, which differ between runs. */
function toSight(transcript: Transcript) {
  const blocks = [...(transcript.agents.at(0)?.blocks ?? [])]
  return {
    status: transcript.status,
    lastId: transcript.lastId,
    blocks: blocks.map((block) => [
      block.type,
      'text' in block ? block.text : '',
      'result' in block ? block.result?.text : '',
    ]),
  }
}

describe('the client over real HTTP', () => {
  const cuts = fc.array(fc.nat(4_000), { maxLength: 6 })

  test('any number of cuts at any byte gives the same answer, and one POST', async () => {
    const whole = connect()
    await whole.session.run('/demo text')
    const expected = finalText(transcriptOf(whole.session))
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const { session, requests } = connect(at)
        await session.run('/demo text')
        expect(finalText(transcriptOf(session))).toBe(expected)
        expect(transcriptOf(session).status).toBe('complete')
        expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
      }),
      { numRuns: 40 },
    )
  })

  test('an answer survives cuts, and a second reader gets the same from the beginning', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const { session } = connect(at)
        await session.run('/demo frontend')
        expect(transcriptOf(session).status).toBe('awaiting_tools')
        await session.answer(firstPending(session), 'yes')
        expect(finalText(transcriptOf(session))).toContain('Sent.')
        const { session: reader } = connect(at, session.id)
        await reader.watch()
        expect(toSight(transcriptOf(reader))).toEqual(toSight(transcriptOf(session)))
      }),
      { numRuns: 20 },
    )
  })

  test('several prompts make one conversation, whose last run may fail', async () => {
    const { session } = connect([300])
    await session.run('/demo tools')
    expect(transcriptOf(session).status).toBe('complete')
    await session.run('/demo error')
    expect(transcriptOf(session)).toMatchObject({ status: 'error', error: { retriable: true } })
    expect(transcriptOf(session).agents.at(0)?.runs.length).toBe(2)
  })

  test('an error of the server has its message', async () => {
    const { session } = connect()
    await expect(session.watch()).rejects.toMatchObject({ code: 'not_found' })
    await session.run('/demo frontend')
    await expect(session.answer('toolu_unknown', 'x')).rejects.toMatchObject({
      code: 'not_found',
      details: { status: 404 },
    })
    await session.answer(firstPending(session), 'no')
    expect(finalText(transcriptOf(session))).toContain('Not sent.')
  })

  test('no frame of all these runs violates the protocol', () => {
    expect(server.violations).toEqual([])
  })
})
