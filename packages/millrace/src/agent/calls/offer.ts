import { isMillraceError, type MillraceError } from '../../errors/index.ts'
import type { AgentCommand, Offer, StoredState, Verdict } from '../port/index.ts'
import type { RunControl } from '../run-control.ts'
import { answerSoFar } from '../run-result.ts'
import {
  agentsIn,
  type AgentState,
  findFirst,
  readState,
  type ReadState,
  StoredCheckpoint,
  type StateWriter,
  waitingAgents,
} from '../state/index.ts'
import { answerPause, canResume, checkVisible } from './answer-pause.ts'
import { expireRequests } from './decide-call.ts'
import { unreportedAnswers } from './report-answers.ts'

/** Passes a command to an active run, and returns its verdict. */
export function offerToRun(control: RunControl, command: AgentCommand): Verdict {
  return judge(() => {
    if (command.type === 'stop') {
      const { agent, isKept = false } = command
      return control.stop(agent, { isKept }) ? 'taken' : 'unknown'
    }
    if (command.type === 'steer') {
      const { prompt, agent, isKept = false } = command
      return control.steer(prompt, agent, { isKept }) ? 'taken' : 'unknown'
    }
    // Requests expire where a sub-agent is answered.
    if (command.type === 'expire' || command.type === 'produce') return 'unknown'
    return control.answer(command.answers, command) ? 'taken' : 'repeated'
  })
}

/** Offers a command to a paused run. The caller stores its effect. */
export async function offerToStored(stored: StoredState, command: AgentCommand): Promise<Offer> {
  const read = await readState(stored, { isForModel: true })
  if (read === undefined) return { verdict: 'unknown', resumes: false }
  const offer = offerToState(read, command)
  if (command.type !== 'answer' || offer.verdict !== 'unknown' || !hasSkipped(read.state))
    return offer
  // The answer may be for a call before a compaction, whose result is compared with it.
  const whole = await readState(stored)
  return whole === undefined ? offer : offerToState(whole, command)
}

/** Checks whether messages of an agent were not read. */
function hasSkipped(state: AgentState): boolean {
  return findFirst(state, ({ skipped }) => skipped) !== undefined
}

function offerToState({ state, writer }: ReadState, command: AgentCommand): Offer {
  let next = state
  const { verdict, error } = judge(() => {
    if (command.type === 'steer' || command.type === 'produce') return 'unknown'
    if (command.type === 'stop') {
      const { agent } = command
      const isWaiting = agent === undefined || waitingAgents(state).includes(agent)
      return isWaiting && state.pause !== undefined ? 'taken' : 'unknown'
    }
    if (command.type === 'expire') next = expireRequests(state, command.at)
    else {
      checkVisible(state, command.answers, command.hides)
      next = answerPause(state, command.answers, command.at).state
    }
    return next === state ? 'repeated' : 'taken'
  })
  const resumes = command.type === 'stop' ? verdict === 'taken' : agentsIn(next).some(canResume)
  if (next === state) return { verdict, resumes, ...(error && { error }) }
  return {
    verdict,
    resumes,
    ...(resumes ? { checkpoint: toCheckpoint(next, writer) } : toReported(next, writer)),
  }
}

function toCheckpoint(state: AgentState, writer: StateWriter): StoredCheckpoint {
  return new StoredCheckpoint(state, writer, () => answerSoFar(state))
}

/** Reports answers while other calls are pending: no agent does so before it continues. [LIFE-11] */
function toReported(state: AgentState, writer: StateWriter): Pick<Offer, 'checkpoint' | 'events'> {
  const unreported = unreportedAnswers(state)
  const reported = unreported.reduce((prior, { change }) => change(prior), state)
  return {
    checkpoint: toCheckpoint(reported, writer),
    events: unreported.map(({ event }) => event),
  }
}

/** Converts the errors of a late command into verdicts. */
function judge(decide: () => Verdict['verdict']): Verdict {
  try {
    return { verdict: decide() }
  } catch (error) {
    if (!isMillraceError(error)) throw error
    const verdict = verdicts[error.code]
    if (verdict === undefined) throw error
    return { verdict, error }
  }
}

const verdicts: Readonly<Partial<Record<MillraceError['code'], Verdict['verdict']>>> = {
  conflict: 'conflict',
  not_found: 'unknown',
}
