import { MillraceError } from '../errors/index.ts'
import { isJsonObject } from '../json/index.ts'
import type { AgentOptions } from './create-agent.ts'

/** The known options, to detect misspelt ones. */
const known: Readonly<Record<keyof AgentOptions, true>> = {
  name: true,
  description: true,
  model: true,
  system: true,
  tools: true,
  subagents: true,
  subagentsNeedApproval: true,
  maxSteps: true,
  maxTokens: true,
  maxParallelTools: true,
  maxResultChars: true,
  maxKeptChars: true,
  maxKeptSubagents: true,
  retries: true,
  retryDelayMs: true,
  maxRetryDelayMs: true,
  cutAnswers: true,
  abortGraceMs: true,
  cachePrompt: true,
  compactor: true,
  prices: true,
  files: true,
  finalAnswerCheck: true,
  maxAnswerChecks: true,
  telemetry: true,
  createId: true,
  wait: true,
  random: true,
  onNotice: true,
  onError: true,
}

/** Throws an error for invalid options of an agent. */
export function checkAgentOptions(options: AgentOptions): void {
  const { name, model } = options
  if (typeof name !== 'string' || name.trim() === '')
    throw new MillraceError('bad_request', 'An agent needs a `name`.')
  if (typeof model?.stream !== 'function')
    throw new MillraceError(
      'bad_request',
      'An agent needs a `model`, such as anthropic("claude-…") of millrace/anthropic.',
    )
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(known, option))
  if (unknown === undefined) return
  const names = Object.keys(known).join(', ')
  throw new MillraceError(
    'bad_request',
    `An agent has no option \`${unknown}\`; the options are: ${names}.`,
  )
}

/** Throws an error for a value that is no state of an agent. */
export function checkState(state: unknown): void {
  if (isJsonObject(state) && Array.isArray(state['messages']) && typeof state['agent'] === 'string')
    return
  throw new MillraceError(
    'bad_request',
    '`state` is not an agent state; pass the `state` of a checkpoint or of a result.',
  )
}
