import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { text } from '../../../test/support/agents/agent-harness.ts'
import { createScriptedModel } from '../../../test/support/agents/scripted-model.ts'
import { createAgent } from '../../agent/create-agent.ts'
import {
  definePlan,
  type Plan,
  type Protocol,
  type ProtocolCode,
} from '../../protocols/port/index.ts'
import { agUi, aiSdk, defaultProtocols, json, raw } from '../../protocols/registry/protocols.ts'
import { createMemoryStore } from '../../stores/memory/index.ts'
import type { HandlerOptions } from '../handler-options.ts'
import { createHandler, type Handler } from '../handler.ts'

const handlers: Handler[] = []

afterEach(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()))
})

function open(protocols: readonly Protocol[] | undefined, options: Partial<HandlerOptions> = {}) {
  const model = createScriptedModel([{ content: [text('Hello.')] }])
  const handler = createHandler({
    agents: { root: createAgent({ name: 'root', model }) },
    defaultAgent: 'root',
    store: createMemoryStore(),
    ...(protocols !== undefined && { protocols }),
    ...options,
  })
  handlers.push(handler)
  const send = async (path: string, body?: object) => {
    const response = await handler.fetch(
      new Request(`http://localhost${path}`, {
        ...(body !== undefined && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      }),
    )
    return { status: response.status, body: await response.text(), headers: response.headers }
  }
  return { send, run: (query = '') => send(`/agent/run${query}`, { user_prompt: 'go' }) }
}

/** A format that counts frames, and a route whose prompt is in the path. */
const counting: ProtocolCode = {
  format: () => ({
    name: 'counting',
    reads: 'frames',
    headers: { 'x-counting': '1' },
    done: undefined,
    open: () => {
      let count = 0
      return {
        write: () => [{ data: String(++count) }],
        finish: (end) => [{ data: end }],
      }
    },
  }),
  plans: {
    ask: definePlan({
      reply: { description: 'Counts.', content: 'stream' },
      plan: ({ parameters: { words = '' } }): Plan => ({
        session: 'counted',
        message: { parts: [{ type: 'text', text: words }], toolInput: 'buffered' },
        reply: {
          type: 'stream',
          extent: 'run',
          otherwise: 'empty',
          format: () => counting.format(new URLSearchParams()),
        },
      }),
      parameters: {
        words: {
          schema: {
            '~standard': {
              version: 1,
              vendor: 'test',
              validate: (value) =>
                value === 'no' ? { issues: [{ message: 'no' }] } : { value: String(value) },
            },
          },
          meaning: 'some words',
        },
      },
    }),
  },
}

function createCounting(route: Partial<{ path: string; method: 'GET' | 'POST' }> = {}) {
  let loads = 0
  const protocol: Protocol = {
    name: 'counting',
    routes: { ask: { method: 'POST', path: '/count/{words}', summary: 'Counts.', ...route } },
    load: async () => {
      loads++
      return counting
    },
  }
  return { protocol, loads: () => loads }
}

describe('the protocols of a server', () => {
  test('are all built-in ones by default, and always include json', async () => {
    const names = defaultProtocols().map(({ name }) => name)
    expect(names).toEqual(['json', 'xml', 'raw', 'segments', 'ai-sdk', 'ag-ui'])
    const all = open(undefined)
    for (const name of names) expect((await all.run(`?format=${name}`)).status).toBe(200)
    const none = open([])
    expect((await none.run('?format=json')).status).toBe(200)
    expect((await none.run()).body).toContain('[DONE]')
    const { status, body } = await none.run('?format=ag-ui')
    expect(status).toBe(400)
    expect(body).toContain('send one of json.')
    expect((await none.send('/ag-ui', { threadId: 't', runId: 'r', messages: [] })).status).toBe(
      404,
    )
    expect((await open([json()]).run()).status).toBe(200)
  })

  test('have routes at their configured paths, which the description of the server lists', async () => {
    const { send } = open([aiSdk({ path: '/api/chat' }), agUi({ path: '/api/agent' })])
    const { paths } = JSON.parse((await send('/openapi.json')).body) as { paths: object }
    const own = Object.keys(paths).filter((path) => path.startsWith('/api'))
    expect(own).toEqual([
      '/api/chat',
      '/api/chat/{id}/stream',
      '/api/chat/{id}/messages',
      '/api/agent',
    ])
    const part = { type: 'text', text: 'hi' }
    const asked = await send('/api/chat', { id: 'c', messages: [{ role: 'user', parts: [part] }] })
    expect(asked.body).toContain('"type":"finish"')
    expect((await send('/ai-sdk/chat', {})).status).toBe(404)
  })

  test('are loaded once, with the first request that needs them', async () => {
    const { protocol, loads } = createCounting()
    const { run, send } = open([protocol])
    await run()
    await send('/health')
    expect(loads()).toBe(0)
    const { body, headers } = await run('?format=counting')
    expect(headers.get('x-counting')).toBe('1')
    expect(body).toMatch(/id: 1\ndata: 1\n/)
    expect(body).toMatch(/data: done\n\n$/)
    await send('/count/go', {})
    await send('/openapi.json')
    expect(loads()).toBe(1)
  })

  test('are loaded again after a load that failed', async () => {
    let loads = 0
    const load = async () => {
      if (++loads === 1) throw new Error('not yet')
      return counting
    }
    const { run } = open([{ name: 'counting', load }])
    expect((await run('?format=counting')).status).toBe(500)
    expect((await run('?format=counting')).status).toBe(200)
  })

  test.each([
    ['twice the same', [raw(), raw()], 'raw is listed twice'],
    ['a name that no query can have', [{ ...raw(), name: 'Raw 1' }], 'lower-case letters'],
    ['the function itself', [raw as unknown as Protocol], 'aiSdk() and not aiSdk'],
    ['a path that is none', [agUi({ path: 'ag-ui' })], 'write it like'],
    ['a path of the server', [agUi({ path: '/agent/run' })], 'conflicts with'],
    [
      'a path that an id of the server takes',
      [createCounting({ method: 'GET', path: '/agent/count' }).protocol],
      'conflicts with /agent/{uuid}',
    ],
    ['the path of another', [aiSdk({ path: '/x' }), agUi({ path: '/x' })], 'conflicts with'],
  ])('are rejected when the server is created: %s', (_, protocols, words) => {
    expect(() => open(protocols)).toThrow(words)
  })

  test('have options, and unknown ones are rejected', () => {
    expect(() => aiSdk({ paht: '/x' } as object)).toThrow('has no option "paht"')
  })
})

describe('a custom protocol', () => {
  test('gets a stream of its format with ids to resume at, and its own session', async () => {
    const { protocol } = createCounting()
    const { send } = open([protocol])
    const { status, body, headers } = await send('/count/go', {})
    expect(status).toBe(200)
    expect(body).toMatch(/id: 1\ndata: 1\n/)
    const session = headers.get('x-millrace-session')
    const read = await send(`/agent/${session}/stream?format=counting&cursor=1`)
    expect(read.body).not.toMatch(/id: 1\n/)
    expect(read.body).toMatch(/id: 2\ndata: 2\n/)
  })

  test('has its parameters checked', async () => {
    const { send } = open([createCounting().protocol])
    const { status, body } = await send('/count/no', {})
    expect(status).toBe(400)
    expect(body).toContain('is not some words')
  })

  test.each(['run', 'read'] as const)(
    'cannot do anything that its client may not: %s',
    async (action) => {
      const { protocol } = createCounting()
      const asked: string[] = []
      const { send } = open([protocol], {
        authorize: (_, wanted) => {
          asked.push(wanted)
          return wanted !== action
        },
      })
      const { status } = await send('/count/go', {})
      expect([status, asked]).toEqual(action === 'run' ? [404, ['run']] : [200, ['run']])
    },
  )

  test('without a plan for its route causes a server error, and other routes work', async () => {
    const { protocol } = createCounting()
    const { send, run } = open([{ ...protocol, load: async () => ({ format: counting.format }) }])
    expect((await send('/count/go', {})).status).toBe(500)
    expect((await run()).status).toBe(200)
  })
})

test('a server that is imported loads no code of a protocol', () => {
  const src = fileURLToPath(new URL('../../', import.meta.url))
  const seen = new Set<string>()
  // An import of types loads no code; neither does a dynamic import until it is called.
  const loading = /^(?:import|export) (?!type )(?:[^'"]*? from )?'(\.[^']*)'/gm
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(loading))
      visit(join(dirname(path), specifier))
  }
  visit(join(src, 'public/server.ts'))
  const protocols = [...seen]
    .map((path) => relative(src, path))
    .filter((path) => path.startsWith('protocols/'))
  const folders = new Set(protocols.map((path) => path.split('/')[1]))
  expect(folders).toEqual(new Set(['port', 'registry']))
})
