import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadRecordings } from '../../../../tools/src/conformance/recordings/load-recordings.ts'
import type { Recording } from '../../../../tools/src/conformance/recordings/recording-check.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
  textBlock,
  toolBlock,
} from './anthropic-events.ts'

const citation = { type: 'char_location', cited_text: 'grün', document_index: 0, file_id: null }
const page = { type: 'page_location', cited_text: 'p', document_index: 1, start_page_number: 2 }

/** A block that is complete in its start. */
export function wholeBlock(index: number, content: JsonObject): JsonObject[] {
  return [blockStart(index, content), blockStop(index)]
}

/** A thought with its signature. */
export function thinkingBlock(index: number, signature: string, ...pieces: string[]): JsonObject[] {
  return [
    blockStart(index, { type: 'thinking', thinking: '', signature: '' }),
    ...pieces.map((thinking) => blockDelta(index, 'thinking_delta', { thinking })),
    blockDelta(index, 'signature_delta', { signature }),
    blockStop(index),
  ]
}

/** A call that the provider runs. */
export function searchBlock(index: number, id: string, fields: JsonObject = {}): JsonObject[] {
  const start = { type: 'server_tool_use', id, name: 'web_search', input: {}, ...fields }
  const delta = blockDelta(index, 'input_json_delta', { partial_json: '{"query":"mill"}' })
  return [blockStart(index, start), delta, blockStop(index)]
}

/** The result of such a call. */
export function foundBlock(index: number, tool_use_id: string): JsonObject[] {
  const result = { type: 'web_search_result', url: 'https://mill.example', encrypted_content: 'x=' }
  return wholeBlock(index, { type: 'web_search_tool_result', tool_use_id, content: [result] })
}

/** Messages of every form of the API, each complete. */
export const ownStreams: Readonly<Record<string, readonly JsonObject[]>> = {
  empty: [messageStart(), ...messageEnd()],
  'text with citations': [
    messageStart(),
    blockStart(0, { type: 'text', text: '', citations: [] }),
    blockDelta(0, 'citations_delta', { citation }),
    blockDelta(0, 'citations_delta', { citation: page }),
    blockDelta(0, 'text_delta', { text: 'grüße 🌊 ' }),
    blockDelta(0, 'text_delta', { text: '水車' }),
    blockStop(0),
    ...textBlock(1),
    ...messageEnd('stop_sequence'),
  ],
  'thoughts and calls': [
    messageStart(),
    ...thinkingBlock(0, 'c2lnMQ==', 'let me ', 'see'),
    ...thinkingBlock(1, 'c2lnMg=='),
    ...wholeBlock(2, { type: 'redacted_thinking', data: 'ZGF0YQ==' }),
    ...textBlock(3, 'I look.'),
    ...toolBlock(4, 'read', '', '{"path": "a', '.ts"}'),
    ...toolBlock(5, 'list', ''),
    ...messageEnd('tool_use'),
  ],
  'tools of the provider': [
    messageStart(),
    ...textBlock(0, 'I search.'),
    ...searchBlock(1, 's1'),
    ...foundBlock(2, 's1'),
    ...searchBlock(3, 'c1', { name: 'code_execution' }),
    ...searchBlock(4, 's2', { caller: { type: 'code_execution_20260120', tool_id: 'c1' } }),
    ...foundBlock(5, 's2'),
    ...wholeBlock(6, { type: 'code_execution_tool_result', tool_use_id: 'c1', content: {} }),
    ...wholeBlock(7, { type: 'container_upload', file_id: 'file_1' }),
    ...searchBlock(8, 'm1', { type: 'mcp_tool_use', server_name: 'kb', name: 'find' }),
    ...wholeBlock(9, { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: true, content: [] }),
    ...textBlock(10, 'Found.'),
    ...messageEnd('end_turn', { output_tokens: 20, server_tool_use: { web_search_requests: 2 } }),
  ],
  paused: [
    messageStart(),
    ...textBlock(0, 'I search.'),
    ...searchBlock(1, 's3'),
    ...messageEnd('pause_turn'),
  ],
  compacted: [
    messageStart(),
    blockStart(0, { type: 'compaction', content: null, encrypted_content: null }),
    blockDelta(0, 'compaction_delta', { content: 'so far', encrypted_content: 'e' }),
    blockStop(0),
    ...messageEnd('compaction', { output_tokens: 1, iterations: [{ type: 'compaction' }] }),
  ],
  'truncated with an open call': [
    messageStart(),
    ...textBlock(0, 'I write.'),
    ...toolBlock(1, 'write', '{"n": 12').slice(0, -1),
    ...messageEnd('max_tokens'),
  ],
  'refused with an open call': [
    messageStart(),
    ...toolBlock(0, 'bash', '{"command": "rm -').slice(0, -1),
    {
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_details: { category: 'cyber' } },
    },
    { type: 'message_stop' },
  ],
  'whole in its start': [
    messageStart({
      content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 }, caller: { type: 'x' } }],
      stop_reason: 'tool_use',
    }),
    { type: 'message_stop' },
  ],
}

const folder = fileURLToPath(new URL('../../../../../../shared/recordings/', import.meta.url))

/** Recorded streams of the API, small ones and at most this many; none without recordings beside the repository. */
export async function someRecordings(most: number): Promise<readonly Recording[]> {
  if (!existsSync(folder)) return []
  const small = (await loadRecordings(folder)).filter(({ body }) => body.length < 40_000)
  const stride = Math.ceil(small.length / most)
  return small.filter((_, place) => place % stride === 0)
}
