import { agUiFormat } from '../../../src/protocols/ag-ui/index.ts'
import { aiSdkFormat } from '../../../src/protocols/ai-sdk/ui-writer.ts'
import type { LogFormat } from '../../../src/protocols/port/log-format.ts'
import { rawFormat } from '../../../src/protocols/raw/raw-writer.ts'
import { segmentsFormat } from '../../../src/protocols/segments/segments-writer.ts'
import { xmlFormat } from '../../../src/protocols/xml/xml-format.ts'
import { openFormat } from '../../../src/protocols/port/open-format.ts'
import { encodeEnvelope, type Envelope } from '../../../src/events/index.ts'
import type { JsonObject } from '../../../src/json/index.ts'
import { encodeSse } from '../../../src/sse/index.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  messageEnd,
  messageStart,
  textBlock,
  toBody,
  toolBlock,
} from '../models/anthropic-events.ts'
import * as chat from '../models/chat-chunks.ts'

const agent = 'a0000000-0000-4000-8000-000000000001'

/** A message of the API with a bit of everything. */
export const apiEvents: JsonObject[] = [
  messageStart({ id: 'msg_7' }),
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
  blockDelta(0, 'thinking_delta', { thinking: 'A wheel,\nthen?' }),
  blockDelta(0, 'signature_delta', { signature: 'sealed' }),
  blockStop(0),
  { type: 'ping' },
  blockStart(1, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
  blockDelta(1, 'input_json_delta', { partial_json: '{"query":"mill"}' }),
  blockStop(1),
  blockStart(2, {
    type: 'web_search_tool_result',
    tool_use_id: 'srv_1',
    content: [{ type: 'web_search_result', url: 'https://mill.example/', title: 'Mill' }],
  }),
  blockStop(2),
  blockStart(3, { type: 'text', text: '', citations: [] }),
  blockDelta(3, 'citations_delta', {
    citation: {
      type: 'web_search_result_location',
      cited_text: 'It turns.',
      url: 'https://mill.example/',
      title: 'Mill',
      encrypted_index: 'sealed',
    },
  }),
  blockDelta(3, 'text_delta', { text: 'The wheel “turns”\r\n' }),
  blockStop(3),
  ...textBlock(4, '<at> ', 'night.'),
  ...toolBlock(5, 'grind', '{"kg": 1.50', ', "n": 900719925474099312345}'),
  ...messageEnd('tool_use', { output_tokens: 9 }),
]

const chatChunks: JsonObject[] = [
  chat.delta({ role: 'assistant', content: '' }),
  chat.delta({ reasoning_content: 'A wheel?' }),
  chat.text('The wheel '),
  chat.text('turns.'),
  chat.calls({ index: 0, id: 'call_a', function: { name: 'grind', arguments: '{"kg":' } }),
  chat.calls({ index: 0, function: { arguments: '1}' } }),
  chat.finish('tool_calls'),
  chat.usage({ prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 }),
]

const say = (type: string, delta: string, fields: JsonObject = {}, final = true): Envelope => ({
  type,
  agent,
  final,
  delta,
  ...fields,
})

const child = { agent: 'c0000000-0000-4000-8000-000000000002' }
const call = { id: 'toolu_1', name: 'grind' }

/** A run of two steps with a result, an image and a sub-agent. */
export const runEnvelopes: Envelope[] = [
  say('meta_init', `{"format":"json","user_query":"Go","agent_uuid":"${agent}","model":"model-1"}`),
  say('thinking', 'A wheel?', {}, false),
  say('thinking', ''),
  say('text', 'The wheel ', {}, false),
  say('text', 'turns.', {}, false),
  say('text', ''),
  say('citation', 'It turns.', { citation_type: 'page_location', document_index: 0 }),
  say('tool_call', '{"kg":1.50}', call),
  say(
    'meta_step',
    '{"step":1,"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":4}}',
  ),
  { ...say('meta_init', `{"agent_uuid":"c","parent_agent_uuid":"${agent}"}`), ...child },
  { ...say('text', 'Child.', {}, false), ...child },
  { ...say('text', ''), ...child },
  { ...say('meta_end', '{"stop_reason":"end_turn"}'), ...child },
  say('tool_result', 'Flour', call, false),
  say('tool_result_image', '', { ...call, src: '/i/1', media_type: 'image/png' }, false),
  say('tool_result', '', call),
  say('text', 'Done: ', {}, false),
  say('text', '1.5 kg.', {}, false),
  say('text', ''),
  say(
    'meta_step',
    '{"step":2,"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":6}}',
  ),
  say('meta_end', '{"stop_reason":"end_turn","total_steps":2}'),
]

const done = encodeSse({ data: '[DONE]' })

/** The same run as a server would send it in another format. */
function toFormat(format: LogFormat): string {
  const writer = openFormat(format, agent)
  const frames = runEnvelopes.flatMap((one, index) => writer.write(one, index + 1))
  const end = format.done === undefined ? [] : [{ data: format.done }]
  return [...frames, ...writer.finish('done'), ...end].map(encodeSse).join('')
}

/** A stream of each format that `millrace convert` reads. */
export const fixtures: Readonly<Record<string, string>> = {
  anthropic: toBody(apiEvents),
  openai: chat.toBody(chatChunks),
  json:
    runEnvelopes
      .map((one, index) => encodeSse({ id: index + 1, data: encodeEnvelope(one) }))
      .join('') + done,
  raw: toFormat(rawFormat()),
  segments: toFormat(segmentsFormat({ agents: 'all' })),
  'ai-sdk': toFormat(aiSdkFormat()),
  'ag-ui': toFormat(agUiFormat()),
  xml: toFormat(xmlFormat()),
}
