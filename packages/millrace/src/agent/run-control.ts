import { isMillraceError, MillraceError } from '../errors/index.ts'
import type { Prompt } from '../events/index.ts'
import type { PauseAnswers } from './port/index.ts'
import type { Hides } from './calls/answer-pause.ts'
import { toPromptContent } from './prompt-content.ts'

/** Where one agent of a run under way takes requests. */
export interface CommandReceiver {
  readonly agent: string
  stop(): void
  /** Ends a sub-agent that waits for people beneath this agent; false if none of that id does. */
  stopWaiting(agent: string): boolean
  /** False if it is too late: the agent is ending. */
  steer(prompt: Prompt): boolean
  /** Whether answers are new to its sub-agents; throws as `answer` does. */
  awaits(answers: PauseAnswers, hides?: Hides): boolean
  /** Takes answers for calls of its sub-agents; false if all are known, throws `not_found` for any other. */
  answer(answers: PauseAnswers): boolean
  /** Tells that it pauses or ends, and takes nothing any more. */
  isEnding(): boolean
}

/** Through which a run under way is stopped, steered and answered; agents enter it as they begin. */
export interface RunControl {
  /** Stops the run, or one agent of it; false if none of that id is at work. One that `isKept` stops the agent also when it enters later. */
  stop(agent?: string, options?: { readonly isKept?: boolean }): boolean
  /** Sends a message to the run, or to one of its agents; false if no agent of that id is at work. With `isKept` an agent that enters later gets it too. */
  steer(prompt: Prompt, agent?: string, options?: { readonly isKept?: boolean }): boolean
  /** Whether `answer` would take answers; throws as it does, and for calls of hidden agents as for unknown ones. */
  awaits(answers: PauseAnswers, hides?: Hides): boolean
  /**
   * Answers calls of sub-agents that wait while others go on; false if all is known already, throws as `answerPause`
   * does.
   */
  answer(answers: PauseAnswers): boolean
  /** Tells that the run pauses or ends, and takes nothing any more. */
  isEnding(): boolean
  /** Takes up an agent's desk until the function that it returns is called. */
  enter(receiver: CommandReceiver): () => void
}

/** Creates the control of one run. What comes before its first agent has entered is kept for that. */
export function createRunControl(): RunControl {
  const receivers = new Set<CommandReceiver>()
  const early: ((receiver: CommandReceiver) => void)[] = []
  /** Messages and stops for agents that have not entered yet. */
  const kept = new Map<string, ((receiver: CommandReceiver) => void)[]>()
  let hasBegun = false

  const find = (agent?: string): CommandReceiver | undefined => {
    const all = [...receivers]
    return agent === undefined ? all[0] : all.find((receiver) => receiver.agent === agent)
  }

  const keep = (request: (receiver: CommandReceiver) => void): true => {
    early.push(request)
    return true
  }

  const keepFor = (agent: string, request: (receiver: CommandReceiver) => void): true => {
    kept.set(agent, [...(kept.get(agent) ?? []), request])
    return true
  }

  return {
    stop(agent, { isKept = false } = {}) {
      if (!hasBegun && agent === undefined) return keep((receiver) => receiver.stop())
      const receiver = find(agent)
      receiver?.stop()
      if (receiver !== undefined || agent === undefined) return receiver !== undefined
      const isWaiting = [...receivers].some((above) => above.stopWaiting(agent))
      if (isKept && !isWaiting) keepFor(agent, (late) => late.stop())
      return isWaiting
    },
    steer(prompt, agent, { isKept = false } = {}) {
      toPromptContent(prompt)
      if (!hasBegun && agent === undefined) return keep((receiver) => receiver.steer(prompt))
      const receiver = find(agent)
      if (receiver !== undefined || agent === undefined) return receiver?.steer(prompt) ?? false
      return isKept && keepFor(agent, (late) => late.steer(prompt))
    },
    awaits: (answers, hides) => answerAt(receivers, (receiver) => receiver.awaits(answers, hides)),
    answer: (answers) => answerAt(receivers, (receiver) => receiver.answer(answers)),
    isEnding: () => hasBegun && find()?.isEnding() !== false,
    enter(receiver) {
      hasBegun = true
      receivers.add(receiver)
      for (const request of early.splice(0)) request(receiver)
      for (const request of kept.get(receiver.agent) ?? []) request(receiver)
      kept.delete(receiver.agent)
      return () => receivers.delete(receiver)
    },
  }
}

/** Those who entered last are the innermost, and know best what waits beneath them. */
function answerAt(
  receivers: ReadonlySet<CommandReceiver>,
  take: (receiver: CommandReceiver) => boolean,
): boolean {
  let refusal = new MillraceError('not_found', 'No call waits for an answer.')
  for (const receiver of [...receivers].reverse()) {
    try {
      return take(receiver)
    } catch (error) {
      if (!isMillraceError(error) || error.code !== 'not_found') throw error
      refusal = error
    }
  }
  throw refusal
}
