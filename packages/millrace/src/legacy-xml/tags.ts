import type { EnvelopeType } from '../events/index.ts'
import { parseJsonObject } from '../json/index.ts'
import type { Message } from './decode/element.ts'

/** The part of the old system that wrote a tag, which determines its escaping. [XML-7] [XML-8] [XML-9] */
export type Layer = 'formatter' | 'result' | 'plain'

/** The location of a tag's content. */
export type Shape = 'stream' | 'attribute' | 'body' | 'result' | 'citations'

/** A structural tag of the legacy stream. */
export interface Tag {
  readonly name: string
  readonly closer: string
  readonly type: EnvelopeType
  readonly shape: Shape
  readonly layer: Layer
  /** The attribute that holds the content, for the shape `attribute`. */
  readonly payload?: string
  /** Whether content of a JSON type may be text: it is read as a JSON string. [XML-23] */
  readonly mayBeText?: true
  /** The tool's name, if the tag's name contains it. */
  readonly toolName?: string
}

type TagRow = Pick<Tag, 'type' | 'shape' | 'layer' | 'payload' | 'mayBeText'>

const serverResult: TagRow = {
  type: 'server_tool_result',
  shape: 'body',
  layer: 'formatter',
  mayBeText: true,
}

const rows: Readonly<Record<string, TagRow>> = {
  meta_init: { type: 'meta_init', shape: 'attribute', layer: 'plain', payload: 'data' },
  'content-block-thinking': { type: 'thinking', shape: 'stream', layer: 'formatter' },
  'content-block-text': { type: 'text', shape: 'stream', layer: 'formatter' },
  'content-block-tool_call': {
    type: 'tool_call',
    shape: 'attribute',
    layer: 'formatter',
    payload: 'arguments',
  },
  'content-block-server_tool_call': {
    type: 'server_tool_call',
    shape: 'attribute',
    layer: 'formatter',
    payload: 'arguments',
  },
  'content-block-tool_result': { type: 'tool_result', shape: 'result', layer: 'result' },
  'content-block-server_tool_result': serverResult,
  citations: { type: 'citation', shape: 'citations', layer: 'formatter' },
  awaiting_frontend_tools: {
    type: 'awaiting_frontend_tools',
    shape: 'attribute',
    layer: 'plain',
    payload: 'data',
  },
  'content-block-meta_files': { type: 'meta_files', shape: 'body', layer: 'plain' },
  'content-block-error': { type: 'error', shape: 'body', layer: 'formatter' },
  meta_final: { type: 'meta_final', shape: 'attribute', layer: 'plain', payload: 'data' },
}

const tagsByName = new Map(
  Object.entries(rows).map(([name, row]) => [name, { ...row, name, closer: `</${name}>` }]),
)
const tagsByType = new Map<string, Tag>([...tagsByName.values()].map((tag) => [tag.type, tag]))

/** Older streams named the tag of a server tool's result after the tool. [XML-5] */
const OLDER_RESULT = /^(?:content-block-)?(.+_tool_result)$/

/** Longer names are not looked up: no tool has one. */
export const MAX_NAME_LENGTH = 128

/** Returns the structural tag of a name, or undefined if the name has no meaning and is text. [XML-5] */
export function tagOf(name: string): Tag | undefined {
  const known = tagsByName.get(name)
  if (known !== undefined) return known
  const toolName = OLDER_RESULT.exec(name)?.[1]
  if (toolName === undefined || name.length > MAX_NAME_LENGTH) return undefined
  const closer = `</${name}>`
  return { ...serverResult, name, closer, toolName }
}

/**
 * Older names, in lower case, that readers of the format recognize in text. `text` and `image` count only in
 * results.
 */
const namesInText: ReadonlySet<string> = new Set(['citation', 'chart', 'table'])

/** Checks whether any reader of the format could read `<` and this name in a text as a tag. [XML-17] */
export function isTagName(name: string): boolean {
  const known = name.toLowerCase()
  return (
    tagsByName.has(known) ||
    namesInText.has(known) ||
    known.startsWith('content-block-') ||
    known.endsWith('_tool_result')
  )
}

/** Returns the tag for messages of a type, or undefined if the format has none. [XML-21] */
export function tagOfType(type: string): Tag | undefined {
  return tagsByType.get(type)
}

/** The message that ends a stream. */
export const END_OF_STREAM = '[DONE]'

/** Start of the message that the old server sent when it failed, always as the last one. [XML-16] */
const FAILURE_START = '{"error":'

/** Reads the old server's failure message, without its stack trace. */
export function readFailure(message: string): Message | undefined {
  const report = message.startsWith(FAILURE_START) ? parseJsonObject(message) : undefined
  if (report === undefined) return undefined
  const { error: type, message: text } = report
  if (typeof type !== 'string' || typeof text !== 'string') return undefined
  return { type: 'error', final: true, delta: JSON.stringify({ type, message: text }) }
}
