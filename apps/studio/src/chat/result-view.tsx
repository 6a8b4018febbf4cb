import { useMemo } from 'react'
import type { ResultBlock } from 'millrace'
import { toSafeImage } from '../markdown/safe-url.ts'
import { useStudio } from '../session/studio-context.ts'
import { GrowingText } from '../text/growing-text.tsx'
import { toPrettyText } from '../text/pretty-json.ts'

/** A result whose call is not there, as when older messages are gone. */
export function ResultView({ block }: { readonly block: ResultBlock }) {
  return (
    <section className="card" aria-label={`Result of ${block.name}`}>
      <div className="card-body">
        <ResultBody result={block} />
      </div>
    </section>
  )
}

/** What a tool answered: text, and images below it. */
export function ResultBody({ result }: { readonly result: ResultBlock }) {
  const { server } = useStudio()
  const { text, done, isError, images, name } = result
  const pretty = useMemo(() => (done ? toPrettyText(text) : text), [text, done])
  return (
    <div className="result" data-error={isError || undefined}>
      {pretty !== '' && (
        <pre className="payload" tabIndex={0} aria-label={isError ? 'Error' : 'Result'}>
          <GrowingText text={pretty} />
        </pre>
      )}
      {images.map(({ src }, index) => {
        const safe = toSafeImage(src, server)
        if (!safe) return <p key={index}>An image of a kind that is not shown.</p>
        return <img key={index} src={safe} alt={`${name}, result ${index + 1}`} loading="lazy" />
      })}
      {pretty === '' && images.length === 0 && <p className="muted">An empty result</p>}
    </div>
  )
}
