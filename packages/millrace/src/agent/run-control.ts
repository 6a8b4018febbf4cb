import { isMillraceError, MillraceError } from '../errors/index.ts'
import type { Prompt } from '../events/index.ts'
import type { PauseAnswers } from './agent.ts'

/** Where one agent of a run under way takes requests. */
export interface Desk {
  readonly agent: string
  stop(): void
  /** False if it is too late: the agent is ending. */
  steer(prompt: Prompt): boolean
  /** Takes answers for calls of its sub-agents; throws `not_found` for any other. */
  answer(answers: PauseAnswers): void
}

/** Through which a run under way is stopped, steered and answered; agents enter it as they begin. */
export interface RunControl {
  /** Stops the run, or one agent of it; false if none of that id is at work. */
  stop(agent?: string): boolean
  /** Tells the run, or one agent of it, something new; false if none of that id is at work. */
  steer(prompt: Prompt, agent?: string): boolean
  /** Answers calls of sub-agents that wait while others go on; throws as `answerPause` does. */
  answer(answers: PauseAnswers): void
  /** Takes up an agent's desk until the function that it returns is called. */
  enter(desk: Desk): () => void
}

/** Creates the control of one run. */
export function createRunControl(): RunControl {
  const desks = new Set<Desk>()
  const find = (agent?: string): Desk | undefined => {
    const all = [...desks]
    return agent === undefined ? all[0] : all.find((desk) => desk.agent === agent)
  }
  return {
    stop(agent) {
      const desk = find(agent)
      desk?.stop()
      return desk !== undefined
    },
    steer: (prompt, agent) => find(agent)?.steer(prompt) ?? false,
    answer(answers) {
      let refusal: unknown
      // Those who entered last are the innermost, and know best what waits beneath them.
      for (const desk of [...desks].reverse()) {
        try {
          return desk.answer(answers)
        } catch (error) {
          if (!isMillraceError(error) || error.code !== 'not_found') throw error
          refusal = error
        }
      }
      throw refusal ?? new MillraceError('not_found', 'No call waits for an answer.')
    },
    enter(desk) {
      desks.add(desk)
      return () => desks.delete(desk)
    },
  }
}
