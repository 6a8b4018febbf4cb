import fc from 'fast-check'
import type { ScriptedBlock, ScriptedCitation, ScriptedReply } from 'millrace-tools/emulator'
import type { JsonObject } from '../../../src/json/index.ts'

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
const input = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), {
  maxKeys: 4,
}) as fc.Arbitrary<JsonObject>

const document = { document_index: 0, document_title: 'A book', file_id: null }

/** One citation of each kind, in the form of the API. */
export const citations: readonly ScriptedCitation[] = [
  { type: 'char_location', cited_text: 'a', ...document, start_char_index: 0, end_char_index: 1 },
  { type: 'page_location', cited_text: 'b', ...document, start_page_number: 1, end_page_number: 2 },
  {
    type: 'content_block_location',
    cited_text: 'c',
    ...document,
    start_block_index: 0,
    end_block_index: 1,
  },
  {
    type: 'web_search_result_location',
    cited_text: 'd',
    url: 'https://example.com/',
    title: null,
    encrypted_index: 'x',
  },
  {
    type: 'search_result_location',
    cited_text: 'e',
    search_result_index: 0,
    source: 's',
    title: null,
    start_block_index: 0,
    end_block_index: 1,
  },
]

/** A call of the provider, and its result. */
export const ownPairs: readonly (readonly [ScriptedBlock, ScriptedBlock])[] = [
  [
    { type: 'server_tool_use', name: 'web_search', input: { query: 'q' } },
    { type: 'web_search_tool_result', content: [] },
  ],
  [
    { type: 'server_tool_use', name: 'web_fetch', input: { url: 'https://example.com/' } },
    {
      type: 'web_fetch_tool_result',
      content: { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' },
    },
  ],
  [
    { type: 'server_tool_use', name: 'code_execution', input: { code: '1' } },
    {
      type: 'code_execution_tool_result',
      content: {
        type: 'code_execution_result',
        stdout: '1',
        stderr: '',
        return_code: 0,
        content: [],
      },
    },
  ],
  [
    { type: 'server_tool_use', name: 'bash_code_execution', input: { command: 'ls' } },
    {
      type: 'bash_code_execution_tool_result',
      content: {
        type: 'bash_code_execution_result',
        stdout: '',
        stderr: '',
        return_code: 0,
        content: [],
      },
    },
  ],
  [
    { type: 'server_tool_use', name: 'text_editor_code_execution', input: { command: 'view' } },
    {
      type: 'text_editor_code_execution_tool_result',
      content: { type: 'text_editor_code_execution_create_result', is_file_update: true },
    },
  ],
  [
    { type: 'server_tool_use', name: 'tool_search_tool_regex', input: { pattern: 'x' } },
    {
      type: 'tool_search_tool_result',
      content: { type: 'tool_search_tool_search_result', tool_references: [] },
    },
  ],
  [
    { type: 'mcp_tool_use', name: 'search', serverName: 'archive', input: { q: 1 } },
    { type: 'mcp_tool_result', content: 'found', fields: { is_error: false } },
  ],
]

const block: fc.Arbitrary<readonly ScriptedBlock[]> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }).map((text) => [text]),
  fc
    .record({
      type: fc.constant('text' as const),
      text: fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
      citations: fc.subarray([...citations], { minLength: 1 }),
    })
    .map((text) => [text]),
  fc.record({ type: fc.constant('thinking' as const), thinking: fc.string() }).map((one) => [one]),
  fc.constant([{ type: 'redacted_thinking' } as const]),
  fc
    .record({ type: fc.constant('tool_use' as const), name: fc.constant('f'), input })
    .map((call) => [call]),
  fc
    .record({ type: fc.constant('tool_use' as const), name: fc.constant('g'), input })
    .map((call) => [{ ...call, isWhole: true, fields: { caller: { type: 'direct' } } }]),
  fc.constantFrom(...ownPairs).map(([call, result]) => [call, result]),
  fc
    .record({ type: fc.constant('compaction' as const), content: fc.option(fc.string()) })
    .map((one) => [one]),
  fc.constant([{ type: 'raw', block: { type: 'container_upload', file_id: 'file_1' } } as const]),
  fc.constant([{ type: 'raw', block: { type: 'never_seen', of: ['it'] } } as const]),
)

/** Complete replies with everything that scripts can contain. */
export const anyReply: fc.Arbitrary<ScriptedReply> = fc
  .array(block, { maxLength: 6 })
  .map((blocks) => ({ blocks: blocks.flat() }))
