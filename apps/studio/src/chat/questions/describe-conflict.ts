import type { CallBlock } from 'millrace'
import { MAX_KEPT } from '../../session/index.ts'
import type { SentWord } from '../../session/index.ts'
import { cut } from '../../text/index.ts'

/** What is known of a call to which something was sent. */
export interface LateCall {
  readonly block: CallBlock
  /** The arguments that were approved in place of the model's, as JSON. */
  readonly edited: string | undefined
  readonly sent: SentWord | undefined
}

/** As much of an answer as a note tells, in characters. */
const MAX_TOLD = 80

const ownWords: Readonly<Record<Exclude<SentWord['deed'], 'answer'>, string>> = {
  fail: 'report',
  approve: 'approval',
  change: 'approval with changes',
  refuse: 'refusal',
}

/** Says what has counted in place of what was sent from this page; undefined if that did count, or nothing has yet. */
export function describeLate({ block, edited, sent }: LateCall): string | undefined {
  if (!sent) return undefined
  const isAnswer = sent.deed === 'answer' || sent.deed === 'fail'
  const counted = isAnswer
    ? toCountedAnswer({ block, edited, sent })
    : toCountedDecision({ block, edited, sent })
  if (counted === undefined) return undefined
  const own = sent.deed === 'answer' ? `“${cut(sent.content, MAX_TOLD)}”` : ownWords[sent.deed]
  return `${counted} Your ${own} came too late.`
}

type Sent = LateCall & { readonly sent: SentWord }

function toCountedAnswer({ block, edited, sent }: Sent): string | undefined {
  const { result, status } = block
  if (!result?.done) {
    return sent.isLate && status?.stage === 'answered' ? 'Answered elsewhere.' : undefined
  }
  if (result.isError) {
    return sent.isLate && sent.deed !== 'fail' ? 'It ended without an answer.' : undefined
  }
  const isSame = sent.deed === 'answer' && result.text.slice(0, MAX_KEPT) === sent.content
  // The result of a call that was changed says so, and differs from every answer.
  if (isSame || (edited !== undefined && !sent.isLate)) return undefined
  return `Answered elsewhere: ${cut(result.text, MAX_TOLD)}.`
}

function toCountedDecision({ block: { status, result }, edited, sent }: Sent): string | undefined {
  if (!status) return undefined
  if (status.stage === 'approval_requested') {
    return result && sent.isLate ? 'It ended without a decision.' : undefined
  }
  if (status.stage === 'expired') return 'The request expired.'
  const isRefused = status.stage === 'refused'
  const isSame = isRefused === (sent.deed === 'refuse')
  // With which arguments it runs is a matter of its own; why it was refused is not.
  if (isSame && (isRefused || !sent.isLate)) return undefined
  if (isRefused) return 'Decided elsewhere: refused.'
  return `Decided elsewhere: approved${edited === undefined ? '' : ' with changes'}.`
}
