import { isMillraceError, MillraceError } from '../errors/index.ts'
import type { Prompt } from '../events/index.ts'
import type { PauseAnswers } from './port/index.ts'
import type { Hides } from './calls/answer-pause.ts'
import { toPromptContent } from './prompt-content.ts'

/** Options for judging answers. */
export interface AnswerChecks {
  /** Calls of hidden agents are unknown. */
  readonly hides?: Hides | undefined
  /** Asks for the result without an effect. */
  readonly isTrial?: boolean | undefined
}

/** Receives the commands for one agent of an active run. */
export interface CommandReceiver {
  readonly agent: string
  stop(): void
  /** Ends a waiting sub-agent of this agent; false if none has this id. */
  stopWaiting(agent: string): boolean
  /** Sends a message to the agent; false if it is ending. */
  steer(prompt: Prompt): boolean
  /** Takes answers for calls of its sub-agents; false if all are known, throws `not_found` for any other. */
  answer(answers: PauseAnswers, options?: AnswerChecks): boolean
  /** Checks whether the agent is pausing or ending and takes no more commands. */
  isEnding(): boolean
}

/** Stops, steers and answers an active run; its agents enter as they start. */
export interface RunControl {
  /** Stops the run or one agent; false if none has this id. With `isKept` it also stops an agent that enters later. */
  stop(agent?: string, options?: { readonly isKept?: boolean }): boolean
  /** Sends a message to the run or one agent; false if none has this id. With `isKept` an agent that enters later gets it. */
  steer(prompt: Prompt, agent?: string, options?: { readonly isKept?: boolean }): boolean
  /** Answers pending calls of sub-agents while other agents run; false if all answers are known, throws as `answerPause` does. */
  answer(answers: PauseAnswers, options?: AnswerChecks): boolean
  /** Checks whether the run is pausing or ending and takes no more commands. */
  isEnding(): boolean
  /** Registers an agent until the returned function is called. */
  enter(receiver: CommandReceiver): () => void
}

/** Creates the control of one run. Commands before its first agent enters are held for it. */
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
    answer: (answers, options) =>
      answerAt(receivers, (receiver) => receiver.answer(answers, options)),
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

/** Offers answers to the innermost agents first, which know the pending calls beneath them. */
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
