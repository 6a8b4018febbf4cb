import type { ContentBlock, Message, ModelRequest, ToolSchema } from '../events/index.ts'
import { isJsonObject } from '../json/index.ts'
import {
  auto,
  type Format,
  presetFor,
  type PresetName,
  presets,
  toParameterTypes,
} from '../segments/index.ts'
import type { SegmentTextOptions } from './segment-text.ts'
import { hermesNotation, notations, type ToolNotation } from './tool-notation.ts'
import { toToolResult } from './tool-results.ts'

/** How a model without calls of its own is told of tools and read. */
export interface SegmentsOptions extends Omit<
  SegmentTextOptions,
  'strategy' | 'provider' | 'environment'
> {
  /** How calls and results are written for the model; default: as the first of its formats that has a notation. */
  readonly notation?: ToolNotation
}

/** A request without tools, and how to find the calls in the text that answers it. */
export interface TextRequest {
  readonly request: ModelRequest
  readonly segments: SegmentTextOptions
}

/** Turns tools, calls and results into text. */
export function toTextRequest(
  { tools = [], messages, system, maxTokens }: ModelRequest,
  { modelId, options }: { readonly modelId: string; readonly options: SegmentsOptions },
): TextRequest {
  const { notation: given, formats = presetFor(modelId), ...others } = options
  const { notation, list } = chooseNotation(formats, given)
  const told = [system, describeTools(tools, notation)].filter((text) => text !== undefined)
  const types = tools.map(({ name, inputSchema }) => [name, toParameterTypes(inputSchema)] as const)
  return {
    request: {
      messages: writeAllCalls(messages, notation),
      maxTokens,
      ...(told.length > 0 && { system: told.join('\n\n') }),
    },
    segments: {
      knownTools: tools.map(({ name }) => name),
      tools: Object.fromEntries(types),
      ...others,
      formats: list,
    },
  }
}

/** A model that is told of a notation must be read in it, so one that no format has a notation for gets the usual one. */
function chooseNotation(
  formats: NonNullable<SegmentsOptions['formats']>,
  given: ToolNotation | undefined,
): { readonly notation: ToolNotation; readonly list: readonly (Format | PresetName)[] } {
  const list = formats === 'auto' ? auto : typeof formats === 'string' ? [formats] : formats
  if (given !== undefined) return { notation: given, list }
  const names = list.map((format) =>
    typeof format === 'string' ? presets[format].name : format.name,
  )
  const notation = names.map((name) => notations.get(name)).find((found) => found !== undefined)
  if (notation !== undefined) return { notation, list }
  return { notation: hermesNotation, list: [...list, 'hermes'] }
}

function describeTools(tools: readonly ToolSchema[], notation: ToolNotation): string | undefined {
  if (tools.length === 0) return undefined
  const list = tools.map(({ name, description, inputSchema: parameters }) =>
    JSON.stringify({ name, description, parameters }),
  )
  return [
    '# Tools',
    'You can call the tools below. Each line describes one: its name, what it does, and the JSON Schema of its arguments.',
    `<tools>\n${list.join('\n')}\n</tools>`,
    'To call a tool, write its name and its arguments in exactly this form:',
    notation.writeCall('name_of_the_tool', { name_of_an_argument: 'its value' }),
    [
      'Several calls may follow each other. After your calls, stop: the results come in the next message.',
      ...(notation.rule === undefined ? [] : [notation.rule]),
    ].join(' '),
  ].join('\n\n')
}

function writeAllCalls(messages: readonly Message[], notation: ToolNotation): readonly Message[] {
  const names = new Map<unknown, string>()
  return messages.map(({ role, content }) => ({
    role,
    content: content.flatMap((block, position) => {
      if (block.type === 'tool_use') {
        names.set(block['id'], String(block['name']))
        return [writeCall(block, notation, position > 0)]
      }
      return block.type === 'tool_result' ? writeResult(block, notation, names) : [block]
    }),
  }))
}

function writeCall(block: ContentBlock, notation: ToolNotation, isLater: boolean): ContentBlock {
  const { name, input } = block
  const text = notation.writeCall(String(name), isJsonObject(input) ? input : {})
  return { type: 'text', text: isLater ? `\n${text}` : text }
}

function writeResult(
  block: ContentBlock,
  notation: ToolNotation,
  names: ReadonlyMap<unknown, string>,
): ContentBlock[] {
  const { id, text, others } = toToolResult(block)
  const written = notation.writeResult({ name: names.get(id) ?? id, text })
  return [{ type: 'text', text: written }, ...others]
}
