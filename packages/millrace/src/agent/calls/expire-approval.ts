import type { AnnouncedCall } from '../../events/index.ts'
import { errorAnswer, type ToolAnswer } from '../../tools/index.ts'
import { type Decision, changeAgent, decisionOn } from '../state/index.ts'
import { isPast, withDecision } from './decide-call.ts'
import { type CallUpdate, toResult } from './call-update.ts'
import { toDecisionStatus } from './report-answers.ts'
import type { Run } from '../run.ts'

const REQUEST_EXPIRED =
  'Nobody decided on this call in time, so it was not run. Make it again if it is still needed; the user is then asked again.'
const APPROVAL_EXPIRED =
  'The approval of this call expired before the tool started, so it does not run. Make the call again if it is still needed; the user is then asked again.'

/** Checks whether an approved call was passed to the browser or a sub-agent, after which its approval cannot expire. */
export function isHandedOut({ state: { turn } }: Run, { id }: AnnouncedCall): boolean {
  return turn?.announced?.includes(id) === true || turn?.spawned?.[id] !== undefined
}

/** Checks whether the approval of a call has expired, so that its tool must not start. [APR-4] */
export function hasExpired({ state: { turn }, now }: Run, { id }: AnnouncedCall): boolean {
  const decision = turn && decisionOn(turn, id)
  return isPast(decision?.expiresAt, now())
}

/** Voids the expired approval of a call and returns an error result to the model. */
export function* expireApproval(
  run: Run,
  call: AnnouncedCall,
): Generator<CallUpdate, void, undefined> {
  const { agent, turn } = run.state
  const { id, name } = call
  const decision = turn && decisionOn(turn, id)
  if (decision?.expiresAt === undefined) return
  const { expiresAt: at, inputHash } = decision
  const hash = inputHash === undefined ? {} : { inputHash }
  const voided: Decision = { ...decision, isVoid: true }
  yield {
    event: toDecisionStatus({ agent, id, name }, { outcome: 'expired', at, ...hash }),
    change: (state) =>
      changeAgent(state, agent, (one) =>
        one.turn === undefined ? one : { ...one, turn: withDecision(one.turn, id, voided) },
      ),
  }
  yield* toResult(run, call, refusalOf(voided))
}

/** Returns the result of a call that was denied or has expired. */
export function refusalOf({ outcome, reason, isVoid }: Decision): ToolAnswer {
  if (isVoid) return errorAnswer(APPROVAL_EXPIRED)
  if (outcome === 'expired') return errorAnswer(REQUEST_EXPIRED)
  const why = reason === undefined || reason === '' ? '' : ` Their reason: ${reason}`
  return errorAnswer(`The user refused this call; it was not run.${why}`)
}
