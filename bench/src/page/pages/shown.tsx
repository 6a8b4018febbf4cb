import { StreamingMarkdown } from '@millrace/studio/streaming-markdown'
import { GrowingText } from '@millrace/studio/growing-text'

interface ShownProps {
  readonly text: string
  readonly done: boolean
  readonly onStart: () => void
}

let renders = 0
const isPlain = new URLSearchParams(location.search).get('as') === 'plain'

/**
 * The common part of the pages: a button that sends the prompt, and the answer with figures for the
 * bench to read.
 */
export function Shown({ text, done, onStart }: ShownProps) {
  return (
    <main data-length={text.length} data-renders={++renders} data-state={done ? 'done' : 'open'}>
      <button onClick={onStart}>Start</button>
      {isPlain ? (
        <pre>
          <GrowingText text={text} />
        </pre>
      ) : (
        <StreamingMarkdown text={text} done={done} />
      )}
    </main>
  )
}

/** The part of a file that a call has written so far. */
export function contentOf(input: unknown): string {
  const { content } = (input ?? {}) as { readonly content?: string }
  return content ?? ''
}
