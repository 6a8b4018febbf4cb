import type {
  BetaContentBlock,
  BetaRawContentBlockDelta,
  BetaStopReason,
} from '@anthropic-ai/sdk/resources/beta/messages'
import type {
  ContentBlock as SdkBlock,
  RawContentBlockDelta,
  StopReason,
} from '@anthropic-ai/sdk/resources/messages'
import { describe, expect, test } from 'vitest'
import type { BlockKind, MessageOutcome } from '../../../events/index.ts'
import { blockTraitsOf } from './open-block.ts'
import { deltaRules } from './block-events.ts'
import { endOfReason } from './message-state.ts'

// Each table has a row for every name in the types of the SDK. A new version with more names does not compile.

const kinds: Record<(SdkBlock | BetaContentBlock)['type'], BlockKind> = {
  text: 'text',
  thinking: 'thinking',
  redacted_thinking: 'thinking',
  tool_use: 'tool_call',
  server_tool_use: 'server_tool_call',
  mcp_tool_use: 'server_tool_call',
  web_search_tool_result: 'server_tool_result',
  web_fetch_tool_result: 'server_tool_result',
  code_execution_tool_result: 'server_tool_result',
  bash_code_execution_tool_result: 'server_tool_result',
  text_editor_code_execution_tool_result: 'server_tool_result',
  tool_search_tool_result: 'server_tool_result',
  mcp_tool_result: 'server_tool_result',
  advisor_tool_result: 'server_tool_result',
  mcp_tool_listing: 'other',
  container_upload: 'other',
  compaction: 'other',
  fallback: 'other',
}

const effects: Record<(RawContentBlockDelta | BetaRawContentBlockDelta)['type'], string> = {
  text_delta: 'append',
  thinking_delta: 'append',
  input_json_delta: 'append',
  signature_delta: 'assign',
  compaction_delta: 'assign',
  citations_delta: 'cite',
}

const outcomes: Record<StopReason | BetaStopReason, MessageOutcome> = {
  end_turn: 'finished',
  stop_sequence: 'finished',
  tool_use: 'finished',
  refusal: 'refused',
  max_tokens: 'truncated',
  model_context_window_exceeded: 'truncated',
  pause_turn: 'paused',
  compaction: 'paused',
}

describe('every name of the official SDK is mapped', () => {
  test.each(Object.entries(kinds))('block %s: %s', (type, kind) => {
    expect(blockTraitsOf(type).kind).toBe(kind)
  })

  test.each(Object.entries(effects))('delta %s: %s', (type, effect) => {
    expect(deltaRules.get(type)?.effect).toBe(effect)
    const isTaken = Object.keys(kinds).some((block) => blockTraitsOf(block).accepts.includes(type))
    expect(isTaken).toBe(true)
  })

  test.each(Object.entries(outcomes))('stop reason %s: %s', (reason, outcome) => {
    expect(endOfReason(reason).outcome).toBe(outcome)
  })
})
