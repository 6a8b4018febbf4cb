import type { AnnouncedCall } from '../../events/index.ts'
import {
  type AgentState,
  agentsIn,
  openCalls,
  openChildren,
  pendingOf,
  withChild,
} from '../state/index.ts'
import { type PauseAnswers, splitAnswers } from '../port/index.ts'
import { answerPause, canResume, checkVisible } from '../calls/answer-pause.ts'
import { expireRequests } from '../calls/decide-call.ts'
import type { CallUpdate, WaitReason } from '../calls/call-update.ts'
import { unreportedAnswers } from '../calls/report-answers.ts'
import type { Run } from '../run.ts'
import type { AnswerChecks } from '../run-control.ts'

/** The sub-agents of a run that wait for answers while others are active. */
export type WaitingChildren = ReturnType<typeof createWaitingChildren>

/** The reasons for which calls wait, and the functions that continue and report waiting sub-agents. */
interface ChildCallbacks {
  readonly waits: Map<string, WaitReason>
  readonly resume: (call: AnnouncedCall) => void
  readonly report: (update: CallUpdate) => void
}

/**
 * Creates the receiver of answers for waiting sub-agents. An answer may arrive as soon as its call is announced, before its agent has
 * paused; it is held until then, because until then the agent's own checkpoints replace its state.
 */
export function createWaitingChildren(run: Run, { waits, resume, report }: ChildCallbacks) {
  let held: HeldAnswer[] = []
  /** The reported answers; the state records them a moment later. */
  const reported = new Set<string>()

  const resumeIf = (isReady: (agent: string) => boolean): boolean => {
    const ready = restingChildren(run, waits).filter(({ child }) =>
      agentsIn(child).some(({ agent }) => isReady(agent)),
    )
    const ids = new Set(ready.map(({ callId }) => callId))
    for (const call of openCalls(run.state.turn).filter(({ id }) => ids.has(id))) {
      waits.delete(call.id)
      resume(call)
    }
    return ids.size > 0
  }

  const settle = (): void => {
    held = held.filter((answer) => !takeAnswer(run, answer, (id) => waits.get(id) === 'agent'))
    for (const unreported of unreportedAnswers(run.state)) {
      const key = `${unreported.event.stage} ${unreported.event.callId}`
      if (!reported.has(key)) report(unreported)
      reported.add(key)
    }
    const resuming = new Set(
      agentsIn(run.state)
        .filter(canResume)
        .map(({ agent }) => agent),
    )
    resumeIf((agent) => resuming.has(agent))
  }

  return {
    /** Takes answers for them; false if all are known, throws as `answerPause` does. */
    receive(answers: PauseAnswers, { hides, isTrial = false }: AnswerChecks = {}): boolean {
      const now = run.now()
      checkVisible(run.state, answers, hides)
      if (expireResting(run, waits, now)) settle()
      const isNew = answerPause(held.reduce(addAnswer, run.state), answers, now).changed
      if (!isNew || isTrial) return isNew
      held.push(...splitAnswers(answers).map(([, answer]) => ({ answer, at: now })))
      settle()
      return true
    },
    /** Ends one of them; false if none has this id. */
    release(agent: string): boolean {
      const isReleased = resumeIf((waiting) => waiting === agent)
      if (isReleased) run.stopping.add(agent)
      return isReleased
    },
    /** Signals that the work on a call has stopped. */
    settle,
    /** Passes on the held answers once all work has stopped, because a stopped run may never reach their agents. */
    close(): void {
      for (const answer of held) takeAnswer(run, answer, () => true)
    },
  }
}

/** An answer to one call and its time of receipt, which counts for a decision however long it is held. */
interface HeldAnswer {
  readonly answer: PauseAnswers
  readonly at: number
}

function addAnswer(state: AgentState, { answer, at }: HeldAnswer): AgentState {
  return answerPause(state, answer, at).state
}

/** Passes an answer to a paused sub-agent; false if it must be held for one that has not paused. */
function takeAnswer(run: Run, held: HeldAnswer, isAtRest: (callId: string) => boolean): boolean {
  const isFor = isPendingFor(held.answer)
  const owner = openChildren(run.state).find(({ child }) => isFor(child))
  if (owner === undefined) return true
  if (!isAtRest(owner.callId)) return false
  run.state = addAnswer(run.state, held)
  return true
}

function isPendingFor({ results = [], decisions = [] }: PauseAnswers) {
  const ids = new Set([...results, ...decisions].map(({ toolUseId: callId }) => callId))
  return (child: Parameters<typeof pendingOf>[0]): boolean => {
    const { calls, approvals } = pendingOf(child)
    return [...calls, ...approvals].some(({ id }) => ids.has(id))
  }
}

function restingChildren({ state }: Run, waits: ReadonlyMap<string, WaitReason>) {
  return openChildren(state).filter(({ callId }) => waits.get(callId) === 'agent')
}

/** Expires overdue approval requests of waiting sub-agents; false if there are none. */
function expireResting(run: Run, waits: ReadonlyMap<string, WaitReason>, now: number): boolean {
  const before = run.state
  for (const { child } of restingChildren(run, waits)) {
    const expired = expireRequests(child, now)
    if (expired !== child) run.state = withChild(run.state, expired)
  }
  return run.state !== before
}
