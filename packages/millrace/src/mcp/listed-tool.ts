import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { withoutHidden } from './hidden-characters.ts'
import { readSchema } from './read-schema.ts'

/** What a tool says of itself; nobody has checked it. */
export interface McpToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A tool as a server offers it. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly annotations: McpToolAnnotations
}

/** A longer description costs more, with every request, than it can explain. */
const MAX_DESCRIPTION_CHARS = 10_000
/** The longest name that the protocol recommends. */
const MAX_NAME_CHARS = 128

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** Reads an entry of a server's list; undefined if it is no tool, or one that cannot be offered. */
export function toListedTool(
  value: JsonValue,
  { maxSchemaChars }: { readonly maxSchemaChars: number },
): ListedTool | undefined {
  if (!isJsonObject(value)) return undefined
  const { name } = value
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARS) return undefined
  // Two names that look the same could be told apart by nobody who approves a call.
  if (withoutHidden(name) !== name) return undefined
  const inputSchema = readSchema(value['inputSchema'], maxSchemaChars)
  if (inputSchema === undefined) return undefined
  const annotations = toAnnotations(value['annotations'])
  return {
    name,
    description: withoutHidden(
      descriptionOf(value, annotations)
        .slice(0, MAX_DESCRIPTION_CHARS)
        .replace(/[\ud800-\udbff]$/, ''),
    ),
    inputSchema,
    annotations,
  }
}

function descriptionOf({ description, title }: JsonObject, annotations: McpToolAnnotations) {
  const texts = [description, title, annotations.title]
  return texts.find((text) => typeof text === 'string' && text !== '')?.toString() ?? ''
}

function toAnnotations(value: JsonValue | undefined): McpToolAnnotations {
  if (!isJsonObject(value)) return {}
  const { title } = value
  const given = hints.flatMap((hint) =>
    typeof value[hint] === 'boolean' ? [[hint, value[hint]] as const] : [],
  )
  return { ...(typeof title === 'string' && { title }), ...Object.fromEntries(given) }
}
