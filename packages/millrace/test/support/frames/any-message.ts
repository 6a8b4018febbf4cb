import fc from 'fast-check'
import type { JsonObject } from '../../../src/json/index.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
} from '../models/anthropic-events.ts'

/** Text of every kind that is hard to escape, to cut or to distinguish from structure. */
const hardText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', '\u2028', '😀', '"\\\n\r', '</content-block-text>', '[DONE]', ']]>', '\\n'),
  fc
    .tuple(fc.constantFrom('x', '\u0001', 'é', '😀', '<'), fc.nat(2500))
    .map(([unit, times]) => unit.repeat(times)),
)

const pieces = fc.array(hardText, { maxLength: 4 })
const words = fc.string({ minLength: 1, maxLength: 6 })

const citation = fc.oneof(
  fc.record({
    type: fc.constant('page_location'),
    cited_text: hardText,
    document_index: fc.nat(9),
    document_title: fc.constantFrom(null, 'Mill'),
    start_page_number: fc.nat(9),
    end_page_number: fc.nat(9),
  }),
  fc.record({
    type: fc.constant('web_search_result_location'),
    cited_text: hardText,
    url: words,
    title: fc.constantFrom(null, 'T'),
    encrypted_index: fc.constant('sealed'),
  }),
)

/** An event of the API, in the form of its SDKs. */
export interface ApiEvent extends JsonObject {
  readonly type: string
}

type Block = (index: number) => JsonObject[]

const textBlock = fc
  .tuple(pieces, fc.array(citation, { maxLength: 3 }), hardText)
  .map(([texts, citations, given]): Block => (index) => [
    blockStart(index, { type: 'text', text: given }),
    ...citations.map((one) => blockDelta(index, 'citations_delta', { citation: one })),
    ...texts.map((text) => blockDelta(index, 'text_delta', { text })),
    blockStop(index),
  ])

const thinkingBlock = pieces.map((texts): Block => (index) => [
  blockStart(index, { type: 'thinking', thinking: '', signature: '' }),
  ...texts.map((thinking) => blockDelta(index, 'thinking_delta', { thinking })),
  blockDelta(index, 'signature_delta', { signature: 'sealed' }),
  blockStop(index),
])

const callBlock = fc
  .tuple(
    fc.constantFrom('tool_use', 'server_tool_use', 'mcp_tool_use'),
    words,
    fc.json(),
    fc.nat(9),
  )
  .map(([type, name, value, place]): Block => {
    const input = `{"v":${value}}`
    const server = type === 'mcp_tool_use' ? { server_name: 'mill' } : {}
    return (index) => [
      blockStart(index, { type, id: `call_${index}`, name, input: {}, ...server }),
      blockDelta(index, 'input_json_delta', { partial_json: input.slice(0, place) }),
      blockDelta(index, 'input_json_delta', { partial_json: input.slice(place) }),
      blockStop(index),
    ]
  })

const wholeBlock = fc
  .tuple(
    fc.constantFrom('web_search_tool_result', 'mcp_tool_result', 'redacted_thinking', 'new_block'),
    hardText,
    fc.boolean(),
  )
  .map(([type, content, isError]): Block => (index) => [
    blockStart(index, { type, tool_use_id: `call_${index}`, content, is_error: isError }),
    blockStop(index),
  ])

const odd = fc.constantFrom<JsonObject>(
  { type: 'ping' },
  { type: 'weather_report', sky: 'grey' },
  blockDelta(99, 'hum_delta', { hum: 'mm' }),
)

/** The events of one message of the API, with unexpected events in between, and blocks one after the other. */
export const anyMessage: fc.Arbitrary<ApiEvent[]> = fc
  .record({
    id: words,
    blocks: fc.array(fc.oneof(textBlock, thinkingBlock, callBlock, wholeBlock), { maxLength: 6 }),
    odds: fc.array(fc.tuple(fc.nat(), odd), { maxLength: 3 }),
    reason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'refusal', 'pause_turn'),
    error: fc.boolean(),
  })
  .map(({ id, blocks, odds, reason, error }) => {
    const end = error
      ? [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }]
      : messageEnd(reason)
    const said = blocks.flatMap((block, index) => block(index))
    const events: JsonObject[] = [messageStart({ id: `msg_${id}` }), ...said, ...end]
    for (const [place, one] of odds) events.splice(1 + (place % events.length), 0, one)
    return events as ApiEvent[]
  })
