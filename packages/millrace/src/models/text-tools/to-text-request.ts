import type {
  CachePlan,
  Message,
  ModelRequest,
  ToolChoice,
  ToolSchema,
} from '../../events/index.ts'
import {
  type Format,
  presets,
  type SegmentParserOptions,
  toParameterTypes,
  type ToolParameters,
} from '../../segments/index.ts'
import { chooseSyntax, type SyntaxChoice } from './choose-syntax.ts'
import { projectionsFor } from './projected-tools.ts'
import { toToolPrompt } from './prompt/tool-prompt.ts'
import type { HiddenCallChoice, SegmentTextOptions } from './segment-text.ts'
import { writeMessages } from './write-messages.ts'

/** Parser options that other options determine. */
type DerivedOption =
  | 'compatibility'
  | 'createId'
  | 'environment'
  | 'formats'
  | 'projections'
  | 'provider'
  | 'strategy'

/** Options for describing tools in text, and for reading the answer. */
export interface TextRequestOptions
  extends SyntaxChoice, HiddenCallChoice, Omit<SegmentParserOptions, DerivedOption> {}

/** A request without tools, and the options for finding the calls in its answer. */
interface TextRequest {
  readonly request: ModelRequest
  readonly segments: SegmentTextOptions
  /** Whether calls in the answer are to be run. */
  readonly mayCall: boolean
}

/** Converts the tools, calls and results of a request to text. */
export function toTextRequest(
  { tools = [], toolChoice, messages: history, system, cache, ...asked }: ModelRequest,
  { modelId, options }: { readonly modelId: string; readonly options: TextRequestOptions },
): TextRequest {
  const { syntax: _, formats: __, notation: ___, ...parsing } = options
  const { notation, formats, otherFormats } = chooseSyntax(options, modelId)
  const types: ToolParameters = { ...toTypes(tools), ...options.tools }
  const [first, ...others] = tools
  const prompt = first && toToolPrompt([first, ...others], { notation, types })
  const systemTexts = [system, prompt].filter((text) => text !== undefined)
  const { messages, counts } = writeMessages(history, { notation, types })
  const mayCall = first !== undefined && toolChoice !== 'none'
  const instruction = first && toInstruction(toolChoice)
  return {
    mayCall,
    request: {
      ...asked,
      messages: instruction === undefined ? messages : instruct(messages, instruction),
      ...(systemTexts.length > 0 && { system: systemTexts.join('\n\n') }),
      ...(cache !== undefined && { cache: toWrittenPlan(cache, counts) }),
    },
    segments: {
      knownTools: tools.map(({ name }) => name),
      ...parsing,
      ...(!mayCall && { hiddenCalls: 'notice' }),
      tools: types,
      // If no tool is offered, text that looks like a call is text.
      formats: tools.length === 0 ? otherFormats : formats,
      projections: projects(formats) ? projectionsFor(types) : {},
    },
  }
}

/** Files and commands are read verbatim from these tags; elsewhere the arguments are the model's own JSON. */
function projects(formats: readonly Format[]): boolean {
  return formats.some(({ name }) => name === presets['seed-xml'].name)
}

function toTypes(tools: readonly ToolSchema[]): ToolParameters {
  const types = tools.map(({ name, inputSchema }) => [name, toParameterTypes(inputSchema)] as const)
  return Object.fromEntries(types)
}

const NO_CALLS = 'Call no tool in your next message: answer in words.'

/** States a tool choice in words. A model without native calls cannot be forced. */
function toInstruction(choice: ToolChoice = 'auto'): string | undefined {
  if (choice === 'auto') return undefined
  if (choice === 'none') return NO_CALLS
  const called = choice === 'required' ? 'a tool' : `the tool ${choice.tool}`
  return `Your next message must call ${called}.`
}

/** Added last, so that the provider's cache of the conversation stays valid. */
function instruct(messages: readonly Message[], text: string): readonly Message[] {
  const last = messages.at(-1)
  const instruction = { type: 'text', text }
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [instruction] }]
  return [...messages.slice(0, -1), { ...last, content: [...last.content, instruction] }]
}

/** Converts the cache plan to messages whose blocks were replaced as `counts` records; tools are in the prompt. */
function toWrittenPlan(
  { system = false, tools = false, blocks = [] }: CachePlan,
  counts: readonly (readonly number[])[],
): CachePlan {
  const marks = blocks.flatMap(({ message, block }) => {
    const written = sum((counts[message] ?? []).slice(0, block + 1))
    const kept = counts.slice(0, message).filter((row) => sum(row) > 0)
    return written === 0 ? [] : [{ message: kept.length, block: written - 1 }]
  })
  return { ...((system || tools) && { system: true }), blocks: marks }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
