import type { CallBlock } from 'millrace'
import { describeOutcome } from '../../session/index.ts'
import { toLocalTime } from '../../text/index.ts'
import { VisibleText } from '../../ui/text/index.ts'

/** Shows who decided on a call, and when. */
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
      <time dateTime={at}>{toLocalTime(at)}</time>
    </p>
  )
}
