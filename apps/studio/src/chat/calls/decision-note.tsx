import type { CallBlock } from 'millrace'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { describeOutcome } from '../../session/describe-outcome.ts'

/** Says who decided on a call and when. */
export function DecisionNote({ decision }: Pick<CallBlock, 'decision'>) {
  if (!decision) return null
  const { stage, by, at, edited } = decision
  return (
    <p className="decision-note">
      {describeOutcome(stage, edited)}
      {by !== undefined && (
        <>
          {' by '}
          <strong>
            <VisibleText text={by} isSingleLine />
          </strong>
        </>
      )}
      {', '}
      <time dateTime={at}>{toTime(at)}</time>
    </p>
  )
}

/** A time in the reader's own way of writing it, or as it came if it is none. */
export function toTime(at: string): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? at : time.toLocaleString()
}
