import type { CallBlock } from 'millrace'
import { MAX_KEPT } from '../../session/index.ts'
import type { SentCommand } from '../../session/index.ts'
import { truncate } from '../../text/index.ts'

/** What is known of a call to which something was sent. */
export interface ConflictCall {
  readonly block: CallBlock
  /** The arguments that were approved in place of the model's, as JSON. */
  readonly edited: string | undefined
  readonly sent: SentCommand | undefined
}

/** As much of an answer as a note tells, in characters. */
const MAX_QUOTED = 80

const commandNames: Readonly<Record<Exclude<SentCommand['kind'], 'answer'>, string>> = {
  fail: 'report',
  approve: 'approval',
  change: 'approval with changes',
  deny: 'denial',
}

/** Says what has winner in place of what was sent from this page; undefined if that did count, or nothing has yet. */
export function describeConflict({ block, edited, sent }: ConflictCall): string | undefined {
  if (!sent) return undefined
  const isAnswer = sent.kind === 'answer' || sent.kind === 'fail'
  const winner = isAnswer
    ? describeWinningAnswer({ block, edited, sent })
    : describeWinningDecision({ block, edited, sent })
  if (winner === undefined) return undefined
  const own =
    sent.kind === 'answer' ? `“${truncate(sent.content, MAX_QUOTED)}”` : commandNames[sent.kind]
  return `${winner} Your ${own} came too late.`
}

type Sent = ConflictCall & { readonly sent: SentCommand }

function describeWinningAnswer({ block, edited, sent }: Sent): string | undefined {
  const { result, status } = block
  if (!result?.done) {
    return sent.isRejected && status?.stage === 'answered' ? 'Answered elsewhere.' : undefined
  }
  if (result.isError) {
    return sent.isRejected && sent.kind !== 'fail' ? 'It ended without an answer.' : undefined
  }
  const isSame = sent.kind === 'answer' && result.text.slice(0, MAX_KEPT) === sent.content
  // The result of a call that was changed says so, and differs from every answer.
  if (isSame || (edited !== undefined && !sent.isRejected)) return undefined
  return `Answered elsewhere: ${truncate(result.text, MAX_QUOTED)}.`
}

function describeWinningDecision({
  block: { status, result },
  edited,
  sent,
}: Sent): string | undefined {
  if (!status) return undefined
  if (status.stage === 'approval_requested') {
    return result && sent.isRejected ? 'It ended without a decision.' : undefined
  }
  if (status.stage === 'expired') return 'The request expired.'
  const isDenied = status.stage === 'refused'
  const isSame = isDenied === (sent.kind === 'deny')
  // With which arguments it runs is a matter of its own; why it was refused is not.
  if (isSame && (isDenied || !sent.isRejected)) return undefined
  if (isDenied) return 'Decided elsewhere: denied.'
  return `Decided elsewhere: approved${edited === undefined ? '' : ' with changes'}.`
}
