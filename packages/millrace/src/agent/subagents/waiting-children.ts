import type { AwaitedCall } from '../../events/index.ts'
import {
  type AgentState,
  agentsIn,
  openCalls,
  openChildren,
  pendingOf,
  withChild,
} from '../state/index.ts'
import type { PauseAnswers } from '../port/index.ts'
import { answerPause, canResume, checkVisible, type Hides } from '../calls/answer-pause.ts'
import { splitAnswers } from '../port/index.ts'
import { expireRequests } from '../calls/decide-call.ts'
import type { CallUpdate, WaitReason } from '../calls/call-update.ts'
import { unreportedAnswers } from '../calls/report-answers.ts'
import type { Run } from '../run.ts'

/** The sub-agents of a run that wait for people while others are at work. */
export interface WaitingChildren {
  /** Whether answers are new; throws as `answerPause` does. */
  readonly awaits: (answers: PauseAnswers, hides?: Hides) => boolean
  /** Takes answers for them; false if all are known, throws as `answerPause` does. */
  readonly receive: (answers: PauseAnswers) => boolean
  /** Ends one of them; false if none of that id waits. */
  readonly release: (agent: string) => boolean
  /** Says that the work on a call is over for now. */
  readonly settle: () => void
}

/** What the sub-agents of a run are tied to. */
interface Ties {
  readonly waits: Map<string, WaitReason>
  /** Works on a call again. */
  readonly resume: (call: AwaitedCall) => void
  /** Tells something at once, whatever is under way. */
  readonly report: (update: CallUpdate) => void
}

/**
 * Creates what lets sub-agents go on. An answer may come as soon as its call is announced, which is before its agent
 * has come to rest; it is held until then, because until then the agent's own word on its state counts.
 */
export function createWaitingChildren(run: Run, { waits, resume, report }: Ties): WaitingChildren {
  let held: HeldAnswer[] = []
  /** The answers that were reported; the state remembers them a moment later. */
  const reported = new Set<string>()

  const resumeIf = (isReady: (agent: string) => boolean): boolean => {
    const ready = restingChildren(run, waits).filter(({ child }) =>
      agentsIn(child).some(({ agent }) => isReady(agent)),
    )
    const ids = new Set(ready.map(({ toolUseId }) => toolUseId))
    for (const call of openCalls(run.state.turn).filter(({ id }) => ids.has(id))) {
      waits.delete(call.id)
      resume(call)
    }
    return ids.size > 0
  }

  const settle = (): void => {
    held = held.filter((answer) => !takeAnswer(run, answer, waits))
    for (const untold of unreportedAnswers(run.state)) {
      const key = `${untold.event.stage} ${untold.event.id}`
      if (!reported.has(key)) report(untold)
      reported.add(key)
    }
    const goingOn = new Set(
      agentsIn(run.state)
        .filter(canResume)
        .map(({ agent }) => agent),
    )
    resumeIf((agent) => goingOn.has(agent))
  }

  const isNew = (answers: PauseAnswers, now: number): boolean => {
    if (expireResting(run, waits, now)) settle()
    return answerPause(held.reduce(addAnswer, run.state), answers, now).changed
  }

  return {
    awaits(answers, hides) {
      checkVisible(run.state, answers, hides)
      return isNew(answers, run.now())
    },
    receive(answers) {
      const now = run.now()
      if (!isNew(answers, now)) return false
      held.push(...splitAnswers(answers).map(([, answer]) => ({ answer, at: now })))
      settle()
      return true
    },
    release(agent) {
      const isReleased = resumeIf((waiting) => waiting === agent)
      if (isReleased) run.stopping.add(agent)
      return isReleased
    },
    settle,
  }
}

/** An answer to one call, and when it was received: a decision counts from then, however long it is held. */
interface HeldAnswer {
  readonly answer: PauseAnswers
  readonly at: number
}

function addAnswer(state: AgentState, { answer, at }: HeldAnswer): AgentState {
  return answerPause(state, answer, at).state
}

/** Gives an answer to a sub-agent that has come to rest; false if it must be held for one that has not. */
function takeAnswer(run: Run, held: HeldAnswer, waits: ReadonlyMap<string, WaitReason>): boolean {
  const isFor = isPendingFor(held.answer)
  const owner = openChildren(run.state).find(({ child }) => isFor(child))
  if (owner === undefined) return true
  if (waits.get(owner.toolUseId) !== 'agent') return false
  run.state = addAnswer(run.state, held)
  return true
}

function isPendingFor({ results = [], decisions = [] }: PauseAnswers) {
  const ids = new Set([...results, ...decisions].map(({ toolUseId }) => toolUseId))
  return (child: Parameters<typeof pendingOf>[0]): boolean => {
    const { calls, approvals } = pendingOf(child)
    return [...calls, ...approvals].some(({ id }) => ids.has(id))
  }
}

function restingChildren({ state }: Run, waits: ReadonlyMap<string, WaitReason>) {
  return openChildren(state).filter(({ toolUseId }) => waits.get(toolUseId) === 'agent')
}

/** Refuses calls of waiting sub-agents whose requests have expired; false if there are none. */
function expireResting(run: Run, waits: ReadonlyMap<string, WaitReason>, now: number): boolean {
  const before = run.state
  for (const { child } of restingChildren(run, waits)) {
    const expired = expireRequests(child, now)
    if (expired !== child) run.state = withChild(run.state, expired)
  }
  return run.state !== before
}
