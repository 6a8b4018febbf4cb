import { createContext, useContext } from 'react'
import type { Citation } from 'millrace'
import { toSafeLink } from '../markdown/safe-url.ts'

/** The passages that the marks of a text stand for. */
export const CitationsContext = createContext<readonly Citation[]>([])

/** A number in the text that says which source supports it. */
export function CitationMark({ number }: { readonly number: number }) {
  const citation = useContext(CitationsContext)[number - 1]
  if (!citation) return null
  const { label, href } = toSource(citation)
  const title = `${label}: “${citation.citedText}”`
  return (
    <sup className="citation-mark">
      {href ? (
        <a href={href} title={title} target="_blank" rel="noopener noreferrer nofollow">
          {number}
        </a>
      ) : (
        <span title={title}>{number}</span>
      )}
    </sup>
  )
}

/** The sources of a text, numbered like its marks. */
export function CitationList({ citations }: { readonly citations: readonly Citation[] }) {
  if (citations.length === 0) return null
  return (
    <ol className="citations" aria-label="Sources">
      {citations.map((citation, index) => (
        <li key={index}>
          <Source citation={citation} />
        </li>
      ))}
    </ol>
  )
}

function Source({ citation }: { readonly citation: Citation }) {
  const { label, href } = toSource(citation)
  if (!href) return <span title={citation.citedText}>{label}</span>
  return (
    <a href={href} title={citation.citedText} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  )
}

function toSource({ fields }: Citation): { label: string; href: string | undefined } {
  const { title, document_title: document, url, source } = fields
  const label = String(title ?? document ?? url ?? source ?? 'Source')
  return { label, href: toSafeLink(typeof url === 'string' ? url : undefined) }
}
