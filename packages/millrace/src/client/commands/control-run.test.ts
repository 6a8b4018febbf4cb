import { describe, expect, test, vi } from 'vitest'
import type { Envelope } from '../../events/index.ts'
import { answerCall } from './control-run.ts'
import { createSession } from '../transport/http/http-session.ts'
import type { FetchFunction } from '../session.ts'

const agent = '0b0e7c3a-1111-4222-8333-444455556666'
const tools = [{ tool_use_id: 't1', name: 'user_confirm', input: {} }]

function frame(id: number, envelope: Partial<Envelope>): string {
  const line = { type: 'text', agent, final: true, delta: '', ...envelope }
  return `id: ${id}\ndata: ${JSON.stringify(line)}\n\n`
}

const asking = [
  frame(1, { type: 'meta_init', delta: '{"user_query":"hello"}' }),
  frame(2, { type: 'tool_call', id: 't1', name: 'user_confirm', delta: '{}' }),
  frame(3, { type: 'awaiting_frontend_tools', delta: JSON.stringify(tools) }),
]
const goingOn = [
  frame(4, { type: 'tool_result', id: 't1', name: 'user_confirm', delta: 'yes' }),
  frame(5, { type: 'meta_end', delta: '{"stop_reason":"end_turn"}' }),
  'data: [DONE]\n\n',
]

const toResponse = (body: string | ReadableStream): Response =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } })

/** A session with a pending call during its stream; `tell` sends more frames, `lose` cuts it. */
async function ask(onResults: () => Response | Promise<Response>) {
  const posted: unknown[] = []
  let tell = (_frames: readonly string[]): void => {}
  let lose = (): void => {}
  const openStream = (): Response =>
    toResponse(
      new ReadableStream({
        start(controller) {
          const encoder = new TextEncoder()
          tell = (frames) => controller.enqueue(encoder.encode(frames.join('')))
          lose = () => controller.error(new TypeError('reset'))
        },
      }),
    )
  let answerWatch: (response: Response) => void = () => {}
  const fetch: FetchFunction = async (url, { body, signal }) => {
    if (url.endsWith('/run')) return openStream()
    if (!url.endsWith('/tool_results')) {
      return new Promise((resolve, reject) => {
        answerWatch = resolve
        signal?.addEventListener('abort', () => reject(new TypeError('aborted')))
      })
    }
    posted.push((JSON.parse(body as string) as { tool_results: unknown }).tool_results)
    return onResults()
  }
  const session = createSession({ url: 'http://test', session: agent, fetch, retryDelayMs: 0 })
  const run = session.run('hello')
  await vi.waitUntil(() => session.getSnapshot().connection.state === 'streaming')
  tell(asking)
  await vi.waitUntil(() => session.getSnapshot().transcript.pending.length === 1)
  return {
    session,
    run,
    posted,
    tell: () => tell(goingOn),
    lose: () => lose(),
    answerWatch: () => answerWatch(toResponse(goingOn.join(''))),
    answers: () => session.getSnapshot().answers,
  }
}

const yes = { t1: { content: 'yes', isError: false } }
const sent = [[{ tool_use_id: 't1', content: 'yes', is_error: false }]]
const taken = () => toResponse('data: [DONE]\n\n')

describe('an answer during the stream', () => {
  test('is in the snapshot at once, until the stream contains it', async () => {
    const { session, run, posted, tell, answers } = await ask(taken)
    const heard = vi.fn()
    session.subscribe(heard)
    const answered = answerCall(session, 't1', 'yes')
    expect(answers()).toEqual(yes)
    expect(heard).toHaveBeenCalledTimes(1)
    await answered
    expect(posted).toEqual(sent)
    expect(answers()).toEqual(yes)
    tell()
    await run
    expect(answers()).toEqual({})
    expect(session.getSnapshot().transcript.status).toBe('complete')
  })

  test('is sent at once also while the stream reconnects', async () => {
    const { session, run, posted, lose, answerWatch, answers } = await ask(taken)
    lose()
    await vi.waitUntil(() => session.getSnapshot().connection.state === 'connecting')
    await answerCall(session, 't1', 'yes')
    expect(posted).toEqual(sent)
    expect(answers()).toEqual(yes)
    answerWatch()
    await run
    expect(session.getSnapshot().transcript.status).toBe('complete')
  })

  test.each([
    ['refused', () => Response.json({ error: { code: 'conflict' } }, { status: 409 })],
    ['lost', () => Promise.reject(new TypeError('network down'))],
  ])('that is %s may be sent again, and the run is read to its end', async (_, onResults) => {
    const { session, run, tell, answers } = await ask(onResults)
    await expect(answerCall(session, 't1', 'yes')).rejects.toThrow()
    expect(answers()).toEqual({})
    tell()
    await run
    expect(session.getSnapshot().transcript.status).toBe('complete')
  })

  test('that differs from the first is rejected, and the first is kept', async () => {
    const refused = () => Response.json({ error: { code: 'conflict' } }, { status: 409 })
    const { session, answers, posted } = await ask(() => (posted.length > 1 ? refused() : taken()))
    await answerCall(session, 't1', 'yes')
    await expect(answerCall(session, 't1', 'no')).rejects.toMatchObject({
      details: { code: 'conflict' },
    })
    expect(answers()).toEqual(yes)
    session.close()
  })
})

test('an answer that is queued until the end of the stream is not sent if another tab answered first', async () => {
  const { session, run, posted, tell, answerWatch } = await ask(taken)
  const answered = session.answer('t1', 'yes')
  tell()
  await vi.waitUntil(() => session.getSnapshot().connection.state === 'connecting')
  answerWatch()
  await Promise.all([run, answered])
  expect(posted).toEqual([])
  expect(session.getSnapshot().connection.state).toBe('idle')
})
