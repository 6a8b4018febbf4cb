import { type JsonObject, toText } from '../../json/index.ts'
import type { CitationEvent } from '../../events/index.ts'
import { OWN, toOwn, type UiFields } from './ui-output.ts'

/** The source of a citation, as a part of the message and as a citation. */
interface UiSource {
  readonly chunk: { readonly type: string; readonly fields: UiFields }
  readonly citation: JsonObject
}

/** A cited text and the description of its source. */
type Cited = Pick<CitationEvent, 'citedText' | 'fields'>

/**
 * Converts citations to sources. `startIndex` and `endIndex` of the AI SDK are positions in the answer; ours are positions in the source,
 * so they are only in our own fields.
 */
export function toSources(block: string, citations: readonly Cited[]): readonly UiSource[] {
  return citations.map((citation, index) => toSource(`${block}-${index + 1}`, citation))
}

function toSource(id: string, { citedText, fields }: Cited): UiSource {
  const own = toOwn({ ...fields, cited_text: citedText })
  const { url } = fields
  const source =
    typeof url === 'string'
      ? { sourceType: 'url', url, ...titled(fields['title']), ...own }
      : { sourceType: 'document', ...toDocument(fields), ...own }
  const { sourceType, ...described } = source
  return {
    chunk: { type: `source-${sourceType}`, fields: { sourceId: id, ...described } },
    citation: { source: { type: 'source', id, ...source }, citedText },
  }
}

function toDocument(fields: JsonObject): { readonly mediaType: string; readonly title: string } {
  const { citation_type: type, document_title, title, source } = fields
  const name = [document_title, title, source].find((one) => typeof one === 'string' && one !== '')
  // The wire has no media type. Only sources with pages are known to be PDFs.
  const mediaType = type === 'page_location' ? 'application/pdf' : 'text/plain'
  return { mediaType, title: toText(name ?? 'Document') }
}

function titled(title: unknown): { readonly title?: string } {
  return typeof title === 'string' ? { title } : {}
}

/** Converts a source to a citation. A source of another server is described by its fields. */
export function fromSource(source: JsonObject, citedText: unknown): Cited {
  const { providerMetadata, url, title, filename } = source
  const own = ownOf(providerMetadata)
  if (own !== undefined) {
    const { cited_text, ...fields } = own
    return { citedText: toText(cited_text ?? ''), fields }
  }
  const isUrl = typeof url === 'string'
  const named = typeof title === 'string' ? title : filename
  return {
    citedText: typeof citedText === 'string' ? citedText : '',
    fields: {
      citation_type: isUrl ? 'web_search_result_location' : 'document',
      ...(isUrl ? { url, ...titled(title) } : {}),
      ...(!isUrl && typeof named === 'string' ? { document_title: named } : {}),
    },
  }
}

function ownOf(providerMetadata: unknown): JsonObject | undefined {
  const all = providerMetadata as Readonly<Record<string, unknown>> | undefined
  const own = typeof all === 'object' && all !== null ? all[OWN] : undefined
  return typeof own === 'object' && own !== null ? (own as JsonObject) : undefined
}
