import fc from 'fast-check'
import { expect } from 'vitest'
import { decodeEnvelope, encodeEnvelope } from '../../../src/events/index.ts'
import { chunkPayload } from '../../../src/events/envelope/chunk.ts'
import { textBlock } from '../../support/models/anthropic-events.ts'
import { runs } from '../../support/runs.ts'
import { jsonLines, message } from '../support/format-events.ts'
import { createSection } from '../support/seed-case.ts'
import { ask } from '../support/seed-server.ts'
import { utf8 } from '../support/utf8.ts'
import { allRuns } from './design.ts'

const agent = 'abc-123'
const extras = { id: 'toolu_02', name: 'read_file' }

/** The lengths in bytes that the algorithm of the document computes for a payload without escapes. */
function seedLengths(payload: string, overhead: number): number[] {
  const bytes = new TextEncoder().encode(payload)
  const lengths: number[] = []
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(bytes.length, start + 2048 - overhead)
    while (end < bytes.length && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
    lengths.push(end - start)
    start = end
  }
  return lengths
}

const chunksOf = (payload: string, final = true) => [
  ...chunkPayload({ type: 'tool_result', agent, payload, extras, final }),
]
const overhead = utf8(
  '{"type":"tool_result","agent":"abc-123","final":false,"delta":"","id":"toolu_02","name":"read_file"}',
)

const chunking = createSection('001', 'Proactive Chunking')

chunking.works('No message is longer than 2048 bytes.', async () => {
  for (const { data } of await allRuns())
    for (const line of data) expect(utf8(line)).toBeLessThanOrEqual(2048)
})
chunking.works('A payload without escapes is cut exactly where the algorithm cuts it.', () => {
  for (const payload of ['x'.repeat(7000), 'aé€𝄞'.repeat(1500), '𝄞'.repeat(2000)]) {
    const lengths = chunksOf(payload).map((line) => utf8(decodeEnvelope(line).delta))
    expect(lengths).toEqual(seedLengths(payload, overhead))
  }
})
chunking.differs(
  'A payload is measured before it is written as JSON.',
  'It is measured as it is sent: quotes, line ends and control characters count with their escapes, so that no line exceeds the bound.',
  () => {
    const lines = chunksOf('"'.repeat(5000))
    expect(Math.max(...lines.map(utf8))).toBeLessThanOrEqual(2048)
    expect(lines.length).toBeGreaterThan(seedLengths('"'.repeat(5000), overhead).length)
  },
)
chunking.works('Joining the chunks restores the payload, for any content.', () => {
  const anyText = fc.string({ unit: 'binary', minLength: 500, maxLength: 6000 })
  fc.assert(
    fc.property(anyText, (payload) => {
      const deltas = chunksOf(payload).map((line) => decodeEnvelope(line).delta)
      expect(deltas.join('') === payload).toBe(true)
    }),
    { numRuns: runs(40, 5000) },
  )
})
chunking.works('The last piece of a buffered block is final, all others are not.', () => {
  const finals = chunksOf('x'.repeat(7000)).map((line) => decodeEnvelope(line).final)
  expect(finals).toEqual([false, false, false, true])
})
chunking.works('Chunks of a streamed block are not final; the end is separate.', () => {
  const lines = jsonLines(message(...textBlock(0, 'y'.repeat(5000))))
  expect(lines.map((line) => decodeEnvelope(line).final)).toEqual([false, false, false, true])
  expect(decodeEnvelope(lines.at(-1) ?? '').delta).toBe('')
  expect(Math.max(...lines.map(utf8))).toBeLessThanOrEqual(2048)
})
chunking.works('A cut never falls inside a character.', () => {
  for (const line of chunksOf(`a${'𝄞'.repeat(3000)}`)) {
    const { delta } = decodeEnvelope(line)
    expect(new TextDecoder('utf-8', { fatal: true }).decode(new TextEncoder().encode(delta))).toBe(
      delta,
    )
    expect(/[\ud800-\udbff](?![\udc00-\udfff])/.test(delta)).toBe(false)
  }
})
chunking.works('`id` and `name` are repeated on every piece and count as overhead.', () => {
  const messages = chunksOf('x'.repeat(7000)).map(decodeEnvelope)
  expect(messages.every((one) => one['id'] === 'toolu_02' && one['name'] === 'read_file')).toBe(
    true,
  )
})
chunking.works('A payload that fits is one message.', () => {
  expect(chunksOf('x'.repeat(2048 - overhead))).toHaveLength(1)
  expect(chunksOf('x'.repeat(2048 - overhead + 1))).toHaveLength(2)
})
chunking.differs(
  'A `text` message has about 52 bytes of overhead, a `tool_result` about 80.',
  'These are estimates: the examples have 58 and 102 bytes, and with UUIDs more. The overhead is measured, not assumed.',
  () => {
    const text = encodeEnvelope({ type: 'text', agent, final: false, delta: '' })
    const result = encodeEnvelope({
      type: 'tool_result',
      agent,
      final: false,
      delta: '',
      id: 'toolu_01',
      name: 'grep_search',
    })
    expect([utf8(text), utf8(result)]).toEqual([58, 102])
  },
)
chunking.differs(
  'The bound is a constant.',
  'It is an option of formatters and servers, at least 512 bytes; 2048 is the default.',
  () => {
    const lines = jsonLines(message(...textBlock(0, 'y'.repeat(5000))), { maxBytes: 512 })
    expect(Math.max(...lines.map(utf8))).toBeLessThanOrEqual(512)
    expect(lines.length).toBeGreaterThan(10)
  },
)
chunking.works(
  'A prompt of many escapes does not break the bound of `meta_init` either.',
  async () => {
    const { data } = await ask('"\\\n'.repeat(2000))
    for (const line of data) expect(utf8(line)).toBeLessThanOrEqual(2048)
  },
)

/** The chunking of seed 001. */
export const chunkingStatements = chunking.statements
