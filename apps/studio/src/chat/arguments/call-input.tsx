import { useMemo, useState } from 'react'
import { createJsonPrinter, toCompact, toPrettyText } from '../../json/index.ts'
import { Payload } from '../../ui/text/index.ts'
import type { PayloadView } from '../../ui/text/index.ts'

interface CallInputProps {
  readonly text: string
  readonly growing: boolean
  readonly view?: PayloadView
}

/** Shows the arguments of a call as JSON, also while the model writes them. */
export function CallInput({ text, growing, view = 'scrolled' }: CallInputProps) {
  const [printer] = useState(() => createJsonPrinter({ breaksLines: true }))
  // Only a complete text can be recognized as JSON.
  const pretty = useMemo(
    () => (growing ? toCompact(printer.update(text), text) : toPrettyText(text)),
    [printer, growing, text],
  )
  if (pretty === '' || pretty === '{}') return <p className="muted no-input">No input</p>
  return <Payload text={pretty} label="Input" {...{ growing, view }} />
}
