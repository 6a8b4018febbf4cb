import { memo } from 'react'
import { CopyButton } from '../ui/index.ts'
import { GrowingText, useHighlight } from '../ui/text/index.ts'

interface CodeFenceProps {
  readonly language: string
  readonly code: string
  readonly growing: boolean
}

/** Shows a code block with its language and a copy button; highlighted once it is complete. */
export const CodeFence = memo(function CodeFence({ language, code, growing }: CodeFenceProps) {
  const highlighted = useHighlight(code, language, !growing)
  return (
    <figure className="code">
      <figcaption>
        <span>{language || 'text'}</span>
        {!growing && <CopyButton text={code} />}
      </figcaption>
      <pre tabIndex={0}>
        <code>{highlighted ?? <GrowingText text={code} />}</code>
      </pre>
    </figure>
  )
})
