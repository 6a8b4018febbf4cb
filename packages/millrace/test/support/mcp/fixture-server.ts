import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js'

/** The operations of a tool of the fixture besides answering. */
interface Doing {
  readonly signal: AbortSignal
  readonly progressToken: string | number | undefined
  notify(notification: ServerNotification): Promise<void>
}

type Answer = (input: Record<string, unknown>, doing: Doing) => unknown

/** One pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

/** A server with the behavior of real and of unusual servers, with the official SDK. */
export function createFixtureServer({ onDeath }: { onDeath: () => void }): Server {
  let cancelled = 0
  let hasGrown = false
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )

  const answers: Record<string, Answer> = {
    echo: ({ message }) => text(String(message)),
    'add.numbers': ({ a, b }) => ({
      content: [],
      structuredContent: { sum: Number(a) + Number(b) },
    }),
    add_numbers: () => text('another'),
    slow: async (_input, { signal, progressToken, notify }) => {
      for (const progress of [1, 2]) {
        const params = {
          progressToken: progressToken ?? 0,
          progress,
          total: 2,
          message: 'grinding',
        }
        await notify({ method: 'notifications/progress', params })
      }
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      cancelled++
      return text('late')
    },
    cancelled: () => text(String(cancelled)),
    fail: () => ({ ...text('the wheel is stuck'), isError: true }),
    throw: () => {
      throw new Error('no such grain')
    },
    media: () => ({
      content: [
        { type: 'text', text: 'Here:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'flour' } },
        { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AAAA' } },
        { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
      ],
    }),
    pid: () => text(String(process.pid)),
    die: () => {
      onDeath()
      return new Promise(() => {})
    },
    long: ({ length }) => text('x'.repeat(Number(length))),
    grow: async () => {
      hasGrown = true
      await server.sendToolListChanged()
      return text('grown')
    },
    grown: () => text('I am new'),
  }

  const schemas: Record<string, object> = {
    echo: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    pid: {},
  }
  const readOnly = new Set(['echo', 'cancelled', 'pid'])
  const list = () =>
    Object.keys(answers)
      .filter((name) => name !== 'grown' || hasGrown)
      .map((name) => ({
        name,
        description: `Does ${name}.`,
        inputSchema: schemas[name] ?? { type: 'object' },
        annotations: { readOnlyHint: readOnly.has(name) },
      }))

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const start = Number(params?.cursor ?? 0)
    const tools = list()
    const end = start + 5
    const page = tools.slice(start, end)
    return { tools: page as never, ...(end < tools.length && { nextCursor: String(end) }) }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { signal, _meta: meta, sendNotification: notify } = extra
    const doing: Doing = { signal, progressToken: meta?.progressToken, notify }
    const answer = answers[params.name]
    if (answer === undefined) throw new Error(`There is no tool "${params.name}".`)
    return (await answer(params.arguments ?? {}, doing)) as CallToolResult
  })
  return server
}
