import { createContext, useContext } from 'react'
import type { Citation } from 'millrace'
import { toSafeLink, useTip } from '../ui/index.ts'
import type { Tip } from '../ui/index.ts'

/** Citations of the marks in a text. */
export const CitationsContext = createContext<readonly Citation[]>([])

/** Prevents line breaks around it, so that a mark stays with its word and with the next mark. */
const WORD_JOINER = '\u2060'

/** Shows the number of a citation, with a tooltip about its source. */
export function CitationMark({ number }: { readonly number: number }) {
  const citation = useContext(CitationsContext)[number - 1]
  if (!citation) return null
  const { href } = toSource(citation)
  return (
    <sup className="citation-mark">
      {WORD_JOINER}
      {href ? (
        <LinkMark number={number} href={href} citation={citation} />
      ) : (
        <PlainMark number={number} citation={citation} />
      )}
      {WORD_JOINER}
    </sup>
  )
}

interface MarkProps {
  readonly number: number
  readonly citation: Citation
}

function LinkMark({ number, href, citation }: MarkProps & { readonly href: string }) {
  const tip = useTip<HTMLAnchorElement>()
  return (
    <>
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        aria-label={`Source ${number}`}
        {...tip.target}
      >
        {number}
      </a>
      {tip.isShown && <SourceTip citation={citation} {...tip} />}
    </>
  )
}

function PlainMark({ number, citation }: MarkProps) {
  const tip = useTip<HTMLButtonElement>()
  return (
    <>
      <button type="button" aria-label={`Source ${number}`} {...tip.target}>
        {number}
      </button>
      {tip.isShown && <SourceTip citation={citation} {...tip} />}
    </>
  )
}

type SourceTipProps = Pick<MarkProps, 'citation'> & Pick<Tip<HTMLElement>, 'place' | 'tipId'>

function SourceTip({ citation, place, tipId }: SourceTipProps) {
  const { label, href } = toSource(citation)
  return (
    <span ref={place} id={tipId} role="tooltip" popover="manual" className="citation-tip">
      <strong>{label}</strong>
      {citation.citedText !== '' && <q>{citation.citedText}</q>}
      {href && <small>{new URL(href).host}</small>}
    </span>
  )
}

/** Lists the sources of a text, numbered like its marks. */
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
