import type { Citation, TextBlock } from 'millrace'
import { toSafeLink } from '../markdown/safe-url.ts'
import { StreamingMarkdown } from '../markdown/streaming-markdown.tsx'

/** Text of the answer, with its sources below. */
export function TextView({ block }: { readonly block: TextBlock }) {
  const { text, done, interrupted, citations, compaction } = block
  if (compaction) {
    return (
      <details className="thinking">
        <summary>Summary of what came before</summary>
        <div className="thinking-text">{text}</div>
      </details>
    )
  }
  return (
    <div className="text" data-growing={!done || undefined}>
      <StreamingMarkdown text={text} done={done} />
      {interrupted && <p className="interrupted">The answer breaks off here.</p>}
      {citations.length > 0 && (
        <ol className="citations" aria-label="Sources">
          {citations.map((citation, index) => (
            <li key={index}>
              <CitationLink citation={citation} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function CitationLink({ citation: { citedText, fields } }: { readonly citation: Citation }) {
  const { title, document_title: document, url } = fields
  const label = String(title ?? document ?? url ?? 'Source')
  const href = toSafeLink(typeof url === 'string' ? url : undefined)
  if (!href) return <span title={citedText}>{label}</span>
  return (
    <a href={href} title={citedText} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  )
}
