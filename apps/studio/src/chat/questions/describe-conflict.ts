import type { CallBlock } from 'millrace'
import { MAX_KEPT } from '../../session/index.ts'
import type { SentCommand } from '../../session/index.ts'
import { truncate } from '../../text/index.ts'

/** A call and the command that this page sent to it. */
export interface ConflictCall {
  readonly block: CallBlock
  /** The edited arguments that were approved, as JSON. */
  readonly edited: string | undefined
  readonly sent: SentCommand | undefined
}

/** The number of characters of an answer that a note quotes. */
const MAX_QUOTED = 80

const commandNames: Readonly<Record<Exclude<SentCommand['kind'], 'answer'>, string>> = {
  fail: 'report',
  approve: 'approval',
  change: 'approval with changes',
  deny: 'denial',
}

/**
 * Describes which command won over the one sent from this page; undefined if the latter was accepted or nothing is
 * decided.
 */
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
    return sent.isRejected && sent.kind !== 'fail' ? 'The call ended without an answer.' : undefined
  }
  const isSame = sent.kind === 'answer' && result.text.slice(0, MAX_KEPT) === sent.content
  // The result of an edited call mentions the edit and differs from every answer.
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
    return result && sent.isRejected ? 'The call ended without a decision.' : undefined
  }
  if (status.stage === 'expired') return 'The request expired.'
  const isDenied = status.stage === 'refused'
  const isSame = isDenied === (sent.kind === 'deny')
  // Other arguments are a conflict; another reason for a denial is not.
  if (isSame && (isDenied || !sent.isRejected)) return undefined
  if (isDenied) return 'Decided elsewhere: denied.'
  return `Decided elsewhere: approved${edited === undefined ? '' : ' with changes'}.`
}
