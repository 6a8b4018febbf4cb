import { describe, expect, test } from 'vitest'
import { eventsIn, openServer, said } from '../../../../test/support/foreign/foreign-server.ts'
import type { JsonObject } from '../../../json/index.ts'
import type { HandlerOptions } from '../../../server/handler-options.ts'
import { createMemoryStore } from '../../../stores/memory/index.ts'
import { fromAgUi, type AgUiAgentOptions } from './from-ag-ui.ts'

interface Sent extends JsonObject {
  readonly threadId: string
  readonly messages: readonly JsonObject[]
}

/** A server of AG-UI whose answers are lists of events, with the requests that it has received. */
function openRemote(
  answers: readonly (readonly object[] | Response | Error)[],
  options: Partial<AgUiAgentOptions> = {},
  server: Partial<HandlerOptions> = {},
) {
  const sent: Sent[] = []
  const headers: (string | null)[] = []
  const agent = fromAgUi({
    name: 'remote',
    url: 'http://remote.test/agent',
    fetch: async (request) => {
      headers.push(request.headers.get('authorization'))
      const answer = answers[sent.push((await request.json()) as Sent) - 1] ?? []
      if (answer instanceof Error) throw answer
      if (answer instanceof Response) return answer
      return new Response(answer.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))
    },
    ...options,
  })
  const store = createMemoryStore()
  return { sent, headers, store, ...openServer(agent, store, server) }
}

const start = { type: 'RUN_STARTED', threadId: 't', runId: 'r' }
const finish = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' }

describe('an AG-UI server', () => {
  test('may send chunks, results and reasoning; sub-agents, echoes and state are skipped', async () => {
    const events = [
      start,
      { type: 'TEXT_MESSAGE_START', messageId: 'u', role: 'user' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'u', delta: 'echo' },
      { type: 'TEXT_MESSAGE_END', messageId: 'u' },
      { type: 'REASONING_MESSAGE_CHUNK', messageId: 'z', delta: 'hm' },
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', role: 'assistant', delta: 'Let me ' },
      { type: 'TEXT_MESSAGE_CHUNK', delta: 'see.' },
      { type: 'STATE_SNAPSHOT', snapshot: { grain: 'rye' } },
      { type: 'TOOL_CALL_CHUNK', toolCallId: 'c', toolCallName: 'look', delta: '{"a"' },
      { type: 'TOOL_CALL_CHUNK', delta: ':1}' },
      { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'c', content: 'seen' },
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 's', delta: 'sub', subagentRunId: 'a' },
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 'n', delta: 'Done.' },
      { ...finish, usage: [{ inputTokens: 7, outputTokens: 3 }] },
    ]
    const { ask, view, handler, sent } = openRemote([events])
    expect(said(await ask('go'))).toBe('Let me see.seenDone.')
    expect(sent[0]).toMatchObject({
      messages: [{ role: 'user', content: 'go' }],
      tools: [],
      state: {},
    })
    expect(await view('/conversations')).toMatchObject({
      conversations: [
        {
          final_response: 'Done.',
          usage: { input_tokens: 7, output_tokens: 3 },
          messages: [
            {},
            {
              content: [{ thinking: 'hm' }, { text: 'Let me see.' }, { id: 'c', input: { a: 1 } }],
            },
            {},
            {},
          ],
        },
      ],
    })
    await handler.close()
  })

  test('pauses for an interrupt without a call, and receives its payload', async () => {
    const interrupts = [{ id: 'i1', reason: 'choose', message: 'Rye or oats?' }]
    const { ask, view, answer, handler, sent } = openRemote([
      [start, { ...finish, outcome: { type: 'interrupt', interrupts } }],
      [start, { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'Rye it is.' }, finish],
    ])
    await ask('go')
    const { pending, stop_reason: reason } = await view()
    expect(reason).toBe('awaiting_frontend_tools')
    expect(pending).toMatchObject([{ name: 'ag_ui_interrupt', input: { message: 'Rye or oats?' } }])
    expect(said(await answer(pending?.[0]?.tool_use_id ?? '', 'rye'))).toContain('Rye it is.')
    expect(sent[1]).toMatchObject({
      messages: [{ role: 'user' }],
      resume: [{ interruptId: 'i1', status: 'resolved', payload: 'rye' }],
    })
    await handler.close()
  })

  test('gets messages with the same ids in each request, and the headers', async () => {
    const answer = [start, { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'Yes.' }, finish]
    const authorization = 'Bearer one'
    const { ask, handler, sent, headers } = openRemote([answer, answer], {
      headers: { authorization },
    })
    await ask('first')
    await ask('second')
    const ids = sent.map(({ messages }) => messages.map(({ id }) => id))
    expect(ids[1]?.slice(0, 1)).toEqual(ids[0])
    expect(new Set(ids[1]).size).toBe(3)
    expect(headers).toEqual([authorization, authorization])
    await handler.close()
  })

  test('gets headers for the context of each run', async () => {
    const answer = [start, { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'Yes.' }, finish]
    const { ask, handler, headers, sent } = openRemote(
      [answer, answer],
      {
        headers: async ({ context, session, runId }) => ({
          authorization: `${JSON.stringify(context)} ${session} ${runId}`,
        }),
      },
      { context: () => ({ user: 'ada' }), owner: () => 'ada' },
    )
    await ask('first')
    await ask('second')
    expect(headers).toEqual(
      sent.map(({ threadId, runId }) => `{"user":"ada"} ${threadId} ${String(runId)}`),
    )
    await handler.close()
  })

  test.each([
    ['that fails', [[start, { type: 'RUN_ERROR', message: 'No grain.' }]], 'No grain.'],
    ['whose stream ends early', [[start]], 'ended before its run'],
    ['that refuses', [new Response('busy', { status: 503 })], 'status 503: busy'],
    ['that is gone', [new TypeError('fetch failed')], 'cannot be reached'],
  ])('%s ends the run with an error, and the next prompt works', async (_, answers, text) => {
    const works = [start, { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'Yes.' }, finish]
    const { ask, view, handler, store } = openRemote([...answers, works])
    expect(await ask('go')).toContain(text)
    expect(await view()).toMatchObject({ status: 'ended', stop_reason: 'error' })
    expect((await eventsIn(store)).slice(-2).map(({ type }) => type)).toEqual(['error', 'run_end'])
    expect(said(await ask('again'))).toBe('Yes.')
    await handler.close()
  })

  test('cannot be continued in the middle of a run', () => {
    const options = { name: 'remote', url: 'http://remote.test', recovery: 'continue' }
    expect(() => fromAgUi(options as AgUiAgentOptions)).toThrow('must be one of "rerun", "end"')
  })
})
