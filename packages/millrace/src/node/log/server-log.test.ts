import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { opaqueSecret, shapedSecret } from '../../../test/support/secrets.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import { defineTool } from '../../tools/define-tool.ts'
import { createHandler } from '../../server/handler.ts'
import { MillraceError } from '../../errors/index.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { Store } from '../../stores/port/index.ts'
import { serve } from '../serve.ts'
import { openServerLog, type ServerLogOptions } from './server-log.ts'

type Line = Readonly<Record<string, unknown>>

async function open(options: ServerLogOptions = {}) {
  const lines: string[] = []
  const log = await openServerLog({
    node: 'mill:1:2',
    ...options,
    write: (line) => lines.push(line),
  })
  const parsed = () => lines.map((line) => JSON.parse(line) as Line)
  const of = (event: string) => parsed().filter((line) => line['event'] === event)
  return { log, lines, of }
}

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A whole server with a log, whose tool fails with its arguments and whose store fails on demand. */
async function openTestServer(options: ServerLogOptions & { readonly store?: Store } = {}) {
  const { store = createMemoryStore(), ...logOptions } = options
  const opened = await open(logOptions)
  const { log } = opened
  const grind = defineTool({
    name: 'grind',
    description: 'Fails.',
    input: z.object({ grain: z.string() }),
    run: ({ grain }) => {
      throw Object.assign(new Error(`${grain} broke the wheel`), { code: 'EWHEEL' })
    },
  })
  const model = createScriptedModel([
    {
      content: [
        { type: 'text', text: 'I grind CANARY-answer' },
        { type: 'tool_use', id: 't1', name: 'grind', input: { grain: 'CANARY-input' } },
      ],
      stopReason: 'tool_use',
    },
    { throws: new Error('CANARY-model refused') },
  ])
  const agent = createAgent({
    name: 'miller',
    model,
    tools: [grind],
    retries: 0,
    onError: (error) => log.onError(error),
  })
  const handler = createHandler({
    agents: { miller: agent },
    defaultAgent: 'miller',
    store,
    observers: [log.observer],
    onError: log.onError,
  })
  const server = await serve({ handler, port: 0, onRequest: log.onRequest })
  closing.push(server.close)
  const ask = (body: object = { user_prompt: 'CANARY-prompt' }, query = '') =>
    fetch(`${server.url}/agent/run${query}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer CANARY-header',
        cookie: 'session=CANARY-cookie',
        'x-api-key': 'CANARY-key',
        'user-agent': 'CANARY-agent',
        'x-request-id': 'CANARY-id',
      },
      body: JSON.stringify(body),
    })
  return { ...opened, url: server.url, ask }
}

describe('the log of a server', () => {
  test('has one line for each request, with the id that the client got', async () => {
    const { url, of } = await openTestServer()
    const response = await fetch(`${url}/agent/sessions?limit=3`)
    await response.text()
    await expect.poll(() => of('request')).toHaveLength(1)
    expect(of('request')).toMatchObject([
      { level: 'info', node: 'mill:1:2', method: 'GET', path: '/agent/sessions', status: 200 },
    ])
    expect(of('request')[0]?.['request']).toBe(response.headers.get('x-request-id'))
  })

  test('has runs with their session, and requests for a session as well', async () => {
    const { url, ask, of } = await openTestServer()
    await (await ask()).text()
    await expect.poll(() => of('run_ended')).toHaveLength(1)
    const [ended] = of('run_ended')
    expect(ended).toMatchObject({ agent_type: 'miller', run: 1, steps: expect.any(Number) })
    expect(of('run_started')).toMatchObject([{ session: ended?.['session'] }])
    await (await fetch(`${url}/agent/${String(ended?.['session'])}/stream`)).text()
    await expect.poll(() => of('request')).toHaveLength(2)
    expect(of('request')[1]).toMatchObject({ session: ended?.['session'] })
  })

  test('has a failed run with the error of its stream, by type and code', async () => {
    const run = { session: 'abc', agentType: 'miller', run: 1, isRecovered: false }
    const end = { ...run, stopReason: 'error', durationMs: 1 }
    const refused = {
      type: 'authentication_error',
      code: 'model_failed',
      message: 'CANARY-key is no key',
      retriable: false,
    }
    const own = { type: 'internal_error', code: 'internal', message: 'It broke.', retriable: false }
    const { log, lines, of } = await open()
    log.observer.runEnded?.({ ...end, error: refused })
    log.observer.runEnded?.({ ...end, error: own })
    log.observer.runEnded?.({ ...end, error: { ...refused, type: 'CANARY is my type' } })
    expect(of('run_ended')).toMatchObject([
      { level: 'error', error: { type: 'authentication_error', code: 'model_failed' } },
      { level: 'error', error: { type: 'internal_error', message: 'It broke.' } },
      { level: 'error', error: { type: 'unknown', code: 'model_failed' } },
    ])
    expect(lines.join()).not.toContain('CANARY')
    const pretty = await open({ isPretty: true })
    pretty.log.observer.runEnded?.({ ...end, error: refused })
    expect(pretty.lines.join()).toContain('ERROR run ended')
    expect(pretty.lines.join()).toContain('authentication_error model_failed')
  })

  test('never contains a secret of headers, query, prompt, tool input, tool error or model error', async () => {
    for (const isPretty of [false, true]) {
      const { ask, lines } = await openTestServer({ isPretty })
      const stream = await (await ask(undefined, '?key=CANARY-query')).text()
      expect(stream).toContain('CANARY-prompt')
      expect(stream).toContain('CANARY-input broke the wheel')
      await expect.poll(() => lines.length).toBeGreaterThanOrEqual(3)
      expect(lines.join('\n')).toContain('EWHEEL')
      expect(lines.join('\n')).not.toContain('CANARY')
      expect(lines.join('\n')).not.toContain('broke the wheel')
    }
  })

  test('with content has prompts, answers and failures, with masked keys', async () => {
    const { ask, lines, of } = await openTestServer({ logContent: true, secrets: ['MY-OWN-TOKEN'] })
    const key = `sk-ant-api03-${'x1Y2'.repeat(20)}`
    await (await ask({ user_prompt: `CANARY-prompt with ${key} and MY-OWN-TOKEN` })).text()
    await expect.poll(() => of('run_ended')).toHaveLength(1)
    expect(of('run_started')).toMatchObject([
      { prompt: expect.stringContaining('CANARY-prompt with') },
    ])
    expect(lines.join()).not.toContain(key)
    expect(lines.join()).not.toContain('MY-OWN-TOKEN')
    expect(lines.join()).not.toContain('CANARY-header')
    expect(lines.join()).not.toContain('CANARY-cookie')
  })

  test('has failures of the store by type and code, and internal errors also with the message', async () => {
    const cause = Object.assign(new Error('CANARY-disk at /secret'), { code: 'SQLITE_IOERR' })
    const store: Store = { ...createMemoryStore(), list: () => Promise.reject(cause) }
    const { url, lines, of } = await openTestServer({ store })
    expect((await fetch(`${url}/agent/sessions`)).status).toBe(503)
    await expect.poll(() => of('request')).toHaveLength(1)
    expect(of('error')).toMatchObject([
      {
        level: 'error',
        error: {
          type: 'MillraceError',
          code: 'store_unavailable',
          message: expect.stringContaining('The store failed'),
          frames: expect.arrayContaining([expect.stringMatching(/^at /)]),
          cause: { type: 'Error', code: 'SQLITE_IOERR' },
        },
      },
    ])
    expect(of('request')).toMatchObject([{ level: 'error', status: 503 }])
    expect(lines.join()).not.toContain('CANARY')
  })

  test.each([
    ['health checks', '/health'],
    ['modules that a page imports', '/millrace/client/index.js'],
  ])('omits %s, unless they fail or it is configured', async (_, path) => {
    const request = { id: '1', method: 'GET', path, durationMs: 1, isAborted: false }
    const quiet = await open()
    quiet.log.onRequest({ ...request, status: 200 })
    quiet.log.onRequest({ ...request, status: 503 })
    expect(quiet.of('request')).toMatchObject([{ status: 503 }])
    const loud = await open({ level: 'debug' })
    loud.log.onRequest({ ...request, status: 200 })
    expect(loud.lines).toHaveLength(1)
  })

  test('masks keys in paths and in content, at any position', async () => {
    const { log, lines } = await open({ logContent: true })
    fc.assert(
      fc.property(shapedSecret, opaqueSecret, (shaped, opaque) => {
        log.onRequest({
          id: '1',
          method: 'GET',
          path: `/x/${shaped}`,
          status: 404,
          durationMs: 1,
          isAborted: false,
        })
        log.onError(new Error(`Authorization: Bearer ${opaque} was refused`))
        const written = lines.splice(0).join('\n')
        expect(written).not.toContain(shaped)
        expect(written).not.toContain(opaque)
      }),
    )
  })

  test('with content has the original text of a provider, without secrets', async () => {
    const run = { session: 'abc', agentType: 'miller', run: 1, isRecovered: false }
    const error = {
      type: 'http_error',
      code: 'model_failed',
      message: 'a page of HTML',
      retriable: true,
      original: '<title>502</title> via http://miller:CANARY-pw@10.0.0.1/',
    }
    const end = { ...run, stopReason: 'error', durationMs: 1, error }
    const [quiet, open1] = [await open(), await open({ logContent: true })]
    for (const { log } of [quiet, open1]) log.observer.runEnded?.(end)
    expect(quiet.lines.join()).not.toContain('502')
    expect(open1.of('run_ended')).toMatchObject([
      { error: { original: '<title>502</title> via http://miller:*********@10.0.0.1/' } },
    ])
  })

  test('masks passwords of URLs in notes, paths, prompts and errors', async () => {
    const { log, lines } = await open({ logContent: true })
    const url = 'redis://miller:CANARY-pw@store.test:6379'
    const run = { session: 'abc', agentType: 'miller', run: 1, isRecovered: false }
    log.note(`listening with ${url}`, { url })
    log.observer.runStarted?.({ ...run, prompt: `look at ${url}` })
    log.onError(new Error(`no answer from ${url}`))
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toContain('redis://miller:*********@store.test')
    expect(lines.join()).not.toContain('CANARY')
  })

  test.each([
    ['a message that looks like frames', new Error('a\n    at CANARY (x.ts:1:1)')],
    ['a name with spaces', Object.assign(new Error('x'), { name: 'CANARY is my name' })],
    ['a code with spaces', Object.assign(new Error('x'), { code: 'CANARY is my code' })],
    ['fields of its own', Object.assign(new Error('x'), { command: { args: ['CANARY'] } })],
    ['a thrown text', 'CANARY'],
    ['a thrown object', { message: 'CANARY' }],
    ['a cause', new Error('x', { cause: new Error('CANARY') })],
    ['several errors', new AggregateError([new Error('CANARY')], 'CANARY')],
    ['an error of a tool', new MillraceError('bad_request', 'CANARY')],
    ['a changed message', Object.assign(new Error('CANARY'), { message: 'other' })],
  ])('reveals nothing of an error with %s', async (_, error) => {
    const { log, lines } = await open()
    log.onError(error)
    expect(lines).toHaveLength(1)
    expect(lines.join()).not.toContain('CANARY')
  })

  test('truncates an error that causes itself', async () => {
    const { log, of } = await open()
    const error = new Error('x')
    error.cause = error
    log.onError(error, { session: 's' })
    expect(of('error')).toMatchObject([
      { session: 's', error: { cause: { cause: { type: 'Error' } } } },
    ])
  })

  test('in readable form has one line for any text', async () => {
    const { log, lines } = await open({ isPretty: true, logContent: true })
    const run = { session: 'abc', agentType: 'miller', run: 1, isRecovered: false }
    log.observer.runStarted?.({ ...run, prompt: 'one\ntwo \u001b[31mred\u202e' })
    log.observer.runEnded?.({
      ...run,
      stopReason: 'end_turn',
      durationMs: 1234,
      steps: 2,
      usage: { input_tokens: 10, output_tokens: 20 },
      answer: 'flour',
    })
    log.onError(new MillraceError('lease_lost', 'Another server carries on.'), { session: 'abc' })
    log.note('listening', { url: 'http://127.0.0.1:1' })
    const clock = /^\d\d:\d\d:\d\d/
    expect(lines.map((line) => line.replace(clock, '00:00:00'))).toEqual([
      '00:00:00 run started · abc · miller · “one two  [31mred ”',
      '00:00:00 run ended · abc · miller · end_turn · 2 steps · 10 → 20 tokens · 1.2 s · “flour”',
      expect.stringMatching(
        /^00:00:00 ERROR error · abc · MillraceError lease_lost: Another server carries on\., at /,
      ),
      '00:00:00 listening',
    ])
  })
})
