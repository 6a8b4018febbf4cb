import fc from 'fast-check'
import type { Envelope } from '../../../src/events/index.ts'

const agents = ['root', 'left', 'right']
const agent = fc.constantFrom(...agents)
const delta = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('', '{"a":', '1}', '{}', '[]'))

function contentOf(toolId: fc.Arbitrary<string>): fc.Arbitrary<Envelope> {
  const prose = fc.record({
    type: fc.constantFrom('text', 'thinking', 'user_message'),
    id: fc.constantFrom('', 'p'),
  })
  const tool = fc.record({
    type: fc.constantFrom('tool_call', 'server_tool_call', 'tool_result', 'server_tool_result'),
    id: toolId,
    name: fc.constantFrom('grind', 'sift'),
  })
  return fc
    .tuple(fc.oneof(prose, tool), agent, fc.boolean(), delta)
    .map(([base, who, final, text]) => ({ ...base, agent: who, final, delta: text }))
}

function itemOf(toolId: fc.Arbitrary<string>): fc.Arbitrary<Envelope> {
  const citation = fc.record({ type: fc.constant('citation'), citation_type: fc.constant('page') })
  const image = fc.record({
    type: fc.constant('tool_result_image'),
    id: toolId,
    src: fc.constant('/i'),
    media_type: fc.constant('image/png'),
  })
  const status = fc.record({
    type: fc.constant('tool_status'),
    id: toolId,
    name: fc.constant('grind'),
    stage: fc.constantFrom('approved', 'progress'),
  })
  const more = fc.constantFrom(undefined, { delta: 'text' as const })
  return fc
    .tuple(fc.oneof(citation, image, status), agent, delta, more)
    .map(([base, who, text, goesOn]) => ({
      ...base,
      agent: who,
      final: false,
      delta: text,
      ...(goesOn && { more: goesOn }),
    }))
}

function payloadOf(toolId: fc.Arbitrary<string>): fc.Arbitrary<Envelope> {
  const simple = fc.constantFrom(
    ['meta_init', '{"user_query":"q","run_id":"r"}'],
    ['meta_init', '{"parent_agent_uuid":"root","parent_tool_use_id":"t1","name":"kid"}'],
    ['meta_step', '{"step":1}'],
    ['meta_files', '{"files":[{"file_id":"f"},{"file_id":"g"}]}'],
    ['meta_final', '{"stop_reason":"end_turn"}'],
    ['meta_end', '{"stop_reason":"end_turn"}'],
    ['meta_end', '{"stop_reason":"aborted"}'],
    ['rollback', '{"step":1}'],
    ['error', '{"message":"m"}'],
    ['error', 'no json'],
    ['aborted', '{}'],
    ['compaction_start', '{}'],
    ['compaction_end', '{}'],
    ['from_the_future', '{}'],
  )
  const awaiting = fc
    .tuple(fc.constantFrom('awaiting_frontend_tools', 'awaiting_approval'), toolId)
    .map(([type, id]) => [type, `[{"tool_use_id":"${id}"}]`])
  return fc
    .tuple(fc.oneof(simple, awaiting), agent, fc.boolean())
    .map(([[type = '', text = ''], who, final]) => ({ type, agent: who, final, delta: text }))
}

/** Envelopes of every type in any order, valid or not. */
export function arbitraryStream(
  toolId: fc.Arbitrary<string> = fc.constantFrom('t1', 't2', 't3'),
): fc.Arbitrary<Envelope[]> {
  const message = fc.oneof(
    { weight: 6, arbitrary: contentOf(toolId) },
    { weight: 1, arbitrary: itemOf(toolId) },
    { weight: 2, arbitrary: payloadOf(toolId) },
  )
  return fc.array(message, { maxLength: 60 })
}
