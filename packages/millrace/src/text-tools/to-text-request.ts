import type { ModelRequest, ToolSchema } from '../events/index.ts'
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
import type { SegmentTextOptions } from './segment-text.ts'
import type { ToolNotation } from './tool-notation.ts'
import { writeMessages } from './write-messages.ts'

/** What the parser of the text is told by other options. */
type ChosenElsewhere =
  | 'createId'
  | 'environment'
  | 'formats'
  | 'projections'
  | 'provider'
  | 'strategy'

/** How a model is told of tools in text, and how its text is read. */
export interface TextRequestOptions
  extends SyntaxChoice, Omit<SegmentParserOptions, ChosenElsewhere> {}

/** A request without tools, and how to find the calls in the text that answers it. */
export interface TextRequest {
  readonly request: ModelRequest
  readonly segments: SegmentTextOptions
  /** Whether calls in the answer are to be run. */
  readonly mayCall: boolean
}

/** Turns the tools, calls and results of a request into text. */
export function toTextRequest(
  { tools = [], toolChoice, messages, system, ...asked }: ModelRequest,
  { modelId, options }: { readonly modelId: string; readonly options: TextRequestOptions },
): TextRequest {
  const { syntax: _, formats: __, notation: ___, ...parsing } = options
  const { notation, formats, besides } = chooseSyntax(options, modelId)
  const types: ToolParameters = { ...toTypes(tools), ...options.tools }
  const prompt = toPrompt(tools, { notation, types, toolChoice })
  const told = [system, ...prompt].filter((text) => text !== undefined)
  return {
    mayCall: tools.length > 0 && toolChoice !== 'none',
    request: {
      ...asked,
      messages: writeMessages(messages, { notation, types }),
      ...(told.length > 0 && { system: told.join('\n\n') }),
    },
    segments: {
      knownTools: tools.map(({ name }) => name),
      ...parsing,
      tools: types,
      // Where no tool is offered, what looks like a call is text.
      formats: tools.length === 0 ? besides : formats,
      projections: projects(formats) ? projectionsFor(types) : {},
    },
  }
}

/** Files and commands are taken from these tags as they stand; elsewhere the arguments are the model's own JSON. */
function projects(formats: readonly Format[]): boolean {
  return formats.includes(presets['seed-xml'])
}

function toTypes(tools: readonly ToolSchema[]): ToolParameters {
  const types = tools.map(({ name, inputSchema }) => [name, toParameterTypes(inputSchema)] as const)
  return Object.fromEntries(types)
}

interface PromptOptions {
  readonly notation: ToolNotation
  readonly types: ToolParameters
  readonly toolChoice: ModelRequest['toolChoice']
}

const NO_CALLS = 'Call no tool in your next message: answer in words.'

function toPrompt(
  [first, ...others]: readonly ToolSchema[],
  { toolChoice, ...options }: PromptOptions,
): string[] {
  if (first === undefined) return []
  const prompt = toToolPrompt([first, ...others], options)
  return toolChoice === 'none' ? [prompt, NO_CALLS] : [prompt]
}
