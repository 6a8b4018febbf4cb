import { useMemo } from 'react'
import { createJsonPrinter } from '../../json/index.ts'
import { CopyButton } from '../../ui/index.ts'
import { Payload } from '../../ui/text/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'

interface RawJsonProps {
  readonly label: string
  readonly text: string
  readonly view?: PayloadView
}

/** Shows formatted JSON as it was sent, or the text if it is not JSON. */
export function RawJson({ label, text, view = 'scrolled' }: RawJsonProps) {
  const laidOut = useMemo(() => formatRawJson(text), [text])
  if (text === '') return null
  return (
    <div className="raw-json">
      <p className="output-name">
        {label}
        <CopyButton text={text} />
      </p>
      <Payload text={laidOut} label={`${label}, raw`} view={view} />
    </div>
  )
}

/** Formats JSON and keeps its escapes. */
export function formatRawJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return createJsonPrinter().update(text)
}
