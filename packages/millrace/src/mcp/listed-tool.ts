import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'
import { removeHiddenCharacters } from './connection/reason-of.ts'

/** Maximum depth of a schema. Model APIs reject schemas long before it. */
const MAX_DEPTH = 64
const TOO_DEEP = Symbol('too deep')

/** Keywords that combine schemas, and whether all branches apply at once. */
const combinations: Readonly<Record<string, boolean>> = { allOf: true, anyOf: false, oneOf: false }

/** Annotations of a tool by its server. They are not verified. */
export interface McpToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** A tool as its server lists it, with its texts and schema checked. */
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
  // Users who approve a call could not distinguish two names that look the same.
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

/**
 * Reads a tool's input schema. Returns undefined if it is longer than `maxChars` or nested too deeply. Removes
 * references to other documents, so that neither this process nor a provider fetches a URL that a server chose.
 */
function readSchema(value: JsonValue | undefined, maxChars: number): JsonObject | undefined {
  const local = value === undefined ? value : withoutRemote(value, MAX_DEPTH)
  if (local === TOO_DEEP) return undefined
  const schema = toObjectSchema(local)
  return JSON.stringify(schema).length <= maxChars ? schema : undefined
}

function withoutRemote(value: JsonValue, depth: number): JsonValue | typeof TOO_DEEP {
  if (!isJsonArray(value) && !isJsonObject(value)) return value
  if (depth === 0) return TOO_DEEP
  if (isJsonArray(value)) {
    const items = value.map((item) => withoutRemote(item, depth - 1))
    return items.every((item) => item !== TOO_DEEP) ? items : TOO_DEEP
  }
  const entries: (readonly [string, JsonValue])[] = []
  for (const [key, item] of Object.entries(value)) {
    if (isRemote(key, item)) continue
    const read = withoutRemote(item, depth - 1)
    if (read === TOO_DEEP) return TOO_DEEP
    entries.push([key, read])
  }
  return Object.fromEntries(entries)
}

/** Checks for a reference to another document. `$id` sets another base URL for relative references. */
function isRemote(key: string, value: JsonValue): boolean {
  if (typeof value !== 'string') return false
  if (key === '$id') return true
  return (key === '$ref' || key === '$dynamicRef') && !value.startsWith('#')
}

/**
 * Converts a tool's schema to the form that model APIs accept: an object at the top level without alternatives. It
 * offers the properties of all branches; the server validates their combination.
 */
function toObjectSchema(value: JsonValue | undefined): JsonObject {
  const schema = isJsonObject(value) ? value : {}
  const { allOf: _all, anyOf: _any, oneOf: _one, properties, required, ...rest } = schema
  const branches = Object.entries(combinations).flatMap(([key, isAll]) =>
    branchesOf(schema[key]).map((branch) => ({ branch, isAll })),
  )
  const offered = [...branches.map(({ branch }) => branch['properties']), properties]
  const needed = branches.filter(({ isAll }) => isAll).map(({ branch }) => branch['required'])
  const names = [required, ...needed].flatMap(stringsOf)
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(offered.flatMap(entriesOf)),
    ...(names.length > 0 && { required: [...new Set(names)] }),
  }
}

function branchesOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}

function entriesOf(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isJsonObject(value) ? Object.entries(value) : []
}

function stringsOf(value: JsonValue | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : []
}
