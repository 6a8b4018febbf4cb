import { MillraceError } from '../errors/index.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts'

/** A block of a prompt or a result as received from a client. */
export type SentBlock = JsonObject & { readonly type: string }

/** A reference that the provider resolves: a URL, or the id of a file that it stores. */
export interface SentReference {
  readonly kind: 'url' | 'file_id'
  readonly value: string
  /** The block that holds the reference, as named in errors. */
  readonly place: string
}

/** Types of blocks that a document can contain. */
const innerTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'search_result'])

/**
 * Finds all references in the blocks of a client, at any depth. Adapters read the members of a source without regard
 * to its type, so each member counts everywhere.
 */
export function findReferences(blocks: readonly SentBlock[]): readonly SentReference[] {
  return blocks.flatMap((block, index) => inBlock(block, `Block ${index + 1} (${block.type})`))
}

function inBlock(block: JsonObject, place: string): readonly SentReference[] {
  const { type, source, content } = block
  if (type === 'text') return []
  return [...inSource(source, place), ...inContent(content, place)]
}

function inSource(source: JsonValue | undefined, place: string): readonly SentReference[] {
  if (!isJsonObject(source)) return []
  const { url, file_id: id, content } = source
  return [
    ...toReference('url', url, place),
    ...toReference('file_id', id, place),
    ...inContent(content, place),
  ]
}

function toReference(
  kind: SentReference['kind'],
  value: JsonValue | undefined,
  place: string,
): readonly SentReference[] {
  if (value === undefined) return []
  if (typeof value === 'string') return [{ kind, value, place }]
  throw new MillraceError('bad_request', `${place}: \`source.${kind}\` must be text.`)
}

function inContent(content: JsonValue | undefined, place: string): readonly SentReference[] {
  if (!isJsonArray(content)) return []
  return content.flatMap((inner) => {
    if (isJsonObject(inner) && innerTypes.has(inner['type'])) return inBlock(inner, place)
    const types = [...innerTypes].join(', ')
    throw new MillraceError(
      'bad_request',
      `${place}: its content holds an unsupported block; use only ${types}.`,
    )
  })
}
