import fc from 'fast-check'
import type { RunInput } from '../../../src/agent/agent.ts'
import { decodeEnvelope, type Envelope } from '../../../src/events/index.ts'
import {
  type AgentsPlan,
  anyNaming,
  anyTemper,
  createAgents,
  createWatch,
} from '../agents/any-agents.ts'
import { allAnswers, PlayedSession } from '../agents/play-session.ts'
import { anyReply } from '../agents/planned-model.ts'
import { createStage } from '../agents/stage.ts'

/** The content of a log: the output of models, and other events. */
export interface LogPlan {
  readonly plan: AgentsPlan
  readonly choices: readonly number[]
}

const anyPlan: fc.Arbitrary<AgentsPlan> = fc.record({
  temper: anyTemper,
  naming: anyNaming,
  replies: fc.record({
    tester: fc.array(anyReply({ spawns: 4, waits: 3 }), { maxLength: 4, size: 'max' }),
    helper: fc.array(anyReply({ spawns: 3, waits: 3 }), { maxLength: 4, size: 'max' }),
    digger: fc.array(anyReply({ spawns: 0, waits: 3 }), { maxLength: 3, size: 'max' }),
  }),
})

/** Any operations of a session with sub-agents, pauses, stops, steering and processes that die. */
export const anyLogPlan: fc.Arbitrary<LogPlan> = fc.record({
  plan: fc.noBias(anyPlan),
  choices: fc.noBias(fc.array(fc.nat(128 * 60), { maxLength: 150, size: 'max' })),
})

/** A session that was played to its end. */
export interface PlayedAnswer {
  readonly log: readonly Envelope[]
  /** The final answer as a server computes it during the run. */
  readonly answer: string
  /** The final answer of the agent itself; undefined if a process died in its last run. */
  readonly own: string | undefined
}

/** Plays a session of up to four parts, and returns its log as real agents write it. */
export async function playLog(plan: LogPlan): Promise<readonly Envelope[]> {
  return (await playAnswer(plan)).log
}

/** Plays a session of up to four parts, and returns its log and its final answer. */
export async function playAnswer({ plan, choices }: LogPlan): Promise<PlayedAnswer> {
  const stage = createStage()
  const agent = createAgents(plan, createWatch(), stage)
  const rest = [...choices]
  const choose = () => rest.shift() ?? 0
  const session = new PlayedSession({ agent, stage, isSlow: false, choose })
  let input: RunInput = { prompt: 'go' }
  for (let part = 1; part <= 4; part++) {
    await session.play(input)
    const { state } = session
    if (state === undefined || (state.ended === undefined && part === 4)) break
    if (state.ended === undefined) input = { state }
    else if (state.pause === undefined) input = { state, prompt: 'next' }
    else
      input = choose() % 3 === 2 ? { state, prompt: 'never mind' } : { state, ...allAnswers(state) }
  }
  return {
    log: session.log.lines().map(decodeEnvelope),
    answer: session.log.answer(),
    own: session.hasDied ? undefined : session.answer,
  }
}
