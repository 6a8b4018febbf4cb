import type { EnvelopeType } from '../envelope/index.ts'

/** Which part of the old system wrote a tag, and with it how the tag is escaped. [XML-7] [XML-8] [XML-9] */
export type Layer = 'formatter' | 'result' | 'plain'

/** Where the content of a tag stands. */
export type Shape = 'stream' | 'attribute' | 'body' | 'result' | 'citations'

/** A structural tag of the legacy stream. */
export interface Tag {
  readonly name: string
  readonly closer: string
  readonly type: EnvelopeType
  readonly shape: Shape
  readonly layer: Layer
  /** The attribute that holds the content, where the shape is `attribute`. */
  readonly payload?: string
  /** Whether the content may be text where its type has JSON: it is read as a JSON string. [XML-23] */
  readonly mayBeText?: true
  /** The tool's name where the tag's own name tells it. */
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

/** Names longer than this are not looked at: no tool's name is. */
export const MAX_NAME_LENGTH = 128

/** The structural tag of that name, or undefined where the name means nothing and is text. [XML-5] */
export function tagOf(name: string): Tag | undefined {
  const known = tagsByName.get(name)
  if (known !== undefined) return known
  const toolName = OLDER_RESULT.exec(name)?.[1]
  if (toolName === undefined || name.length > MAX_NAME_LENGTH) return undefined
  const closer = `</${name}>`
  return { ...serverResult, name, closer, toolName }
}

/** Older names, in lower case, that readers of the format look for in text. `text` and `image` count in results only. */
const namesInText: ReadonlySet<string> = new Set(['citation', 'chart', 'table'])

/** Tells whether any reader of the format could take `<` and this name in a text for a tag. [XML-17] */
export function isTagName(name: string): boolean {
  const known = name.toLowerCase()
  return (
    tagsByName.has(known) ||
    namesInText.has(known) ||
    known.startsWith('content-block-') ||
    known.endsWith('_tool_result')
  )
}

/** The tag that carries messages of that type, or undefined where the format has none. [XML-21] */
export function tagOfType(type: string): Tag | undefined {
  return tagsByType.get(type)
}
