import type { ThinkingBlock } from 'millrace'
import { ThoughtIcon, useKeptState } from '../../ui/index.ts'
import { GrowingText } from '../../ui/text/index.ts'

/** Shows the model's reasoning: expanded while it grows, then collapsed, unless the user chose. */
export function ThinkingView({ block }: { block: ThinkingBlock }) {
  const { text, done, redacted, interrupted } = block
  const [chosen, setChosen] = useKeptState<boolean | undefined>('thought-open', undefined)
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
        {done ? `Thought${interrupted ? ' (interrupted)' : ''}` : 'Thinking…'}
      </summary>
      <div className="thinking-text">
        {redacted && text === '' ? (
          'The provider does not disclose this part.'
        ) : (
          <GrowingText text={text} />
        )}
      </div>
    </details>
  )
}
