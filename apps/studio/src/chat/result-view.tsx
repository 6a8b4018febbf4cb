import { useMemo } from 'react'
import type { ResultBlock } from 'millrace'
import { GrowingText } from '../text/growing-text.tsx'
import { toPrettyText } from '../text/pretty-json.ts'
import { DiffView } from './diff/diff-view.tsx'
import { isDiff, parseDiff } from './diff/parse-diff.ts'
import { ResultImage } from './result-image.tsx'

/** Longer results are shown as they are. */
const MAX_DIFF_LENGTH = 400_000

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

/** What a tool answered: text, or a diff, and images below it. */
export function ResultBody({ result }: { readonly result: ResultBlock }) {
  const { text, done, isError, images, name } = result
  return (
    <div className="result" data-error={isError || undefined}>
      <ResultText {...{ text, done, isError }} />
      {images.map((image, index) => (
        <ResultImage key={index} image={image} label={`${name}, result ${index + 1}`} />
      ))}
      {text === '' && images.length === 0 && <p className="muted">An empty result</p>}
    </div>
  )
}

type ResultTextProps = Pick<ResultBlock, 'text' | 'done' | 'isError'>

function ResultText({ text, done, isError }: ResultTextProps) {
  const pretty = useMemo(() => (done ? toPrettyText(text) : text), [text, done])
  const files = useMemo(
    () => (done && text.length <= MAX_DIFF_LENGTH && isDiff(text) ? parseDiff(text) : []),
    [text, done],
  )
  if (files.length > 0) return <DiffView files={files} />
  if (pretty === '') return null
  return (
    <pre className="payload" tabIndex={0} aria-label={isError ? 'Error' : 'Result'}>
      <GrowingText text={pretty} />
    </pre>
  )
}
