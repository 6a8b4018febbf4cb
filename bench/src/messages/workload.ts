import { cut } from '../deltas.ts'

/** A body of the Messages API and the expected message. */
export interface MessageSample {
  /** The body in network chunks. */
  readonly chunks: readonly Uint8Array[]
  readonly bytes: number
  readonly events: number
  /** Returns whether the blocks of a message have the complete content of the body. */
  isWhole(content: readonly unknown[]): boolean
}

/** One shape of message, at several sizes. */
export interface MessageWorkload {
  readonly name: string
  readonly sizes: readonly number[]
  readonly unit: 'KB' | 'MB'
  /** Whether the value of tool input is read after every delta. */
  readonly readsInput: boolean
  build(size: number): MessageSample
}

const CHUNK_BYTES = 16_384
const TOOL_DELTA_LENGTH = 20
const TEXT_DELTA_LENGTH = 12

/** All workloads. */
export const messageWorkloads: readonly MessageWorkload[] = [
  {
    name: 'tool input, its value read at every delta',
    sizes: [25, 100, 200, 800],
    unit: 'KB',
    readsInput: true,
    build: (size) => toolInput(size * 1000),
  },
  {
    name: 'one frame, in chunks of 16 KB',
    sizes: [1, 4, 16],
    unit: 'MB',
    readsInput: false,
    build: (size) => largeFrame(size * 1_000_000),
  },
  {
    name: 'a long text',
    sizes: [250, 500, 1000, 2000],
    unit: 'KB',
    readsInput: false,
    build: (size) => longText(size * 1000),
  },
]

function toolInput(length: number): MessageSample {
  const rows = Array.from({ length: Math.floor(length / 100) }, (_, index) => ({
    line: index,
    text: 'The wheel turns "slowly" at first;\nmüde, 水車, then 🌊 fast.',
    done: index % 2 === 0,
  }))
  const json = JSON.stringify({ path: 'src/mill.ts', rows })
  const block = { type: 'tool_use', id: 'toolu_1', name: 'write', input: {} }
  const deltas = cut(json, TOOL_DELTA_LENGTH).map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }))
  return toSample(toBlock(block, deltas), ([found]) => {
    const { input } = found as { readonly input?: { readonly rows?: readonly object[] } }
    return input?.rows?.length === rows.length && isSame(input.rows.at(-1), rows.at(-1))
  })
}

function largeFrame(length: number): MessageSample {
  const data = 'QUJD'.repeat(length / 4)
  const content = [{ type: 'web_search_result', url: 'https://mill.example', data }]
  const block = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content }
  return toSample(toBlock(block, []), ([found]) => {
    const result = found as { readonly content?: readonly { readonly data?: string }[] }
    return result.content?.[0]?.data?.length === data.length
  })
}

function longText(length: number): MessageSample {
  const text = 'The wheel turns "slowly" at first; müde, 水車, then 🌊 fast.\n'
  const words = text.repeat(Math.ceil(length / text.length))
  const deltas = cut(words, TEXT_DELTA_LENGTH).map((piece) => ({ type: 'text_delta', text: piece }))
  return toSample(toBlock({ type: 'text', text: '' }, deltas), ([found]) => {
    return (found as { readonly text?: string }).text === words
  })
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

function toBlock(content_block: object, deltas: readonly object[]): object[] {
  return [
    { type: 'content_block_start', index: 0, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
  ]
}

function toSample(blocks: readonly object[], isWhole: MessageSample['isWhole']): MessageSample {
  const usage = { input_tokens: 10, output_tokens: 1 }
  const fields = { type: 'message', role: 'assistant', content: [], stop_reason: null, usage }
  const events: readonly { readonly type?: string }[] = [
    { type: 'message_start', message: { id: 'msg_1', model: 'm', ...fields } } as object,
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage } as object,
    { type: 'message_stop' },
  ]
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const bytes = new TextEncoder().encode(frames.join(''))
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    chunks.push(bytes.slice(at, at + CHUNK_BYTES))
  return { chunks, bytes: bytes.length, events: events.length, isWhole }
}
