import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import { decodeList, invalidRequest } from './request-content.ts'
import type { ApiError } from '../routes/api-error.ts'

/** The API versions that the emulator accepts; their streams are alike. */
export const apiVersions = { earlier: '2023-06-01', later: '2026-10-21' } as const

/** Returns an error if a required header is missing or invalid. */
export function findHeaderProblem(headers: Headers): ApiError | undefined {
  const key = headers.get('x-api-key') ?? bearerOf(headers) ?? ''
  if (key.trim() === '') {
    const message =
      'A key is missing: send x-api-key or Authorization: Bearer. Any key will do here.'
    return { type: 'authentication_error', message }
  }
  const version = headers.get('anthropic-version')
  const versions: readonly (string | null)[] = Object.values(apiVersions)
  if (versions.includes(version)) return undefined
  const message = `anthropic-version: must be ${versions.join(' or ')}`
  return { type: 'invalid_request_error', message }
}

function bearerOf(headers: Headers): string | undefined {
  return /^Bearer\s+(.*)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

/** Known fields of a request, beta fields included. */
const knownFields: ReadonlySet<string> = new Set([
  'betas',
  'cache_control',
  'compaction',
  'container',
  'context_management',
  'diagnostics',
  'fallback_credit_token',
  'fallbacks',
  'inference_geo',
  'max_tokens',
  'mcp_servers',
  'messages',
  'metadata',
  'model',
  'output_config',
  'output_format',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'thread',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
  'user_profile_id',
  'workspace_id',
])

const samplingParameters = ['temperature', 'top_p', 'top_k']
const thinkingTypes = ['adaptive', 'between_tools', 'disabled', 'enabled']
const choiceTypes = ['any', 'auto', 'none', 'tool']
const minBudgetTokens = 1024

/** Returns the peculiarities of a request that is accepted nevertheless. */
export function noticesOf(body: JsonObject): string[] {
  return Object.keys(body)
    .filter((field) => !knownFields.has(field))
    .map((field) => `unknown field ${field}`)
}

/** Rejects the sampling parameters that the later version has removed, even with their default value. */
export function rejectSampling(body: JsonObject): void {
  for (const name of samplingParameters) {
    if (Object.hasOwn(body, name))
      throw invalidRequest(name, `is not accepted since version ${apiVersions.later}`)
  }
}

/** Checks the sampling parameters of the earlier version. */
export function checkSampling({ temperature, top_p: topP }: JsonObject): void {
  checkShare('temperature', temperature)
  checkShare('top_p', topP)
}

function checkShare(name: string, value: JsonValue | undefined): void {
  const isShare = typeof value === 'number' && value >= 0 && value <= 1
  if (value !== undefined && !isShare) throw invalidRequest(name, 'must be a number from 0 to 1')
}

/** Decodes stop sequences; throws for blank ones. */
export function decodeStopSequences(value: JsonValue | undefined): string[] {
  return decodeList(value ?? [], 'stop_sequences').map((sequence, index) => {
    if (typeof sequence === 'string' && sequence.trim() !== '') return sequence
    throw invalidRequest(`stop_sequences.${index}`, 'must hold more than white space')
  })
}

/** Checks the system prompt: a text, or a list of text blocks that are not empty. */
export function checkSystem(value: JsonValue | undefined): void {
  if (value === undefined || typeof value === 'string') return
  decodeList(value, 'system').forEach((block, index) => {
    const { type, text } = isJsonObject(block) ? block : {}
    if (type !== 'text' || typeof text !== 'string' || text.trim() === '')
      throw invalidRequest(
        `system.${index}`,
        'must be a text block that holds more than white space',
      )
  })
}

/** Throws for an invalid `thinking`. */
export function checkThinking(value: JsonValue | undefined, maxTokens: number): void {
  if (value === undefined) return
  const { type = '', budget_tokens: budget } = isJsonObject(value) ? value : {}
  if (typeof type !== 'string' || !thinkingTypes.includes(type)) {
    throw invalidRequest('thinking.type', `must be ${thinkingTypes.join(' or ')}`)
  }
  if (type !== 'enabled') return
  if (typeof budget !== 'number' || budget < minBudgetTokens) {
    throw invalidRequest('thinking.budget_tokens', `must be at least ${minBudgetTokens}`)
  }
  if (budget >= maxTokens)
    throw invalidRequest('thinking.budget_tokens', 'must be less than max_tokens')
}

/** Checks that a required tool is among the offered tools. */
export function checkToolChoice(value: JsonValue | undefined, tools: ReadonlySet<string>): void {
  if (value === undefined) return
  const { type = '', name } = isJsonObject(value) ? value : {}
  if (typeof type !== 'string' || !choiceTypes.includes(type)) {
    throw invalidRequest('tool_choice.type', `must be ${choiceTypes.join(' or ')}`)
  }
  if (tools.size === 0) throw invalidRequest('tool_choice', 'needs tools to choose from')
  if (type === 'tool' && (typeof name !== 'string' || !tools.has(name))) {
    throw invalidRequest('tool_choice.name', `there is no tool ${String(name)}`)
  }
}

/** Maximum number of blocks with `cache_control` in a request. */
const MAX_CACHED_BLOCKS = 4

const thoughts: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/** Rejects a request with `cache_control` in a place that the API does not accept, or on too many blocks. */
export function checkCacheControl({ system, tools, messages }: JsonObject): void {
  const count = [system, tools, messages].reduce<number>(
    (sum, part) => sum + countCacheControl(part),
    0,
  )
  if (count > MAX_CACHED_BLOCKS)
    throw invalidRequest(
      'cache_control',
      `at most ${MAX_CACHED_BLOCKS} blocks may have it, but ${count} do`,
    )
}

/** Counts `cache_control` on tools, on blocks, and on blocks inside messages and tool results; never inside tool input. */
function countCacheControl(part: JsonValue | undefined): number {
  if (isJsonArray(part)) return part.reduce<number>((sum, item) => sum + countCacheControl(item), 0)
  if (!isJsonObject(part)) return 0
  const { type, cache_control: mark, content } = part
  if (isJsonObject(mark) && thoughts.has(type))
    throw invalidRequest('cache_control', `is not allowed on a ${String(type)} block`)
  return (isJsonObject(mark) ? 1 : 0) + countCacheControl(content)
}
