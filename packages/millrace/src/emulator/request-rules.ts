import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { decodeList } from './request-content.ts'
import { refuse } from './request-problem.ts'
import { apiVersions } from './request-headers.ts'

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
export function refuseSampling(body: JsonObject): void {
  for (const name of samplingParameters) {
    if (Object.hasOwn(body, name))
      throw refuse(name, `is not taken since version ${apiVersions.later}`)
  }
}

/** Checks the sampling parameters of the earlier version. */
export function checkSampling({ temperature, top_p: topP }: JsonObject): void {
  checkShare('temperature', temperature)
  checkShare('top_p', topP)
}

function checkShare(name: string, value: JsonValue | undefined): void {
  const isShare = typeof value === 'number' && value >= 0 && value <= 1
  if (value !== undefined && !isShare) throw refuse(name, 'must be a number from 0 to 1')
}

/** Decodes the stop sequences. */
export function decodeStopSequences(value: JsonValue | undefined): string[] {
  return decodeList(value ?? [], 'stop_sequences').map((sequence, index) => {
    if (typeof sequence === 'string' && sequence.trim() !== '') return sequence
    throw refuse(`stop_sequences.${index}`, 'must hold more than white space')
  })
}

/** Checks the system prompt: a text, or a list of text blocks that are not empty. */
export function checkSystem(value: JsonValue | undefined): void {
  if (value === undefined || typeof value === 'string') return
  decodeList(value, 'system').forEach((block, index) => {
    const { type, text } = isJsonObject(block) ? block : {}
    if (type !== 'text' || typeof text !== 'string' || text.trim() === '')
      throw refuse(`system.${index}`, 'must be a text block that holds more than white space')
  })
}

/** Checks the thinking options. */
export function checkThinking(value: JsonValue | undefined, maxTokens: number): void {
  if (value === undefined) return
  const { type = '', budget_tokens: budget } = isJsonObject(value) ? value : {}
  if (typeof type !== 'string' || !thinkingTypes.includes(type)) {
    throw refuse('thinking.type', `must be ${thinkingTypes.join(' or ')}`)
  }
  if (type !== 'enabled') return
  if (typeof budget !== 'number' || budget < minBudgetTokens) {
    throw refuse('thinking.budget_tokens', `must be at least ${minBudgetTokens}`)
  }
  if (budget >= maxTokens) throw refuse('thinking.budget_tokens', 'must be less than max_tokens')
}

/** Checks that a required tool is among the offered tools. */
export function checkToolChoice(value: JsonValue | undefined, tools: ReadonlySet<string>): void {
  if (value === undefined) return
  const { type = '', name } = isJsonObject(value) ? value : {}
  if (typeof type !== 'string' || !choiceTypes.includes(type)) {
    throw refuse('tool_choice.type', `must be ${choiceTypes.join(' or ')}`)
  }
  if (tools.size === 0) throw refuse('tool_choice', 'needs tools to choose from')
  if (type === 'tool' && (typeof name !== 'string' || !tools.has(name))) {
    throw refuse('tool_choice.name', `there is no tool ${String(name)}`)
  }
}
