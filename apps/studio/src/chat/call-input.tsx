import { useState } from 'react'
import { GrowingText } from '../text/growing-text.tsx'
import { createJsonPrinter, toCompact } from '../text/pretty-json.ts'
import { useFollowEnd } from './use-follow-end.ts'

/** What goes into a call, as it is written. */
export function CallInput({ text, growing }: { readonly text: string; readonly growing: boolean }) {
  const [printer] = useState(() => createJsonPrinter({ breaksLines: true }))
  const contentRef = useFollowEnd(growing)
  const pretty = toCompact(printer.update(text), text)
  if (pretty === '' || pretty === '{}') return <p className="muted no-input">No input</p>
  return (
    <pre className="payload" tabIndex={0} aria-label="Input">
      <code ref={contentRef}>
        <GrowingText text={pretty} />
      </code>
    </pre>
  )
}
