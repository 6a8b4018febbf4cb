import type { Message, ModelRequest, ToolSchema } from '../events/index.ts'
import {
  type Format,
  presets,
  type SegmentParserOptions,
  toParameterTypes,
  type ToolParameters,
} from '../segments/index.ts'
import { chooseSyntax, type SyntaxChoice } from './choose-syntax.ts'
import { projectionsFor } from './projected-tools.ts'
import { toToolPrompt } from './prompt/tool-prompt.ts'
import type { HiddenCallChoice, SegmentTextOptions } from './segment-text.ts'
import { writeMessages } from './write-messages.ts'
import { toWrittenPlan } from './written-plan.ts'

/** What the parser of the text is told by other options. */
type ChosenElsewhere =
  | 'compatibility'
  | 'createId'
  | 'environment'
  | 'formats'
  | 'projections'
  | 'provider'
  | 'strategy'

/** How a model is told of tools in text, and how its text is read. */
export interface TextRequestOptions
  extends SyntaxChoice, HiddenCallChoice, Omit<SegmentParserOptions, ChosenElsewhere> {}

/** A request without tools, and how to find the calls in the text that answers it. */
export interface TextRequest {
  readonly request: ModelRequest
  readonly segments: SegmentTextOptions
  /** Whether calls in the answer are to be run. */
  readonly mayCall: boolean
}

/** Turns the tools, calls and results of a request into text. */
export function toTextRequest(
  { tools = [], toolChoice, messages: said, system, cache, ...asked }: ModelRequest,
  { modelId, options }: { readonly modelId: string; readonly options: TextRequestOptions },
): TextRequest {
  const { syntax: _, formats: __, notation: ___, ...parsing } = options
  const { notation, formats, besides } = chooseSyntax(options, modelId)
  const types: ToolParameters = { ...toTypes(tools), ...options.tools }
  const [first, ...others] = tools
  const prompt = first && toToolPrompt([first, ...others], { notation, types })
  const told = [system, prompt].filter((text) => text !== undefined)
  const { messages, counts } = writeMessages(said, { notation, types })
  const isForbidden = first !== undefined && toolChoice === 'none'
  const mayCall = first !== undefined && !isForbidden
  return {
    mayCall,
    request: {
      ...asked,
      messages: isForbidden ? forbidCalls(messages) : messages,
      ...(told.length > 0 && { system: told.join('\n\n') }),
      ...(cache !== undefined && { cache: toWrittenPlan(cache, counts) }),
    },
    segments: {
      knownTools: tools.map(({ name }) => name),
      ...parsing,
      ...(!mayCall && { hiddenCalls: 'notice' }),
      tools: types,
      // Where no tool is offered, what looks like a call is text.
      formats: tools.length === 0 ? besides : formats,
      projections: projects(formats) ? projectionsFor(types) : {},
    },
  }
}

/** Files and commands are taken from these tags as they stand; elsewhere the arguments are the model's own JSON. */
function projects(formats: readonly Format[]): boolean {
  return formats.some(({ name }) => name === presets['seed-xml'].name)
}

function toTypes(tools: readonly ToolSchema[]): ToolParameters {
  const types = tools.map(({ name, inputSchema }) => [name, toParameterTypes(inputSchema)] as const)
  return Object.fromEntries(types)
}

const NO_CALLS = 'Call no tool in your next message: answer in words.'

/** Said last, so that what the provider has cached of the conversation stays valid. */
function forbidCalls(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1)
  const told = { type: 'text', text: NO_CALLS }
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [told] }]
  return [...messages.slice(0, -1), { ...last, content: [...last.content, told] }]
}
