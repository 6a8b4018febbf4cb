import { useMemo } from 'react'
import { CopyButton } from '../../text/copy-button.tsx'
import { GrowingText } from '../../text/growing-text.tsx'
import { createJsonPrinter } from '../../text/pretty-json.ts'

interface RawJsonProps {
  readonly label: string
  readonly text: string
}

/** What was sent, as the JSON that it is, or as it came if it is none. */
export function RawJson({ label, text }: RawJsonProps) {
  const laidOut = useMemo(() => layOut(text), [text])
  if (text === '') return null
  return (
    <div className="raw-json">
      <p className="output-name">
        {label}
        <CopyButton text={text} />
      </p>
      <pre className="payload" tabIndex={0} aria-label={`${label}, raw`}>
        <GrowingText text={laidOut} />
      </pre>
    </div>
  )
}

function layOut(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return createJsonPrinter().update(text)
}
