import { isJsonObject, type JsonObject, parseJsonObject } from '../json/index.ts'

const apiEvents: ReadonlySet<unknown> = new Set([
  'message_start',
  'message_delta',
  'message_stop',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message',
  'ping',
])

const hasType = ({ type }: JsonObject, pattern: RegExp): boolean =>
  typeof type === 'string' && pattern.test(type)

/** Tests of a frame's data, by format. */
const looks: Readonly<Record<string, (data: string, value: JsonObject) => boolean>> = {
  anthropic: (_, { type, error }) =>
    apiEvents.has(type) || (type === 'error' && isJsonObject(error)),
  json: (_, { agent, delta }) => typeof agent === 'string' && typeof delta === 'string',
  openai: (_, { choices }) => Array.isArray(choices),
  segments: (_, value) => hasType(value, /^(SEGMENT|STREAM)_[A-Z]+$/),
  'ai-sdk': (_, value) =>
    !('delta' in value && 'agent' in value) &&
    !('error' in value) &&
    hasType(
      value,
      /^(start|finish|abort|error|message-metadata|(text|reasoning|tool|data|source|start|finish)-.+)$/,
    ),
  'ag-ui': (_, value) =>
    hasType(
      value,
      /^(RUN|STEP|TEXT_MESSAGE|TOOL_CALL|REASONING|THINKING|STATE|MESSAGES|ACTIVITY)_[A-Z_]+$/,
    ),
  xml: (data) => /^<[\w-]+[\s>]/.test(data),
}

/** Returns the formats that the data of a frame may have, including those of providers. */
export function recognizeFormats(data: string): readonly string[] {
  const value = parseJsonObject(data) ?? {}
  return Object.keys(looks).filter((format) => looks[format]?.(data, value) === true)
}
