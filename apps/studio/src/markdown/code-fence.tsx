import { memo, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { CopyButton } from '../text/copy-button.tsx'
import { GrowingText } from '../text/growing-text.tsx'

/** Longer code is shown without colours. */
const MAX_HIGHLIGHT_LENGTH = 20_000

interface CodeFenceProps {
  readonly language: string
  readonly code: string
  readonly growing: boolean
}

/** A code block with its language and a button to copy it; coloured once it is whole. */
export const CodeFence = memo(function CodeFence({ language, code, growing }: CodeFenceProps) {
  const coloured = useHighlight(code, language, !growing)
  return (
    <figure className="code">
      <figcaption>
        <span>{language || 'text'}</span>
        {!growing && <CopyButton text={code} />}
      </figcaption>
      <pre tabIndex={0}>
        <code>{coloured ?? <GrowingText text={code} />}</code>
      </pre>
    </figure>
  )
})

function useHighlight(code: string, language: string, wanted: boolean): ReactNode {
  const [coloured, setColoured] = useState<{ code: string; nodes: ReactNode }>()
  useEffect(() => {
    if (!wanted || !language || code.length > MAX_HIGHLIGHT_LENGTH) return
    let current = true
    void import('./highlight.tsx')
      .then(({ highlight }) => {
        if (current) setColoured({ code, nodes: highlight(code, language) })
      })
      .catch(() => {}) // without its colours the code is still there
    return () => {
      current = false
    }
  }, [code, language, wanted])
  return coloured?.code === code ? coloured.nodes : undefined
}
