import { useMemo, useState } from 'react'
import { createJsonPrinter, toCompact, toPrettyText } from '../../json/index.ts'
import { Payload } from '../../ui/text/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'

interface CallInputProps {
  readonly text: string
  readonly growing: boolean
  readonly view?: PayloadView
}

/** The arguments of a call as JSON, also while they are written. */
export function CallInput({ text, growing, view = 'scrolled' }: CallInputProps) {
  const [printer] = useState(() => createJsonPrinter({ breaksLines: true }))
  // Whether a text is JSON is known when it is whole.
  const pretty = useMemo(
    () => (growing ? toCompact(printer.update(text), text) : toPrettyText(text)),
    [printer, growing, text],
  )
  if (pretty === '' || pretty === '{}') return <p className="muted no-input">No input</p>
  return <Payload text={pretty} label="Input" {...{ growing, view }} />
}
