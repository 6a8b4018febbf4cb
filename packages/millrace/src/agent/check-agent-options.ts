import { badRequest, checkOptions, type OptionTypes } from '../errors/index.ts'
import { isJsonObject } from '../json/index.ts'
import type { AgentOptions } from './create-agent.ts'

const types: OptionTypes<AgentOptions> = {
  name: 'string',
  description: 'string',
  model: 'object',
  system: 'any',
  tools: 'any',
  toolChoice: 'any',
  subagents: 'list',
  subagentsNeedApproval: 'boolean',
  maxSteps: 'number',
  stopWhen: 'function',
  beforeStep: 'function',
  afterStep: 'function',
  onToolCall: 'function',
  maxTokens: 'number',
  maxParallelTools: 'number',
  maxResultChars: 'number',
  maxKeptChars: 'number',
  maxKeptSubagents: 'number',
  retries: 'number',
  retryDelayMs: 'number',
  maxRetryDelayMs: 'number',
  cutAnswers: 'string',
  abortGraceMs: 'number',
  cachePrompt: 'boolean',
  compactor: 'any',
  prices: 'object',
  files: 'object',
  output: 'object',
  finalAnswerCheck: 'function',
  maxAnswerChecks: 'number',
  telemetry: 'object',
  createId: 'function',
  wait: 'function',
  random: 'function',
  onNotice: 'function',
  onError: 'function',
}

/** Names of other libraries for the same options. */
const foreignNames = {
  instructions: 'system',
  systemPrompt: 'system',
  maxTurns: 'maxSteps',
  maxOutputTokens: 'maxTokens',
  tool_choice: 'toolChoice',
  prepareStep: 'beforeStep',
  onStepFinish: 'afterStep',
  outputType: 'output',
  outputSchema: 'output',
}

/** Throws an error for invalid options of an agent. */
export function checkAgentOptions(options: AgentOptions): void {
  checkOptions('createAgent', options, types, foreignNames)
  const { name, model } = options
  if (typeof name !== 'string' || name.trim() === '') throw badRequest('An agent needs a `name`.')
  if (typeof model?.stream !== 'function')
    throw badRequest(
      'An agent needs a `model`, such as anthropic("claude-…") of millrace/anthropic.',
    )
}

/** Throws an error for a value that is no state of an agent. */
export function checkState(state: unknown): void {
  if (isJsonObject(state) && Array.isArray(state['messages']) && typeof state['agent'] === 'string')
    return
  throw badRequest(
    '`state` is not an agent state; pass the `state` of a checkpoint or of a result.',
  )
}
