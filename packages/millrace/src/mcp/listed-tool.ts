import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { removeHiddenCharacters } from './hidden-characters.ts'
import { readSchema } from './read-schema.ts'

/** Annotations of a tool by its server. They are not verified. */
export interface McpToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A tool in a server's list. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly annotations: McpToolAnnotations
}

/** Maximum length of a description. A longer one costs more in every request than it explains. */
const MAX_DESCRIPTION_CHARS = 10_000
/** Maximum name length that the protocol recommends. */
const MAX_NAME_CHARS = 128

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** Reads an entry of a server's list. Returns undefined for an invalid or unusable tool. */
export function toListedTool(
  value: JsonValue,
  { maxSchemaChars }: { readonly maxSchemaChars: number },
): ListedTool | undefined {
  if (!isJsonObject(value)) return undefined
  const { name } = value
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARS) return undefined
  // People who approve a call could not distinguish two names that look the same.
  if (removeHiddenCharacters(name) !== name) return undefined
  const inputSchema = readSchema(value['inputSchema'], maxSchemaChars)
  if (inputSchema === undefined) return undefined
  const annotations = toAnnotations(value['annotations'])
  return {
    name,
    description: removeHiddenCharacters(
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
