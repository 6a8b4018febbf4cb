import type { ThinkingBlock } from 'millrace'
import { ThoughtIcon } from '../shell/icons.tsx'
import { GrowingText } from '../text/growing-text.tsx'
import { useKept } from './rows/keep.ts'

/** What the model thought; open while it thinks, folded once it has, unless the reader chose. */
export function ThinkingView({ block: { text, done, redacted } }: { block: ThinkingBlock }) {
  const [chosen, setChosen] = useKept<boolean | undefined>('thought-open', undefined)
  const open = chosen ?? !done
  return (
    <details className="thinking" open={open}>
      <summary
        onClick={(event) => {
          event.preventDefault()
          setChosen(!open)
        }}
      >
        <ThoughtIcon />
        {done ? 'Thought' : 'Thinking…'}
      </summary>
      <div className="thinking-text">
        {redacted && text === '' ? (
          'The provider keeps this part to itself.'
        ) : (
          <GrowingText text={text} />
        )}
      </div>
    </details>
  )
}
